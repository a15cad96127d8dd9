import type { Call, JobOptions } from '../../call';
import { type Code, StashError } from '../../errors';
import type { Outcome } from '../../files';
import type { SkippedJob } from '../../records';
import { fieldsOf, OLDEST, type Requirements, type Server } from '../../server';
import { inputArgument, type InputFields, runTask, type Task, taskPaths, type TaskResult } from '../tasks';
import { pathRequests, scannable } from './known-folders';
import { newContent, type NewContent } from './new-content';

const OPERATION = 'metadataScan';

/** The options of a scan, as the server's schema names them, with the first release that has each. */
export const scanSince = {
  rescan: 'v0.26.0',
  scanGenerateCovers: 'v0.20.0',
  scanGeneratePreviews: OLDEST,
  scanGenerateImagePreviews: OLDEST,
  scanGenerateSprites: OLDEST,
  scanGeneratePhashes: OLDEST,
  scanGenerateImagePhashes: 'v0.31.0',
  scanGenerateThumbnails: 'v0.10.0',
  scanGenerateClipPreviews: 'v0.21.0',
} as const;
/** An option of a scan, as the server's schema names it. */
type ScanOption = keyof typeof scanSince;
export const scanOptions = Object.keys(scanSince) as ScanOption[];

/** The first release that skips files by their age. */
const FILTER_SINCE = 'v0.12.0';

/** What the dialog offers that not every release has. */
export const scanRequirements: Requirements = {
  ...fieldsOf('ScanMetadataInput', scanSince),
  minModTime: { anyOf: [['ScanMetadataInput', 'filter']], since: FILTER_SINCE },
  listNew: { anyOf: [['Scene', 'created_at']], since: OLDEST },
};

/** @param paths of the server; for the check beforehand, local paths will do. */
function scanTask({ options, minModTime = null }: ScanOptions, paths: readonly string[] | null): Task {
  const fields: InputFields = {
    required: {
      ...Object.fromEntries(options.map((option) => [option, true])),
      ...(minModTime !== null && { filter: { minModTime: new Date(minModTime).toISOString() } }),
      ...(paths && { paths }),
    },
    since: { paths: OLDEST, ...scanSince, filter: FILTER_SINCE },
    // All that a filter has.
    names: { filter: 'minModTime' },
  };
  return {
    operation: OPERATION,
    since: OLDEST,
    description: 'Scanning...',
    // Files that have not changed are skipped.
    isResumable: !options.includes('rescan'),
    arguments: (schema) => [inputArgument(schema, 'ScanMetadataInput', fields)],
  };
}

interface ScanOptions extends Partial<JobOptions> {
  options: readonly ScanOption[];
  /** Files that have not changed since then are skipped. In milliseconds since 1970; null, the default, for files of any age. */
  minModTime?: number | null;
  /** How many new scenes, images and galleries each to list after the scan. Below 1, the default, none is requested. */
  listNew?: number;
}

export interface ScanInput extends ScanOptions {
  /** Folders and files to scan, as this machine sees them; null for the whole library. Without any, nothing is scanned. */
  paths: readonly string[] | null;
}

export interface Scanned extends Omit<TaskResult, 'job'> {
  /** The job as started or ended; skipped if there were no paths. */
  job: TaskResult['job'] | SkippedJob;
  /** Why a finished scan had nothing to do: no file has changed, or it found none or could not read them. Absent otherwise. */
  outcome?: 'nothingChanged' | 'noFiles';
  /** The new content, null if the requests for it failed; absent without `listNew` and before the scan has finished. */
  found?: NewContent | null;
  /** The code of the error with which these requests failed. */
  failure?: Code;
  /** `new` if the server cannot list new content. */
  missing?: 'new'[];
  /** The scanned paths, if they may be others than the given ones: folders that stand in for their files, or final names. */
  replacedBy?: readonly string[];
  /** The messages that share the scan; absent unless messages are collected. */
  collected?: Collected;
  /** What was found out about the files before the scan; absent unless they had to settle. */
  settled?: Settled;
}

/** What shared one scan. */
export interface Collected {
  messages: number;
  /** The scanned paths of the server; null for the whole library. */
  paths: readonly string[] | null;
  /** Whether each path is a folder that stands in for paths in it. */
  areFolders: boolean;
}

/** How many paths were found complete, could not be seen by this machine, and vanished before they were complete. */
export type Settled = Record<Outcome, number>;

/**
 * Scans for new files.
 * @throws {StashError} as `taskPaths` and `runTask`. A failure to list the new content is a result: the scan need not be repeated for it.
 */
export async function scan(server: Server, input: ScanInput, call: Call): Promise<Scanned> {
  const given = await taskPaths(server, scanTask(input, input.paths), input.paths, call);
  const replaced = given && (await scannable(given, pathRequests(server, call)));
  const paths = replaced && replaced.map(({ there }) => there);
  const result = await scanServerPaths(server, paths, input, call);
  return paths && replaced !== given.paths ? { ...result, replacedBy: paths } : result;
}

/** Scans like `scan`. @param paths of the server, all of which are in the library. */
export async function scanServerPaths(
  server: Server,
  paths: readonly string[] | null,
  { listNew = 0, ...options }: ScanOptions,
  call: Call,
): Promise<Scanned> {
  if (paths?.length === 0) return { operation: OPERATION, job: { id: null, status: 'SKIPPED' } };
  const done = await runTask(server, scanTask(options, paths), options, call);
  const outcome = outcomeOf(done, options);
  const result = { ...done, ...(outcome && { outcome }) };
  const { status, start, end } = { start: null, end: null, ...result.job };
  if (listNew < 1 || status !== 'FINISHED') return result;
  if (start === null || end === null) return { ...result, missing: ['new'] };
  try {
    const found = await newContent(
      server,
      { start: result.begun ?? start, end },
      paths,
      Math.floor(listNew),
      call,
    );
    return Object.keys(found).length === 0 ? { ...result, missing: ['new'] } : { ...result, found };
  } catch (error) {
    if (!(error instanceof StashError) || call.signal.aborted) throw error;
    return { ...result, found: null, failure: error.code };
  }
}

function outcomeOf({ isIdle, job }: TaskResult, { minModTime = null }: ScanOptions): Scanned['outcome'] {
  if (!isIdle || !('problemCount' in job) || job.status !== 'FINISHED') return undefined;
  // The server reports the same for an empty folder and for a missing one.
  if (minModTime === null) return 'noFiles';
  // Only its log tells a scan that failed from one that skipped all files.
  if (job.problemCount === null) return undefined;
  return job.problemCount === 0 ? 'nothingChanged' : 'noFiles';
}
