import { after, neverAborted, Semaphore, shielded, sleep, TaskGroup, untilAborted } from '../async';
import { aside, type Call, endedBy, type JobLimits, type CallEvent } from '../call';
import { StashError } from '../errors';
import type { Schema } from '../graphql';
import type { JobEvent, JobRecord, JobReference, StartedJob } from '../records';
import { timing } from '../timing';
import type { ValueStore } from '../value-store';
import { findOperation, queueOperation, REMEMBERED, stopOperation } from './documents';
import { followJobs } from './follower';
import { asStopped, bareRecord, JobRecords, recordOf } from './job-records';
import type { JobStart, PendingStart } from './job-start';
import { type AbandonedJob, PersistedJobs } from './persisted-jobs';
import { type AcceptedStart, type OwnJob, STOPPED } from './own-job';
import { QueueWatch } from './queue-watch';
import { isEnd } from './server-job';
import { Pause } from './pause';
import type { JobSource } from './live-connection';
import type { LogEntry } from './log-collector';
import { JobStarter } from './starter';
import type { TrackedJob } from './tracked-job';
import { JobWaiter } from './waiter';
import { JobWatcher } from './watcher';

/** The most messages that wait for jobs at a time without a socket. Two places remain for jobs that others start. */
const MOST_POLLED = REMEMBERED - 2;

export interface JobsOptions extends JobSource {
  /** The most messages that may wait for jobs. */
  maxQueued: number;
  /** Returns what keeps the jobs that a pause has stopped while Node-RED is not running; undefined if nothing does. */
  store?: () => ValueStore | undefined;
  /** Called for a job that a pause has stopped, and that is not started again now. */
  abandoned?: (job: AbandonedJob) => void;
}

