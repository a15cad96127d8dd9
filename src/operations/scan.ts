import type { Call } from '../call';
import { type Code, StashError } from '../errors';
import type { Server } from '../server';
import { type JobOptions, runTask, type TaskResult } from './job';
import { newContent, type NewContent } from './new-content';

/** What a scan can do beside looking for new files, as the server's schema names it, and the release that has it first. */
export const scanSince = {
  rescan: 'v0.26.0',
  scanGenerateCovers: 'v0.20.0',
  scanGeneratePreviews: 'v0.5.0',
  scanGenerateImagePreviews: 'v0.5.0',
  scanGenerateSprites: 'v0.5.0',
  scanGeneratePhashes: 'v0.7.0',
  scanGenerateThumbnails: 'v0.10.0',
  scanGenerateClipPreviews: 'v0.21.0',
} as const;
export type ScanOption = keyof typeof scanSince;
export const scanOptions = Object.keys(scanSince) as ScanOption[];

const TASK = {
  operation: 'metadataScan',
  input: 'ScanMetadataInput',
  since: { paths: 'v0.4.0', ...scanSince },
  description: 'Scanning...',
  slot: 'Scan',
};

export interface ScanInput extends JobOptions {
  /** Folders and files to scan; null for the whole library. */
  paths: readonly string[] | null;
  options: readonly ScanOption[];
  /** How many of the scenes, images and galleries each that a finished scan has found are listed; unless said none is asked for. */
  listNew?: number;
}

export interface Scanned extends TaskResult {
  /** What a finished scan has found; null where that could not be asked for. */
  found?: NewContent | null;
  /** Why it could not: the code of the error. */
  because?: Code;
  /** `new` where the server cannot tell what a scan has found. */
  missing?: 'new'[];
}

/**
 * Scans for new files.
 * @throws {StashError} as `runTask`; not where only what a finished scan has found cannot be told, as the scan itself
 * need not be done again for that.
 */
export async function scan(
  server: Server,
  { paths, options, listNew = 0, ...jobOptions }: ScanInput,
  call: Call,
): Promise<Scanned> {
  const required = Object.fromEntries(options.map((option) => [option, true]));
  const result = await runTask(server, TASK, { paths, required }, jobOptions, call);
  const { status, start, end } = { start: null, end: null, ...result.job };
  if (listNew < 1 || !['FINISHED', 'ENDED'].includes(status)) return result;
  if (start === null || end === null) return { ...result, missing: ['new'] };
  try {
    const found = await newContent(server, { start, end }, paths, Math.floor(listNew), call);
    return Object.keys(found).length === 0 ? { ...result, missing: ['new'] } : { ...result, found };
  } catch (error) {
    if (!(error instanceof StashError) || call.signal.aborted) throw error;
    return { ...result, found: null, because: error.code };
  }
}
