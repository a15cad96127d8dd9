import { hasString, isRecord, isString, parsed } from '../guards';

/** How many of a job's texts are kept that tell what it is at. */
const MOST_SUBTASKS = 10;
/** Longer than any time that a server sends. */
const LONGEST_TIME = 40;

/** A job as the server tells of it (v0.8.0 and later). */
export interface ServerJob {
  id: string;
  /** Servers from v0.17 on may send a status that their schema does not name. */
  status: string;
  description: string;
  /** From 0 to 1; null while it is not known. */
  progress: number | null;
  subTasks: readonly string[] | null;
  /** ISO 8601, as the server writes it; empty on servers before v0.8. */
  addTime: string;
  startTime: string | null;
  endTime: string | null;
  error: string | null;
}

/**
 * Reads what a server tells of a job: just what is asked, so that nothing else is kept.
 * @throws {StashError} NOT_STASH for something else.
 */
export const readJob = parsed(isJob, (job): ServerJob => {
  const { id, status, description, progress, addTime, startTime, endTime, subTasks, error } = job;
  return {
    ...{ id, status, description, progress, addTime, startTime, endTime },
    subTasks: Array.isArray(subTasks) ? subTasks.filter(isString) : null,
    error: isString(error) ? error : null,
  };
});

/** Reads an event of `jobsSubscribe`, but not its job. @throws {StashError} NOT_STASH for something else. */
export const readJobEvent = parsed(hasString('type'), ({ type, ...others }) => {
  const { job } = others as { job?: unknown };
  return { type, job };
});

/** The job with its texts fit to be shown, and not longer than what is: of many jobs that are kept none takes much room. */
export function redactedJob(job: ServerJob, redact: (text: string) => string): ServerJob {
  const { description, subTasks, error } = job;
  return {
    ...job,
    description: redact(description),
    // Only the first is told; of the others it shows that something moves.
    subTasks: subTasks && subTasks.slice(0, MOST_SUBTASKS).map(redact),
    error: error === null ? null : redact(error),
  };
}

type RawJob = ServerJob & { error?: unknown; subTasks: unknown };

function isJob(value: unknown): value is RawJob {
  return (
    isRecord(value) &&
    isString(value['id']) &&
    /^\d{1,15}$/.test(value['id']) &&
    isString(value['status']) &&
    /^\w{1,40}$/.test(value['status']) &&
    isString(value['description']) &&
    isTime(value['addTime']) &&
    ['startTime', 'endTime'].every((name) => value[name] === null || isTime(value[name])) &&
    (typeof value['progress'] === 'number' || value['progress'] === null)
  );
}

/** Whether this is a time as servers write it: ISO 8601, with up to nine places. */
export function isTime(value: unknown): value is string {
  return (
    isString(value) &&
    value.length <= LONGEST_TIME &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  );
}

/** Whether a job with this status has ended. */
export function isEnd(status: string): status is 'FINISHED' | 'FAILED' | 'CANCELLED' {
  return ['FINISHED', 'FAILED', 'CANCELLED'].includes(status);
}
