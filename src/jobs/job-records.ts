import type { JobRecord, JobStatus } from '../records';
import type { ServerJob } from './server-job';
import type { TrackedJob } from './tracked-job';

/** The descriptions of a clean task, and of those that log what they change (all releases that have them). */
const CLEANING = 'Cleaning...';
const CHANGING = ['Identifying...', 'Auto-tagging...'];

const UNKNOWN = {
  added: null,
  start: null,
  end: null,
  seconds: null,
  error: null,
  problems: null,
  problemCount: null,
  problemsBy: 'time',
} as const;

/** Returns a record with these values; everything else in it is null. */
export function bareRecord(values: Pick<JobRecord, 'id' | 'status' | 'description'>): JobRecord {
  return { ...values, ...UNKNOWN };
}

/** Returns the record of a job from the server's data. */
export function recordOf(job: ServerJob, status = job.status as JobStatus): JobRecord {
  const { id, description, addTime, startTime, endTime, error } = job;
  const seconds =
    startTime !== null && endTime !== null ? (Date.parse(endTime) - Date.parse(startTime)) / 1000 : null;
  return {
    id,
    status,
    description,
    ...UNKNOWN,
    added: addTime,
    start: startTime,
    end: endTime,
    seconds,
    error,
  };
}

/** Returns the record as it was when the job started. By now the job may be stopping, ended or lost. */
export function asStarted(record: JobRecord): JobRecord {
  return { ...record, status: 'RUNNING', end: null, seconds: null, error: null };
}

/** Returns the record after a request to stop the job: one that waited is cancelled at once. */
export function asStopped(record: JobRecord): JobRecord {
  return { ...record, status: record.status === 'READY' ? 'CANCELLED' : 'STOPPING' };
}

/** Builds the records of tracked jobs, with the log lines from their run. */
export class JobRecords {
  readonly #flush: () => void;
  readonly #startAfter: (tracked: TrackedJob) => string | null;
  readonly #ended = new WeakMap<TrackedJob, Promise<JobRecord>>();

  /**
   * @param flush makes the server write a line of log.
   * @param startAfter returns when the next job started; null while that is unknown.
   */
  constructor(flush: () => void, startAfter: (tracked: TrackedJob) => string | null) {
    this.#flush = flush;
    this.#startAfter = startAfter;
  }

  now({ job, outcome }: TrackedJob): JobRecord {
    return recordOf(job, outcome);
  }

  /**
   * Resolves with the record of an ended job when all log lines from its run have arrived. If that remains uncertain, the record
   * has none of them: a part of them would look like all.
   */
  async ended(tracked: TrackedJob): Promise<JobRecord> {
    const known = this.#ended.get(tracked) ?? this.#complete(tracked);
    this.#ended.set(tracked, known);
    return await known;
  }

  async #complete(tracked: TrackedJob): Promise<JobRecord> {
    const record = this.now(tracked);
    const { end } = record;
    const { log } = tracked;
    if (!log || end === null) return record;
    // A job that was cancelled while it waited never started. For any other one, the start is unknown.
    if (record.start === null && record.status !== 'CANCELLED') return record;
    const start = record.start ?? end;
    if (!(await log.isComplete(start, end, this.#flush))) return record;
    const next = this.#startAfter(tracked);
    // After a cancelled clean, the log does not show what it would still have removed.
    const isWhole = record.description === CLEANING && record.status === 'FINISHED';
    const marked = isWhole ? log.markedBetween(start, end, next) : undefined;
    const changes = CHANGING.includes(record.description) ? log.changesBetween(start, end, next) : undefined;
    return {
      ...record,
      ...log.problemsBetween(start, end, next),
      ...(marked && { marked }),
      ...(changes !== undefined && { changes }),
    };
  }
}
