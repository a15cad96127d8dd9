import { shielded, untilAborted } from '../async';
import type { JobProgress, JobRecord, JobStatus } from '../records';
import type { WatcherEvent } from './events';
import { STALLED_AFTER } from './follower';
import { type JobRecords, bareRecord } from './job-records';
import type { JobStart, PendingStart } from './job-start';
import type { AcceptedStart, OwnJob } from './own-job';
import { rememberStarter } from './started-by';
import { ProgressFilter, type TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

export interface JobWaiterOptions {
  url: string;
  watcher: JobWatcher;
  records: JobRecords;
  /** Logs one line about a listener that failed. */
  log: (line: string) => void;
}

export class JobWaiter {
  readonly #options: JobWaiterOptions;

  constructor(options: JobWaiterOptions) {
    this.#options = options;
  }

  /** Resolves with the job once the server shows it; undefined if it is lost. Waits until the watcher is ready. */
  async identify(
    start: JobStart,
    { id, firstSequence, tracked: known }: PendingStart,
    waiting: AbortSignal,
  ): Promise<TrackedJob | undefined> {
    const { url, watcher } = this.#options;
    if (watcher.isBeginning) await watcher.ready(waiting);
    const tracked = known ?? (id === null ? undefined : await this.#find(id, firstSequence, waiting));
    if (tracked) rememberStarter(url, tracked.job, start.call);
    return tracked;
  }

  /**
   * Resolves with the record of the job when it has ended, and reports the job until then.
   * @param stalledAfter the time without progress after which it is stalled, in milliseconds.
   * @throws the reason of `waiting` once it is aborted, or a lasting error of the polls.
   */
  async wait(
    job: OwnJob,
    { id, identified }: AcceptedStart,
    stalledAfter: number,
    waiting: AbortSignal,
  ): Promise<JobRecord> {
    const { call, description, onIdle } = job.start;
    const unseen = (status: JobStatus) => bareRecord({ id, status, description });
    this.#report(job.start, unseen('READY'));
    const tracked = await identified;
    if (!tracked) return unseen('LOST');
    await this.#whileOpen(job, tracked, waiting, stalledAfter);
    // Its log lines may arrive a little later. A time limit of `waiting` no longer counts, because the job has ended.
    const { records } = this.#options;
    const record = await untilAborted(records.ended(tracked), AbortSignal.any([call.signal, call.waiting]));
    if (record.status === 'FINISHED' && tracked.job.progress === null) onIdle?.();
    return record;
  }

  /**
   * Reports a job from its first appearance until it has ended, after the message that started it was replied to.
   * @returns its record, without its log lines.
   * @throws the reason of `signal` once it is aborted, or a lasting error of the polls.
   */
  async watch(job: OwnJob, { id, identified }: AcceptedStart, signal: AbortSignal): Promise<JobRecord> {
    const { start } = job;
    const tracked = await identified;
    if (!tracked) return bareRecord({ id, status: 'LOST', description: start.description });
    try {
      await this.#whileOpen(job, tracked, signal, STALLED_AFTER);
      return this.#options.records.now(tracked);
    } catch (error) {
      // What was seen last is soon no longer true.
      this.#report(start, undefined);
      throw error;
    }
  }

  /** Reports the job until it has ended. */
  async #whileOpen(
    job: OwnJob,
    tracked: TrackedJob,
    waiting: AbortSignal,
    stalledAfter: number,
  ): Promise<void> {
    const { records } = this.#options;
    const report = (progress?: JobProgress) => this.#report(job.start, records.now(tracked), progress);
    report();
    let filter = new ProgressFilter();
    await this.#onEvents((event) => {
      if (tracked.outcome !== undefined) return true;
      if (event?.type === 'unreachable') {
        filter = new ProgressFilter();
        report();
      }
      if (event?.type !== 'tick' || !tracked.isRunning) return undefined;
      const progress = tracked.progress(stalledAfter);
      if (filter.changed(progress, tracked)) report(progress);
      return undefined;
    }, waiting);
    if (!job.willRestart(tracked.outcome)) report();
  }

  #report({ call }: JobStart, job: JobRecord | undefined, progress: JobProgress | null = null): void {
    shielded(() => call.report?.({ job, progress }), this.#options.log);
  }

  /** Resolves with the job of this ID; undefined if the server no longer knows it. */
  async #find(id: string, firstSequence: number, waiting: AbortSignal): Promise<TrackedJob | undefined> {
    const { poller } = this.#options.watcher;
    const { failures, table } = poller;
    const { restarts } = table;
    const untrack = poller.track(id);
    // An early poll misses less.
    if (!this.#options.watcher.isLive) void poller.pollAgain(waiting).catch(() => undefined);
    try {
      const found = await this.#onEvents((event) => {
        const tracked = table.find(id, firstSequence);
        // If the server restarted before the job appeared, the ID belongs to another job.
        const isSameRun = poller.failures === failures && table.restarts === restarts;
        if (tracked) return { tracked: isSameRun ? tracked : undefined };
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
