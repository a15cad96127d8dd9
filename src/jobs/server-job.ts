import { isRecord, isString, parsed } from '../guards';
import { openStatuses } from '../records';

/** The most subtasks to keep for a job. */
const MOST_SUBTASKS = 10;
/** The longest accepted time, in UTF-16 units; longer than any that a server sends. */
const LONGEST_TIME = 40;

/** A job as the server sends it. */
export interface ServerJob {
  id: string;
  /** LOST if it has ended with a status that no known release has, which is then its `error`. */
  status: string;
  /** Empty while unknown. */
  description: string;
  /** From 0 to 1; null while unknown. */
  progress: number | null;
  subTasks: readonly string[] | null;
  /** ISO 8601, as the server writes it. */
  addTime: string;
  startTime: string | null;
  endTime: string | null;
  error: string | null;
}

/** An event of the subscription: ADD, UPDATE or REMOVE, not always in this order. REMOVE is always the end. */
export interface ServerJobEvent {
  type: string;
  job: ServerJob;
}

/**
 * Returns a function that reads a job from a response, with the known fields only, because many jobs are kept. It throws
 * NOT_STASH for any other value.
 * @param redact removes secrets and control characters from a text, and shortens it.
 */
export function jobReader(redact: (text: string) => string): (value: unknown) => ServerJob {
  return parsed(isJob, ({ id, status, addTime, ...job }) => {
    const { description, progress, startTime, endTime, subTasks, error } = job;
    const hasEnded = isTime(endTime);
    const isKnown = openStatuses.includes(status) || isEnd(status);
    return {
      id,
      // With a status that no known release has, a job runs until it has ended, and then nobody knows how.
      status: isKnown ? status : hasEnded ? 'LOST' : 'RUNNING',
      addTime,
      description: isString(description) ? redact(description) : '',
      progress: typeof progress === 'number' ? progress : null,
      startTime: isTime(startTime) ? startTime : null,
      endTime: hasEnded ? endTime : null,
      // Only the first one is shown; a change of the others counts as progress.
      subTasks: Array.isArray(subTasks)
        ? subTasks.filter(isString).slice(0, MOST_SUBTASKS).map(redact)
        : null,
      error: hasEnded && !isKnown ? status : isString(error) ? redact(error) : null,
    };
  });
}

/** Returns a function that reads an event of the subscription. It throws NOT_STASH for any other value. */
export function jobEventReader(redact: (text: string) => string): (value: unknown) => ServerJobEvent {
  const read = jobReader(redact);
  return parsed(isJobEvent, ({ type, job }) => ({ type, job: read(job) }));
}

/** Whether this is a job that can be followed, whatever else is known of it. */
function isJob(
  value: unknown,
): value is Pick<ServerJob, 'id' | 'status' | 'addTime'> & Readonly<Record<string, unknown>> {
  return (
    isRecord(value) &&
    isString(value['id']) &&
    /^\d{1,15}$/.test(value['id']) &&
    isString(value['status']) &&
    /^\w{1,40}$/.test(value['status']) &&
    isTime(value['addTime'])
  );
}

function isJobEvent(value: unknown): value is { type: string; job?: unknown } {
  return isRecord(value) && isString(value['type']);
}

/** Whether this is a time in the format of the server: ISO 8601, with up to nine decimal places. */
export function isTime(value: unknown): value is string {
  return (
    isString(value) &&
    value.length <= LONGEST_TIME &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  );
}

/** Whether a job with this status has ended. */
export function isEnd(status: string): status is 'FINISHED' | 'FAILED' | 'CANCELLED' | 'LOST' {
  return ['FINISHED', 'FAILED', 'CANCELLED', 'LOST'].includes(status);
}
