import { shielded, untilAborted } from '../async';
import type { JobProgress, JobRecord, JobStatus } from '../records';
import type { WatcherEvent } from './events';
import type { JobStart, PendingStart } from './job-start';
import { type JobRecords, bareRecord } from './job-records';
import { ProgressFilter } from './progress-filter';
import type { TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

export interface JobWaiterOptions {
  watcher: JobWatcher;
  records: JobRecords;
  /** Takes one line about a listener that has failed. */
  log: (line: string) => void;
}

/** Waits from the start of a job to its record. */
export class JobWaiter {
  readonly #options: JobWaiterOptions;

  constructor(options: JobWaiterOptions) {
    this.#options = options;
  }

  /**
   * Returns the record of the job once it has ended, and reports the job to `call.onJob` until then.
   * @param stalledAfter after how many milliseconds without a change the job is stalled.
   * @throws the reason of `waiting` once it is aborted, and the error with which the server can no longer be asked.
   */
  async wait(
    start: JobStart,
    pending: PendingStart,
    stalledAfter: number,
    waiting: AbortSignal,
  ): Promise<JobRecord> {
    const { records, log } = this.#options;
    const { id, firstSequence, wasAway = false } = pending;
    const description = id === null ? start.slot : start.description;
    const unseen = (status: JobStatus) => bareRecord({ id, status, description });
    const tell = (job: JobRecord, progress: JobProgress | null = null) => {
      shielded(() => start.call.onJob?.(job, progress), log);
    };
    tell(unseen('READY'));
    const tracked =
      pending.tracked ?? (id === null ? undefined : await this.#identify(id, firstSequence, waiting));
    // Before v0.8, what is over before it is seen has ended.
    if (!tracked) return unseen(id === null && !wasAway ? 'ENDED' : 'LOST');
    tell(records.now(tracked));
    let filter = new ProgressFilter();
    await this.#hear<true>((event) => {
      if (tracked.outcome !== undefined) return true;
      if (event?.type === 'away') {
        filter = new ProgressFilter();
        tell(records.now(tracked));
      }
      if (event?.type !== 'tick' || !tracked.isRunning) return undefined;
      const progress = tracked.progress(stalledAfter);
      if (filter.changed(progress, tracked)) tell(records.now(tracked), progress);
      return undefined;
    }, waiting);
    // What was logged may come a little later.
    tell(records.now(tracked));
    const record = await untilAborted(records.ended(tracked), waiting);
    if (record.status === 'FINISHED' && tracked.job.progress === null) start.onIdle?.();
    tell(record);
    return record;
  }

  /** The job of this id; undefined if the server has none of that id any more. */
  async #identify(id: string, firstSequence: number, waiting: AbortSignal): Promise<TrackedJob | undefined> {
    const { poller } = this.#options.watcher;
    const { continuity } = poller;
    const { outages } = continuity;
    const untrack = poller.track(id);
    // The sooner it is seen, the less may have happened.
    if (!this.#options.watcher.isLive) void poller.pollAgain(waiting).catch(() => undefined);
    try {
      const found = await this.#hear((event) => {
        const tracked = poller.table.find(id, firstSequence);
        // After a restart that came before it was seen, the id is another job's.
        if (tracked) return { tracked: continuity.outages === outages ? tracked : undefined };
        const isForgotten = event?.type === 'polled' && event.unknown.has(id);
        return isForgotten ? { tracked: undefined } : undefined;
      }, waiting);
      return found.tracked;
    } finally {
      untrack();
    }
  }

  /** Resolves with the first value that `find` makes of an event of the watcher; it is asked at once, too. */
  async #hear<T>(find: (event?: WatcherEvent) => T | undefined, waiting: AbortSignal): Promise<T> {
    const now = find();
    if (now !== undefined) return now;
    let unlisten = () => {};
    const heard = new Promise<T>((resolve, reject) => {
      unlisten = this.#options.watcher.listen((event) => {
        if (event.type === 'failed') reject(event.error);
        const result = find(event);
        if (result !== undefined) resolve(result);
      });
    });
    return untilAborted(heard, waiting).finally(unlisten);
  }
}