/** Starts the jobs of a server, waits for them, and reports them. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #watcher: JobWatcher;
  readonly #records: JobRecords;
  readonly #starter: JobStarter;
  readonly #waiter: JobWaiter;
  readonly #persisted: PersistedJobs;
  readonly #polled = new Semaphore(MOST_POLLED);
  readonly #tasks = new TaskGroup();
  #waiting = 0;

  constructor(options: JobsOptions) {
    const { url, request, log, store } = options;
    this.#options = options;
    this.#watcher = new JobWatcher(options);
    this.#records = new JobRecords(
      () => void this.#watcher.flush(),
      (tracked) => this.#watcher.table.startAfter(tracked),
    );
    this.#starter = new JobStarter(this.#watcher, request, () => this.pause.jobs);
    this.#waiter = new JobWaiter({ url, watcher: this.#watcher, records: this.#records, log });
    this.#persisted = new PersistedJobs(url, store ?? (() => undefined));
    void this.#restore();
  }

  /**
   * Starts a job. If the response is lost but exactly one new job matches, that one is adopted.
   * @throws {StashError} as a mutation; QUEUE_FULL if too many wait, OUTCOME_UNKNOWN if it is unclear which job was started.
   */
  async start(start: JobStart): Promise<StartedJob> {
    let offersJobs = false as boolean;
    const build = (schema: Schema) => {
      offersJobs = schema.has('Query', 'findJob');
      return start.build(schema);
    };
    return await this.#bounded({ ...start, build }, async (job) => {
      const { call } = job.start;
      const pending = await this.#begin(job, AbortSignal.any([call.signal, call.waiting]));
      // Not awaited, because the reply does not depend on it.
      if (offersJobs) void this.#watch(job, (signal) => this.#accept(job, pending, signal));
      const { id, adopted } = pending;
      const behind = this.#starter.behind(pending);
      return {
        id,
        status: 'STARTED',
        ...(adopted && { adopted: true }),
        ...(behind !== 0 && { behind }),
      };
    });
  }

  /**
   * Starts a job, waits for its end and reports its progress. Resolves with its record, whatever its final status.
   * @throws {StashError} as `start`; TIMEOUT once the limit has passed.
   * @throws the reason of the call's signals, once one is aborted; the job continues.
   */
  async run(start: JobStart, options: JobLimits): Promise<JobRecord> {
    const late = new AbortController();
    const { stalledAfter, waitLimit } = options;
    const cancelLimit = afterLimit(this.pause, waitLimit, () =>
      late.abort(new Error('The limit has passed.')),
    );
    try {
      return await this.#bounded(start, async (job) => {
        const { call } = job.start;
        const waiting = AbortSignal.any([call.signal, call.waiting, late.signal]);
        return await this.#run(job, stalledAfter, waiting).catch((error: unknown) => {
          // The job goes on, and a pause may stop it.
          if (waiting.aborted && !call.signal.aborted) this.#detach(job);
          if (error !== late.signal.reason) throw error;
          // Minutes with two decimals.
          const details = { minutes: Math.round(waitLimit / 600) / 100 };
          if (job.mayRun) throw new StashError('TIMEOUT.job', { details });
          throw new StashError('TIMEOUT.turn', { details, retry: true });
        });
      });
    } finally {
      cancelLimit();
    }
  }

  async #run(job: OwnJob, stalledAfter: number, waiting: AbortSignal): Promise<JobRecord> {
    const { start, interruptions } = job;
    const { call } = start;
    const releases = [this.#watcher.acquire()];
    const whole = (
      record: JobRecord,
      records: readonly JobRecord[],
      { adopted }: Pick<PendingStart, 'adopted'>,
    ) => {
      const { length: interrupted } = interruptions;
      const last = { ...record, ...(adopted && { adopted }) };
      if (interrupted === 0) return last;
      const all = { ...last, seconds: sumOf(records), interrupted };
      this.#report(call, { job: all, progress: null });
      return all;
    };
    try {
      await this.#watcher.ready(waiting);
      if (!this.#watcher.isLive) {
        call.report?.({ queue: 'waiting' });
        releases.push(await this.#polled.acquire(waiting));
      }
      for (;;) {
        const pending = await this.#begin(job, waiting);
        call.report?.({ queue: 'asking' });
        const accepted = this.#accept(job, pending, waiting);
        const record = await this.#waiter.wait(job, accepted, stalledAfter, waiting);
        if (!(await this.#willRestart(job, record)))
          return whole(record, [...interruptions, record], pending);
      }
    } catch (error) {
      if (error !== STOPPED) throw error;
      return whole(stopped(job), interruptions, {});
    } finally {
      for (const release of releases) release();
    }
  }

  /** What holds back the jobs of this server, of all config nodes with its address. */
  get pause(): Pause {
    return Pause.of(this.#options.url);
  }

  /** Reports all jobs from now on to `listener`, whoever starts them. @returns a function that removes the listener. */
  follow(listener: (event: JobEvent) => void): () => void {
    const source = { watcher: this.#watcher, records: this.#records, log: this.#options.log };
    const isInterrupted = async (job: JobRecord) =>
      (await this.pause.jobs.find(job)?.goesOnAfter(job)) ?? false;
    return followJobs({ ...source, isInterrupted }, listener);
  }

  /** Calls `listener` for each batch of the server's log, as `JobWatcher.followLog`. @returns a function that ends this. */
  followLog(listener: (lines: readonly LogEntry[]) => void): () => void {
    return this.#watcher.followLog(listener);
  }

  /** Since when no line of the log is missing, by `performance.now()`; undefined while it is not followed. */
  get logSince(): number | undefined {
    return this.#watcher.logSince;
  }

  /** Watches the queue, as `QueueWatch`, until its `end` is called. */
  watchQueue(): QueueWatch {
    const { url } = this.#options;
    return new QueueWatch({ url, watcher: this.#watcher, records: this.#records });
  }

  /** Returns the jobs that run or wait. @throws {StashError} as a query; UNSUPPORTED if the server has no queue. */
  async queue(call: Call): Promise<JobRecord[]> {
    const { redact } = this.#options;
    const queue = await this.#options.request({
      kind: 'query',
      call,
      build: (schema) => queueOperation(schema, redact),
    });
    // For a moment, the queue still contains an ended job.
    return queue.filter(({ status }) => !isEnd(status)).map((job) => recordOf(job));
  }

  /**
   * Stops a job of the queue for good: a pause does not start it again.
   * @returns its record; undefined if it has ended, or another job has its ID because the server was restarted.
   * @throws {StashError} as a mutation.
   */
  async stop(job: JobRecord, call: Call): Promise<JobRecord | undefined> {
    const stop = () => this.#stop(job, call);
    const own = this.pause.jobs.find(job);
    return await (own ? own.stop(call.signal, stop) : stop());
  }

  /** Stops for good what a pause has stopped: one job, or with null all. @returns their records, as cancelled. */
  giveUp(job: JobReference | null): JobRecord[] {
    return this.pause.jobs.giveUp((own) => job === null || own.matches(job));
  }

  /** The same for the jobs of a node whose messages have left. */
  giveUpOf(node: string): void {
    this.pause.jobs.giveUp(({ isAwaited, start }) => !isAwaited && start.call.node === node);
  }

  /** Returns the job that was started again in place of one that a pause has stopped; undefined if there is none. */
  successorOf(job: JobReference): JobReference | undefined {
    return this.pause.jobs.find(job)?.current;
  }

  /** Polls soon, because the server sends no event for a change such as a request to stop a job. */
  requestPoll(): void {
    this.#watcher.poller.requestPoll();
  }

  /** Polls soon although the last polls have failed, because the server has other settings. */
  retry(): void {
    this.#watcher.retry();
  }

  /**
   * Stops all watching, and ends the calls of waiting messages with CLOSED.
   * @param isForGood whether what is kept for the next start of Node-RED will not be read then.
   */
  close(isForGood = false): void {
    this.#persisted.close(isForGood);
    this.#watcher.close();
    this.#tasks.close();
  }

  /** Starts a job, when no pause holds it back. @param waiting ends the wait before that. */
  async #begin(job: OwnJob, waiting: AbortSignal): Promise<PendingStart> {
    const { call, description } = job.start;
    try {
      const pending = await this.#starter.start(job, waiting);
      // Until the server shows it. The message says which job was started first.
      if (job.interruptions.length > 0) {
        const again = bareRecord({ id: pending.id, status: 'READY', description });
        this.#report(call, { job: again, progress: null });
      }
      this.#report(call, { delay: null });
      return pending;
    } catch (error) {
      // Its message may have left: no other status may show in between.
      if (error === STOPPED) this.#report(call, { job: stopped(job), progress: null });
      // The end of a message says whether a pause had stopped its job.
      if (!isClosed(error)) this.#report(call, { delay: null });
      throw error;
    }
  }

  /** Lets a pause stop the job from now on, at once if it began before the server had accepted the start. */
  #accept(job: OwnJob, pending: PendingStart, signal: AbortSignal): AcceptedStart {
    const identified = this.#waiter.identify(job.start, pending, signal);
    const accepted: AcceptedStart = { ...pending, identified };
    identified.then(
      (tracked) => {
        accepted.tracked = tracked;
      },
      () => undefined,
    );
    job.accepted(accepted);
    this.pause.interruptStarted(job, aside(job.start.call));
    return accepted;
  }

  /** Ends one job of the server. @returns whether a pause has stopped it, so that it is to be started again. */
  async #willRestart(job: OwnJob, record: JobRecord): Promise<boolean> {
    const { call, onInterrupted } = job.start;
    const willRestart = await job.over(record);
    if (willRestart) onInterrupted?.(record);
    // The server may never have shown the first one.
    const isShown = record.added !== null || job.interruptions.length > 0;
    if (isShown) this.#report(call, { job: willRestart ? undefined : record, progress: null });
    if (!willRestart && job.state.is !== 'running') this.#report(call, { delay: null });
    return willRestart;
  }

  /**
   * Reports a job for which no message waits, also after pauses, and remembers which node started it.
   * @param first returns the job of the server, which may be started first.
   */
  async #watch(
    job: OwnJob,
    first: (signal: AbortSignal) => AcceptedStart | Promise<AcceptedStart>,
  ): Promise<void> {
    job.isAwaited = false;
    const release = this.#watcher.acquire();
    try {
      await this.#tasks.run(neverAborted(), async (signal) => {
        let accepted = await first(signal);
        while (await this.#willRestart(job, await this.#waiter.watch(job, accepted, signal))) {
          accepted = this.#accept(job, await this.#begin(job, signal), signal);
        }
      });
    } catch (error) {
      this.#onUnwatched(job, error);
    } finally {
      job.end();
      release();
    }
  }

  /** Goes on with a job that the server runs, and for which its message no longer waits. */
  #detach(job: OwnJob): void {
    const { state } = job;
    if (state.is === 'interrupting') void this.#watch(job, () => state.accepted);
    if (state.is !== 'running') return;
    // The search for a job that the server does not show yet has ended with the wait.
    const search = (signal: AbortSignal) => this.#accept(job, state.accepted, signal);
    void this.#watch(job, state.accepted.tracked ? () => state.accepted : search);
  }

  #onUnwatched(job: OwnJob, error: unknown): void {
    const { call, description } = job.start;
    const { log } = this.#options;
    if (error === STOPPED) log(`${description} was interrupted, and then stopped for good`);
    else if (!(error instanceof StashError)) log(String(error));
    else if (isClosed(error)) this.#abandon(job);
    // A job that nobody has stopped goes on all the same.
    else if (job.state.is !== 'starting' && !job.isInterrupted) return;
    else if (call.report) {
      const later = Promise.reject(error);
      call.report({ later });
      // The call may take no reports.
      later.catch(() => undefined);
    } else this.#options.abandoned?.({ record: stopped(job), node: call.node, error, isPersisted: false });
  }

  /** Reports that a job which a pause has stopped is not started again now. @returns whether a pause has stopped it. */
  #abandon(job: OwnJob): boolean {
    const { interrupted: record, start } = job;
    if (!record) return false;
    const { node } = start.call;
    this.#options.abandoned?.({ record, node, error: undefined, isPersisted: this.#persisted.has(job) });
    return true;
  }

  /** Goes on with the jobs that pauses had stopped before Node-RED was restarted. */
  async #restore(): Promise<void> {
    const { log } = this.#options;
    for (const { start, record, operation } of await this.#persisted.restore()) {
      const job = this.#add(start, [record]);
      job.operation = operation;
      this.#persisted.update(job);
      log(`${record.description} was interrupted before the restart, and is started again`);
      void this.#watch(job, async (signal) => {
        const wait = AbortSignal.any([signal, job.stopping]);
        // Whatever pauses jobs has the time to do it again.
        await sleep(timing.jobs.restAfterRestart, wait);
        return this.#accept(job, await this.#begin(job, signal), signal);
      });
    }
  }

  /** Stops a job if the server still has it. @returns its record; undefined if it has not. */
  async #stop({ id, added }: JobRecord, call: Call): Promise<JobRecord | undefined> {
    const { redact, request } = this.#options;
    const found = await request({
      kind: 'query',
      call,
      build: (schema) => findOperation(schema, id, redact),
    });
    if (!found || found.addTime !== added || isEnd(found.status)) return undefined;
    await request({ kind: 'mutation', call, build: () => stopOperation(id) });
    this.#watcher.poller.requestPoll();
    return asStopped(recordOf(found));
  }

  /**
   * Stops a job for a pause. What was begun goes on when the call is aborted, because the pause does.
   * @returns its record; undefined if it has ended, or somebody is stopping it already.
   */
  async #stopForPause({ identified }: AcceptedStart, call: Call): Promise<JobRecord | undefined> {
    const { poller } = this.#watcher;
    return await this.#tasks.run(neverAborted(), async (signal) => {
      // The server may have been restarted a moment ago, and another job has this ID now.
      await poller.pollAgain(signal);
      const tracked = await untilAborted(identified, signal).catch(() => undefined);
      if (!tracked || tracked.outcome !== undefined || tracked.job.status === 'STOPPING') return undefined;
      const record = asStopped(this.#records.now(tracked));
      try {
        const { id } = tracked.job;
        await this.#options.request({
          kind: 'mutation',
          call: endedBy(signal, call),
          build: () => stopOperation(id),
        });
      } catch (error) {
        if (!(error instanceof StashError && error.code === 'OUTCOME_UNKNOWN')) throw error;
        if (!(await poller.tryPoll(signal)) || !isStopping(tracked)) throw error;
      }
      this.#watcher.poller.requestPoll();
      return record;
    });
  }

  #add(start: JobStart, interruptions?: readonly JobRecord[]): OwnJob {
    return this.pause.jobs.add(
      start,
      {
        stop: (accepted, call) => this.#stopForPause(accepted, call),
        onChange: (job) => {
          // Its message and its node wait from now on, and not for what the server finishes.
          if (job.state.is === 'interrupting') this.#report(start.call, { delay: { paused: true } });
          this.#persisted.update(job);
        },
      },
      interruptions,
    );
  }

  #report({ report }: Call, event: CallEvent): void {
    shielded(() => report?.(event), this.#options.log);
  }

  /** Runs a task with a call that `close` aborts, too. @throws {StashError} QUEUE_FULL if too many messages wait. */
  async #bounded<T>(start: JobStart, task: (job: OwnJob) => Promise<T>): Promise<T> {
    const { call } = start;
    const { maxQueued: count } = this.#options;
    if (this.#waiting >= count) throw new StashError('QUEUE_FULL.jobs', { details: { count }, retry: true });
    this.#waiting++;
    try {
      return await this.#tasks.run(call.signal, async (signal) => {
        const job = this.#add({ ...start, call: endedBy(signal, call) });
        try {
          return await task(job);
        } catch (error) {
          throw isClosed(error) && this.#abandon(job) ? new StashError('CLOSED.interrupted') : error;
        } finally {
          if (job.isAwaited) job.end();
        }
      });
    } finally {
      this.#waiting--;
    }
  }
}

