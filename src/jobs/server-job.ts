import { isRecord, isString, parsed } from '../guards';

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

/** An event of the subscription: ADD, UPDATE or REMOVE, not always in this order. REMOVE is the end whatever follows. */
export interface ServerJobEvent {
  type: string;
  job: ServerJob;
}

/**
 * Returns a function that reads what a server tells of a job: only what was asked for, because many jobs are kept. It
 * throws NOT_STASH for something else.
 * @param redact makes a text fit to be shown, and shortens it.
 */
export function jobReader(redact: (text: string) => string): (value: unknown) => ServerJob {
  return parsed(isJob, (job) => {
    const { id, status, description, progress, addTime, startTime, endTime, subTasks, error } = job;
    return {
      ...{ id, status, description: redact(description), progress, addTime, startTime, endTime },
      // Only the first is told; of the others it shows that something moves.
      subTasks: Array.isArray(subTasks)
        ? subTasks.filter(isString).slice(0, MOST_SUBTASKS).map(redact)
        : null,
      error: isString(error) ? redact(error) : null,
    };
  });
}

/** Returns a function that reads an event of the subscription. It throws NOT_STASH for something else. */
export function jobEventReader(redact: (text: string) => string): (value: unknown) => ServerJobEvent {
  const read = jobReader(redact);
  return parsed(isJobEvent, ({ type, job }) => ({ type, job: read(job) }));
}

type RawJob = Omit<ServerJob, 'subTasks' | 'error'> & { subTasks?: unknown; error?: unknown };

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

function isJobEvent(value: unknown): value is { type: string; job?: unknown } {
  return isRecord(value) && isString(value['type']);
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
