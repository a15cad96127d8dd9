import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { type Job, startJob } from './job';

/** What a scan can do beside looking for new files, as the server's schema names it, and the release that has it first. */
const since = {
  rescan: 'v0.26.0',
  scanGenerateCovers: 'v0.20.0',
  scanGeneratePreviews: 'v0.5.0',
  scanGenerateImagePreviews: 'v0.5.0',
  scanGenerateSprites: 'v0.5.0',
  scanGeneratePhashes: 'v0.7.0',
  scanGenerateThumbnails: 'v0.10.0',
  scanGenerateClipPreviews: 'v0.21.0',
} as const;
export type ScanOption = keyof typeof since;
export const scanOptions = Object.keys(since) as ScanOption[];

const TASK = { operation: 'metadataScan', input: 'ScanMetadataInput', since: { paths: 'v0.4.0', ...since } };

export interface ScanInput {
  /** Folders and files to scan; null for the whole library. */
  paths: readonly string[] | null;
  options: readonly ScanOption[];
}

/**
 * Starts a scan for new files.
 * @throws {StashError} UNSUPPORTED for an option that this server lacks, PATH_NOT_IN_LIBRARY.
 */
export async function scan(
  server: Server,
  { paths, options }: ScanInput,
  call: Call,
): Promise<{ operation: string; job: Job }> {
  const wished = Object.fromEntries(options.map((option) => [option, true]));
  return startJob(server, TASK, { paths, wished }, call);
}
