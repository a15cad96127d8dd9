import type { StashError } from './errors';

/**
 * How a job is. READY, RUNNING and STOPPING jobs have not ended. LOST: the server restarted, or has forgotten it. ENDED:
 * before v0.8 a server tells no more than that.
 */
export type JobStatus =
  'READY' | 'RUNNING' | 'STOPPING' | 'FINISHED' | 'FAILED' | 'CANCELLED' | 'LOST' | 'ENDED';

/** A line of the server's log. */
export interface Problem {
  /** ISO 8601, as the server tells it. */
  time: string;
  level: 'warning' | 'error';
  text: string;
}

/** What is known of a job of the server, as messages tell of it. */
export interface JobRecord {
  /** Null before v0.8. The server counts from 1 again when it is restarted. */
  id: string | null;
  status: JobStatus;
  /** In the server's words. */
  description: string;
  /** When it was queued, began and ended, in ISO 8601 as the server tells it; null where it does not. */
  added: string | null;
  start: string | null;
  end: string | null;
  /** From start to end. */
  seconds: number | null;
  /** Why it failed, where the server tells. */
  error: string | null;
  /**
   * The warnings and errors that the server logged in the job's time, the last hundred of them, without those that no job
   * causes; null where the log could not be followed all that time.
   */
  problems: Problem[] | null;
  /** How many there were in all. */
  problemCount: number | null;
  /**
   * Problems are found by their time alone. Jobs run one after another, but the server logs what others ask of it in the
   * same time: errors of the API, failed sign-ins and broken streams are left out, the rest may still be another's.
   */
  problemsBy: 'time';
  /** It appeared after the answer to its start was lost, as the only one. */
  adopted?: true;
}

/** How far a job has come. */
export interface JobProgress {
  /** A whole number from 0 to 100; null while the server does not know. */
  percent: number | null;
  /** What it is at. */
  task: string | null;
  /** Null until it means something. */
  secondsLeft: number | null;
  /** It has not moved for longer than is usual. */
  stalled: boolean;
}

/** A job that the server has accepted. */
export interface StartedJob {
  id: string | null;
  status: 'STARTED';
  adopted?: true;
  /** It waits behind so many other jobs; null where that is not known, absent where it waits behind none. */
  behind?: number | null;
}

/** What those hear who follow all jobs of a server. */
export type JobEvent =
  | { type: 'started'; job: JobRecord }
  | { type: 'progress'; job: JobRecord; progress: JobProgress }
  | { type: 'ended'; job: JobRecord }
  /** Jobs may have been missed, between two times of this machine (ISO 8601). */
  | { type: 'gap'; reason: 'restarted' | 'away'; from: string; to: string }
  /** Nothing can be told of the jobs, until somebody does something about it. */
  | { type: 'failed'; error: StashError };

/** How far a download is. */
export interface DownloadProgress {
  /** A whole number from 0 to 100, or null where the size is not known. */
  percent: number | null;
  bytes: number;
  total: number | null;
  /** Of the last three seconds; 0 while nothing comes. */
  bytesPerSecond: number;
}

/** What the server calls a job, fit for the middle of a sentence: servers write "Scanning...". */
export function titleOf(description: string): string {
  let end = description.length;
  while (description[end - 1] === '.') end--;
  return description.slice(0, end);
}