/** Returns the record of the last job that a pause has stopped, as that of one that is stopped for good. */
function stopped({ interruptions, start: { description } }: OwnJob): JobRecord {
  const last = interruptions.at(-1) ?? bareRecord({ id: null, status: 'CANCELLED', description });
  return { ...last, status: 'CANCELLED' };
}

function isClosed(error: unknown): boolean {
  return error instanceof StashError && error.code === 'CLOSED';
}

/** Returns for how long jobs have run in all; null while that is unknown of one of them. */
function sumOf(records: readonly JobRecord[]): number | null {
  // One that was cancelled while it waited never started.
  const times = records.map(({ seconds, start, status }) =>
    start === null && status === 'CANCELLED' ? 0 : seconds,
  );
  return times.reduce<number | null>((sum, time) => (sum === null || time === null ? null : sum + time), 0);
}

/** Whether a request to stop the job has arrived. */
function isStopping({ outcome, job }: TrackedJob): boolean {
  return outcome === 'CANCELLED' || job.status === 'STOPPING';
}

/** Calls `act` after so many milliseconds without a pause. @returns a function that cancels the call. */
function afterLimit(pause: Pause, limit: number, act: () => void): () => void {
  const due = performance.now() + limit - pause.time;
  let cancel = () => {};
  const arm = (isOn: boolean) => {
    cancel();
    cancel = isOn ? () => {} : after(due + pause.time - performance.now(), act);
  };
  const unsubscribe = pause.subscribe(arm);
  arm(pause.isOn);
  return () => {
    unsubscribe();
    cancel();
  };
}
