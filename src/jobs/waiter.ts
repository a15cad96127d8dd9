import { shielded, untilAborted } from '../async';
import type { JobOptions } from '../call';
import type { JobProgress, JobRecord, JobStatus } from '../records';
import type { WatcherEvent } from './events';
import { type JobRecords, bareRecord } from './job-records';
import type { JobStart, PendingStart } from './job-start';
import { rememberStarter } from './started-by';
import { ProgressFilter, type TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

export interface JobWaiterOptions {
  /** The address of the server. */
  url: string;
  watcher: JobWatcher;
  records: JobRecords;
  /** Logs one line about a listener that failed. */
  log: (line: string) => void;
}

/** Waits for started jobs. */
export class JobWaiter {
  readonly #options: JobWaiterOptions;

  constructor(options: JobWaiterOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the record of the job when it has ended, and reports the job until then; with undefined if it is to be replied
   * to at once.
   * @throws the reason of `waiting` once it is aborted, or a lasting error of the polls.
   */
  async wait(
    start: JobStart,
    pending: PendingStart,
    options: () => JobOptions,
    waiting: AbortSignal,
  ): Promise<JobRecord | undefined> {
    const { url, records, log } = this.#options;
    const { id, firstSequence } = pending;
    const { description } = start;
    const unseen = (status: JobStatus) => bareRecord({ id, status, description });
    const report = (job: JobRecord, progress: JobProgress | null = null) => {
      shielded(() => start.call.report?.({ job, progress }), log);
    };
    report(unseen('READY'));
    const tracked =
      pending.tracked ?? (id === null ? undefined : await this.#identify(id, firstSequence, waiting));
    if (!tracked) return unseen('LOST');
    rememberStarter(url, tracked.job, start.call);
    report(records.now(tracked));
    let filter = new ProgressFilter();
    const how = await this.#onEvents<'ended' | 'started'>((event) => {
      if (tracked.outcome !== undefined) return 'ended';
      const { reply, stalledAfter } = options();
      if (reply === 'started') return reply;
      if (event?.type === 'away') {
        filter = new ProgressFilter();
        report(records.now(tracked));
      }
      if (event?.type !== 'tick' || !tracked.isRunning) return undefined;
      const progress = tracked.progress(stalledAfter);
      if (filter.changed(progress, tracked)) report(records.now(tracked), progress);
      return undefined;
    }, waiting);
    if (how === 'started') return undefined;
    // Its log lines may arrive a little later. A time limit of `waiting` no longer counts, because the job has ended.
    report(records.now(tracked));
    const { call } = start;
    const record = await untilAborted(records.ended(tracked), AbortSignal.any([call.signal, call.waiting]));
    if (record.status === 'FINISHED' && tracked.job.progress === null) start.onIdle?.();
    report(record);
    return record;
  }

  /** Resolves with the job of this ID; undefined if the server no longer knows it. */
  async #identify(id: string, firstSequence: number, waiting: AbortSignal): Promise<TrackedJob | undefined> {
    const { poller } = this.#options.watcher;
    const { continuity } = poller;
    const { outages } = continuity;
    const untrack = poller.track(id);
    // An early poll misses less.
    if (!this.#options.watcher.isLive) void poller.pollAgain(waiting).catch(() => undefined);
    try {
      const found = await this.#onEvents((event) => {
        const tracked = poller.table.find(id, firstSequence);
        // If the server restarted before the job appeared, the ID belongs to another job.
        if (tracked) return { tracked: continuity.outages === outages ? tracked : undefined };
        const isUnknown = event?.type === 'polled' && event.unknown.has(id);
        return isUnknown ? { tracked: undefined } : undefined;
      }, waiting);
      return found.tracked;
    } finally {
      untrack();
    }
  }

  /**
   * Resolves with the first value that `find` returns for an event of the watcher. Also calls it at once, without an event.
   */
  async #onEvents<T>(find: (event?: WatcherEvent) => T | undefined, waiting: AbortSignal): Promise<T> {
    const now = find();
    if (now !== undefined) return now;
    let unlisten = () => {};
    const found = new Promise<T>((resolve, reject) => {
      unlisten = this.#options.watcher.listen((event) => {
        if (event.type === 'failed') reject(event.error);
        const result = find(event);
        if (result !== undefined) resolve(result);
      });
    });
    return await untilAborted(found, waiting).finally(unlisten);
  }
}
