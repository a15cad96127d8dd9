import type { JobRecord, JobStatus } from '../records';
import type { LogCollector } from './log-collector';
import type { ServerJob } from './server-job';
import type { TrackedJob } from './tracked-job';

const NOTHING_KNOWN = {
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
export function bareRecord(known: Pick<JobRecord, 'id' | 'status' | 'description'>): JobRecord {
  return { ...known, ...NOTHING_KNOWN };
}

/** The record of a job as the server tells of it. */
export function recordOf(job: ServerJob, status = job.status as JobStatus): JobRecord {
  const { id, description, addTime, startTime, endTime, error } = job;
  const seconds =
    startTime !== null && endTime !== null ? (Date.parse(endTime) - Date.parse(startTime)) / 1000 : null;
  return {
    id: id === '' ? null : id,
    status,
    description,
    ...NOTHING_KNOWN,
    added: addTime === '' ? null : addTime,
    start: startTime,
    end: endTime,
    seconds,
    error,
  };
}

/** Returns the record of a job as it was when it began: by now it may be stopping, over or lost. */
export function asBegun(record: JobRecord): JobRecord {
  return { ...record, status: 'RUNNING', end: null, seconds: null, error: null };
}

/** The records of tracked jobs, with what was logged in their time. */
export class JobRecords {
  readonly #log: LogCollector;
  readonly #ended = new WeakMap<TrackedJob, Promise<JobRecord>>();

  constructor(log: LogCollector) {
    this.#log = log;
  }

  /** The record as it is now. */
  now({ job, outcome, secondsSeen }: TrackedJob): JobRecord {
    const record = recordOf(job, outcome);
    // The legacy slot tells no times.
    const isMeasured = job.addTime === '' && outcome !== 'LOST';
    return isMeasured ? { ...record, seconds: secondsSeen } : record;
  }

  /** The record of a job that has ended, once all is known that was logged in its time. */
  async ended(tracked: TrackedJob): Promise<JobRecord> {
    const known = this.#ended.get(tracked) ?? this.#complete(tracked);
    this.#ended.set(tracked, known);
    return known;
  }

  async #complete(tracked: TrackedJob): Promise<JobRecord> {
    const record = this.now(tracked);
    const { start, end } = record;
    if (!isFollowed(tracked) || end === null) return record;
    await this.#log.settled(end);
    return isFollowed(tracked) ? { ...record, ...this.#log.between(start ?? end, end) } : record;
  }
}

/** Whether the log has been followed since before the job began. */
function isFollowed({ logged }: TrackedJob): boolean {
  return logged?.isOpen ?? false;
}
