import { shielded, untilAborted } from '../async';
import type { JobOptions } from '../call';
import type { JobProgress, JobRecord, JobStatus } from '../records';
import type { WatcherEvent } from './events';
import { STALLED_AFTER } from './follower';
import { type JobRecords, bareRecord } from './job-records';
import { hasYielded, type JobStart, type PendingStart } from './job-start';
import { rememberStarter } from './started-by';
import { ProgressFilter, type TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

/** How to report a job for which no message waits. */
const WATCHED = { reply: 'finished', stalledAfter: STALLED_AFTER } as const;

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
    const unseen = (status: JobStatus) =>
      bareRecord({ id: pending.id, status, description: start.description });
    this.#report(start, unseen('READY'));
    const tracked = await this.#track(start, pending, waiting);
    if (!tracked) return unseen('LOST');
    const how = await this.#whileOpen(start, { pending, tracked }, waiting, options);
    if (how === 'started') return undefined;
    // Its log lines may arrive a little later. A time limit of `waiting` no longer counts, because the job has ended.
    const { records } = this.#options;
    const { call } = start;
    const record = await untilAborted(records.ended(tracked), AbortSignal.any([call.signal, call.waiting]));
    if (record.status === 'FINISHED' && tracked.job.progress === null) start.onIdle?.();
    if (!hasYielded(pending, record.status)) this.#report(start, record);
    return record;
  }

  /**
   * Reports a job from its first appearance until it has ended, after the message that started it was replied to.
   * @returns how it has ended.
   * @throws the reason of `signal` once it is aborted, or a lasting error of the polls.
   */
  async watch(start: JobStart, pending: PendingStart, signal: AbortSignal): Promise<JobStatus | undefined> {
    const tracked = await this.#track(start, pending, signal);
    if (!tracked) return 'LOST';
    try {
      await this.#whileOpen(start, { pending, tracked }, signal, () => WATCHED);
      return tracked.outcome;
    } catch (error) {
      // What was seen last is soon no longer true.
      this.#report(start, undefined);
      throw error;
    }
  }

  /** Resolves with the job once the server shows it; undefined if it is lost. */
  async #track(
    start: JobStart,
    pending: PendingStart,
    waiting: AbortSignal,
  ): Promise<TrackedJob | undefined> {
    const { id, firstSequence } = pending;
    const tracked =
      pending.tracked ?? (id === null ? undefined : await this.#identify(id, firstSequence, waiting));
    if (tracked) rememberStarter(this.#options.url, tracked.job, start.call);
    return tracked;
  }

  /** Reports the job until it has ended, or is to be replied to at once. */
  async #whileOpen(
    start: JobStart,
    { pending, tracked }: { pending: PendingStart; tracked: TrackedJob },
    waiting: AbortSignal,
    options: () => Pick<JobOptions, 'reply' | 'stalledAfter'>,
  ): Promise<'ended' | 'started'> {
    const { records } = this.#options;
    const report = (progress?: JobProgress) => {
      this.#report(start, records.now(tracked), progress);
    };
    report();
    let filter = new ProgressFilter();
    const how = await this.#onEvents<'ended' | 'started'>((event) => {
      if (tracked.outcome !== undefined) return 'ended';
      const { reply, stalledAfter } = options();
      if (reply === 'started') return reply;
      if (event?.type === 'away') {
        filter = new ProgressFilter();
        report();
      }
      if (event?.type !== 'tick' || !tracked.isRunning) return undefined;
      const progress = tracked.progress(stalledAfter);
      if (filter.changed(progress, tracked)) report(progress);
      return undefined;
    }, waiting);
    if (how === 'ended' && !hasYielded(pending, tracked.outcome)) report();
    return how;
  }

  #report({ call }: JobStart, job: JobRecord | undefined, progress: JobProgress | null = null): void {
    shielded(() => call.report?.({ job, progress }), this.#options.log);
  }

  /** Resolves with the job of this ID; undefined if the server no longer knows it. */
  async #identify(id: string, firstSequence: number, waiting: AbortSignal): Promise<TrackedJob | undefined> {
    const { poller } = this.#options.watcher;
    const { continuity, table } = poller;
    const { outages } = continuity;
    const { restarts } = table;
    const untrack = poller.track(id);
    // An early poll misses less.
    if (!this.#options.watcher.isLive) void poller.pollAgain(waiting).catch(() => undefined);
    try {
      const found = await this.#onEvents((event) => {
        const tracked = table.find(id, firstSequence);
        // If the server restarted before the job appeared, the ID belongs to another job.
        const isSameRun = continuity.outages === outages && table.restarts === restarts;
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
