import type { StashError } from './errors';

/** READY, RUNNING and STOPPING jobs have not ended. LOST: nobody knows how the job ended, for example because the server restarted. */
export type JobStatus = 'READY' | 'RUNNING' | 'STOPPING' | 'FINISHED' | 'FAILED' | 'CANCELLED' | 'LOST';

/** The statuses of jobs that have not ended, in their order. */
export const openStatuses: readonly string[] = ['READY', 'RUNNING', 'STOPPING'] satisfies JobStatus[];

/** A line of the server's log. */
export interface Problem {
  /** ISO 8601, as the server sends it. */
  time: string;
  level: 'warning' | 'error';
  text: string;
}

/** A job, as messages show it. */
export interface JobRecord {
  /** Null if the server does not report which job it is. A server that restarts counts from 1 again. */
  id: string | null;
  status: JobStatus;
  /** The server's description. */
  description: string;
  /** ISO 8601, as the server sends it; null if unknown. */
  added: string | null;
  start: string | null;
  end: string | null;
  /** From start to end, with `interrupted` of all its jobs together; null if one of these times is unknown. */
  seconds: number | null;
  /** Null if the server does not say. For a lost job, the status with which it ended, if no known release has that. */
  error: string | null;
  /**
   * The last hundred warnings and errors that the server logged while the job ran; null if the log could not be followed for
   * the whole time.
   */
  problems: Problem[] | null;
  /** The number of all such lines; null like `problems`. */
  problemCount: number | null;
  /**
   * Only the time links `problems` to the job. Jobs run one after another, but other requests log lines meanwhile. Errors of
   * the API, failed sign-ins and broken streams are left out; the rest may still belong to something else.
   */
  problemsBy: 'time';
  /**
   * Only for a clean task: the last hundred paths that it marked, and the number of all files, folders and empty galleries. It
   * removed each, unless it has logged a problem, or would have in a dry run. Absent if the log could not be followed for the
   * whole time.
   */
  marked?: { count: number; dryRun: boolean; paths: string[] };
  /**
   * For identify, how many scenes it changed; for auto tag, how many performers, studios and tags it added to items. Absent for
   * other tasks, and if the log could not be followed for the whole time.
   */
  changes?: number;
  /** The response to its start was lost, and only this new job matched. */
  adopted?: true;
  /** How often a pause has stopped the job: this is the last one that was started for the message. */
  interrupted?: number;
}

/** Identifies a job. The id alone is not enough, because ids restart at 1 with the server. */
export interface JobReference {
  /** Null if it is unknown: then no job matches. */
  id: string | null;
  /** When the server queued it, exactly as the server sends it; null or absent matches any time. */
  added?: string | null;
}

export interface JobProgress {
  /** From 0 to 100; null while unknown. */
  percent: number | null;
  /** The server's description of the current step. */
  task: string | null;
  /** Null until there is enough progress for an estimate. */
  secondsLeft: number | null;
  /** No progress for longer than the limit of the node. */
  stalled: boolean;
}

export interface StartedJob {
  id: string | null;
  status: 'STARTED';
  adopted?: true;
  /** The number of jobs ahead of it; null if unknown, absent if none. */
  behind?: number | null;
}

/** The result where there was nothing to do, so that no job was started. */
export interface SkippedJob {
  id: null;
  status: 'SKIPPED';
}

export type JobEvent =
  | { type: 'started'; job: JobRecord }
  | { type: 'progress'; job: JobRecord; progress: JobProgress }
  /** `isInterrupted`: a pause has stopped it, and another job goes on in its place. */
  | { type: 'ended'; job: JobRecord; isInterrupted: boolean }
  /** Jobs may have been missed between these times of this machine (ISO 8601). */
  | { type: 'gap'; reason: 'restarted' | 'away'; from: string; to: string }
  /** The jobs are unknown until the user fixes the cause of this error. */
  | { type: 'failed'; error: StashError }
  /** They are known again. */
  | { type: 'polled' };

/** The server is unreachable, or reachable again. A changed release also counts as reachable again. */
export interface ReachEvent {
  type: 'away' | 'back';
  url: string;
  /** By the clock of this machine (ISO 8601). */
  since: string;
  /** The last known release; empty if none is known. */
  release: string;
}

export interface DownloadProgress {
  /** From 0 to 100; null if the size is unknown. */
  percent: number | null;
  bytes: number;
  total: number | null;
  /** Over the last three seconds; 0 while nothing arrives. */
  bytesPerSecond: number;
}

/** Returns the description of a job without the dots at its end ("Scanning..."), for the middle of a sentence. */
export function titleOf(description: string): string {
  let end = description.length;
  while (description[end - 1] === '.') end--;
  return description.slice(0, end);
}

/** Returns the placeholders for sentences about a job. A missing ID is `–`; the error has at most 300 UTF-16 units. */
export function jobValues({ id, description, error }: JobRecord) {
  return { job: id ?? '–', description: titleOf(description), text: (error ?? '').slice(0, 300) };
}

/** A tag, studio or performer that was made for an update. */
export interface CreatedItem {
  kind: 'tag' | 'studio' | 'performer';
  /** Null if it would be made: in a dry run. */
  id: string | null;
  name: string;
}

/** What an update has done, all of it or up to an error. */
export interface UpdateRecord {
  /** The ids of the items that were changed. */
  ids: string[];
  /** Those that had been so already. */
  unchanged: string[];
  created: CreatedItem[];
  /** Those that somebody has removed since the update began. */
  gone: string[];
}

/** An update that an error has ended. */
export interface UnfinishedUpdate extends UpdateRecord {
  /** Those that were not changed, or that miss a part of it: to send them again is right. */
  remaining: string[];
  /** Those that may or may not have been changed, or that were counted in part: to send them again may count twice. */
  uncertain: string[];
}
