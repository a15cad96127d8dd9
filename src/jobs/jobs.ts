import { after, neverAborted, Semaphore, TaskGroup } from '../async';
import { aside, type Call, endedBy, type JobOptions } from '../call';
import { StashError } from '../errors';
import type { Schema } from '../graphql';
import type { JobEvent, JobRecord, StartedJob } from '../records';
import { timing } from '../timing';
import { queueOperation, REMEMBERED, stopOperation } from './documents';
import { followJobs } from './follower';
import { asStopped, bareRecord, JobRecords, recordOf } from './job-records';
import { hasYielded, type JobStart, type PendingStart } from './job-start';
import { QueueWatch } from './queue-watch';
import { isEnd } from './server-job';
import { type Interruptible, Pause } from './pause';
import { JobStarter } from './starter';
import { JobWaiter } from './waiter';
import { type JobSource, JobWatcher } from './watcher';

/** The most messages that wait for jobs at a time without a socket. Two places remain for jobs that others start. */
const MOST_POLLED = REMEMBERED - 2;

export interface JobsOptions extends JobSource {
  /** The most messages that may wait for jobs. */
  maxQueued: number;
}

/** Starts the jobs of a server, waits for them, and reports them. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #watcher: JobWatcher;
  readonly #records: JobRecords;
  readonly #starter: JobStarter;
  readonly #waiter: JobWaiter;
  readonly #polled = new Semaphore(MOST_POLLED);
  readonly #tasks = new TaskGroup();
  #waiting = 0;

  constructor(options: JobsOptions) {
    const { url, request, log } = options;
    this.#options = options;
    this.#watcher = new JobWatcher(options);
    this.#records = new JobRecords(
      () => {
        void this.#watcher.touch();
      },
      (tracked) => this.#watcher.table.startAfter(tracked),
    );
    this.#starter = new JobStarter(this.#watcher, request, () => this.pause);
    this.#waiter = new JobWaiter({ url, watcher: this.#watcher, records: this.#records, log });
  }

  /**
   * Starts a job. If the response is lost but exactly one new job matches, that one is adopted.
   * @throws {StashError} as a mutation; QUEUE_FULL if too many wait, OUTCOME_UNKNOWN if it is unclear which job was started.
   */
  async start(start: JobStart): Promise<StartedJob> {
    return await this.#bounded(start, async (start) => {
      const waiting = AbortSignal.any([start.call.signal, start.call.waiting]);
      let offersJobs = false as boolean;
      const build = (schema: Schema) => {
        offersJobs = schema.has('Query', 'findJob');
        return start.build(schema);
      };
      const pending = await this.#starter.start({ ...start, build }, waiting);
      // Not awaited, because the reply does not depend on it.
      if (offersJobs) void this.#watch(start, this.#interruptible(start, pending));
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
   * @param options returns when and how to report it, which may change. With `reply: 'started'` it resolves soon.
   * @throws {StashError} as `start`; TIMEOUT once the limit has passed.
   * @throws the reason of the call's signals, once one is aborted; the job continues.
   */
  async run(start: JobStart, options: () => JobOptions): Promise<StartedJob | JobRecord> {
    const state = { isSent: false };
    const late = new AbortController();
    const begun = this.pause.time;
    const cancelLimit = afterLimit(
      // A pause does not count.
      () => options().waitLimit + this.pause.time - begun,
      () => {
        late.abort(new Error('The limit has passed.'));
      },
    );
    try {
      return await this.#bounded(start, (start) => {
        const waiting = AbortSignal.any([start.call.signal, start.call.waiting, late.signal]);
        return this.#run(start, { options, waiting, state });
      });
    } catch (error) {
      if (error !== late.signal.reason) throw error;
      // Minutes with two decimals.
      const details = { minutes: Math.round(options().waitLimit / 600) / 100 };
      if (state.isSent) throw new StashError('TIMEOUT.job', { details });
      throw new StashError('TIMEOUT.turn', { details, retry: true });
    } finally {
      cancelLimit();
    }
  }

  async #run(
    start: JobStart,
    {
      options,
      waiting,
      state,
    }: { options: () => JobOptions; waiting: AbortSignal; state: { isSent: boolean } },
  ): Promise<StartedJob | JobRecord> {
    const { call } = start;
    const releases = [this.#watcher.acquire()];
    try {
      await this.#watcher.ready(waiting);
      if (!this.#watcher.isLive) {
        call.report?.({ queue: 'waiting' });
        releases.push(await this.#polled.acquire(waiting));
      }
      const onSent = () => {
        state.isSent = true;
      };
      for (let interrupted = 0; ; interrupted++) {
        const pending = this.#interruptible(start, await this.#starter.start(start, waiting, onSent));
        call.report?.({ queue: 'asking' });
        const remove = this.#offer(start, pending);
        const record = await this.#waiter.wait(start, pending, options, waiting).finally(remove);
        if (record && hasYielded(pending, record.status)) {
          start.onInterrupted?.(record);
          this.pause.enter(call);
          call.report?.({ job: undefined, progress: null });
          state.isSent = false;
          continue;
        }
        const { id, adopted } = pending;
        const about = { ...(adopted && { adopted }), ...(interrupted > 0 && { interrupted }) };
        if (record) {
          if (interrupted > 0) call.report?.({ job: { ...record, ...about }, progress: null });
          return { ...record, ...about };
        }
        // A deploy has changed when to reply.
        void this.#watch(start, pending);
        return { id, status: 'STARTED', ...about };
      }
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
    const { log } = this.#options;
    return followJobs(this.#watcher, this.#records, log, listener);
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

  /** Polls soon, because the server sends no event for a change such as a request to stop a job. */
  requestPoll(): void {
    this.#watcher.requestPoll();
  }

  /** Polls soon although the last polls have failed, because the server has other settings. */
  retry(): void {
    this.#watcher.retry();
  }

  /** Stops all watching, and ends the calls of waiting messages with CLOSED. */
  close(): void {
    this.#watcher.close();
    this.#tasks.close();
  }

  /** Reports a job that was replied to, also after pauses, and remembers which node started it. */
  async #watch(start: JobStart, first: InterruptibleJob): Promise<void> {
    const release = this.#watcher.acquire();
    let pending = first;
    try {
      await this.#tasks.run(neverAborted(), async (signal) => {
        while (await this.#hasYielded(start, pending, signal)) {
          start.call.report?.({ job: undefined, progress: null });
          pending = this.#interruptible(start, await this.#starter.start(start, signal));
        }
      });
    } catch (error) {
      // A job that nobody has stopped goes on all the same.
      if (pending.isInterrupted) this.#reportUnresumed(start, error);
      else if (!(error instanceof StashError)) this.#options.log(String(error));
    } finally {
      this.pause.leave(start.call);
      release();
    }
  }

  /** Reports that a stopped job does not start again, although its message has left. */
  #reportUnresumed({ call, description }: JobStart, error: unknown): void {
    if (error instanceof StashError && error.code !== 'CLOSED') {
      const later = Promise.reject(error);
      call.report?.({ later });
      // The call may take no reports.
      later.catch(() => undefined);
    } else this.#options.log(`${description} was interrupted, and is not started again`);
  }

  /** Reports a job until its end. @returns whether a pause has stopped it. */
  async #hasYielded(start: JobStart, pending: InterruptibleJob, signal: AbortSignal): Promise<boolean> {
    const remove = this.#offer(start, pending);
    try {
      await this.#watcher.ready(signal);
      return hasYielded(pending, await this.#waiter.watch(start, pending, signal));
    } finally {
      remove();
    }
  }

  /** Returns the job with what a pause needs to stop it. */
  #interruptible({ description, call: owner }: JobStart, started: PendingStart): InterruptibleJob {
    const { id, firstSequence } = started;
    const stop = async (call: Call) => {
      const tracked = id === null ? undefined : this.#watcher.table.find(id, firstSequence);
      // Somebody else may be stopping it for good.
      if (tracked && (tracked.outcome !== undefined || tracked.job.status === 'STOPPING')) return undefined;
      pending.isInterrupted = true;
      await this.#options.request({ kind: 'mutation', call, build: () => stopOperation(id) });
      this.#watcher.requestPoll();
      return asStopped(
        tracked ? this.#records.now(tracked) : bareRecord({ id, status: 'RUNNING', description }),
      );
    };
    const pending: InterruptibleJob = { ...started, call: owner, stop };
    return pending;
  }

  /** Lets a pause stop the job, at once if it began before the server had accepted the start. @returns a function to end that. */
  #offer({ isResumable, call }: JobStart, pending: InterruptibleJob): () => void {
    if (!isResumable || pending.id === null) return () => undefined;
    const remove = this.pause.add(pending);
    if (this.pause.interrupts) {
      this.pause.interrupt(pending, aside(call)).catch((error: unknown) => {
        this.#options.log(`a job was not paused, ${String(error)}`);
      });
    }
    return remove;
  }

  /** Runs a task with a call that `close` aborts, too. @throws {StashError} QUEUE_FULL if too many messages wait. */
  async #bounded<T>(start: JobStart, task: (start: JobStart) => Promise<T>): Promise<T> {
    const { call } = start;
    const { maxQueued: count } = this.#options;
    if (this.#waiting >= count) throw new StashError('QUEUE_FULL.jobs', { details: { count }, retry: true });
    this.#waiting++;
    try {
      return await this.#tasks.run(call.signal, async (signal) => {
        const own = endedBy(signal, call);
        this.pause.enter(own);
        return await task({ ...start, call: own }).finally(() => {
          this.pause.leave(own);
        });
      });
    } finally {
      this.#waiting--;
    }
  }
}

/** A job that a pause may stop. */
type InterruptibleJob = PendingStart & Interruptible;

/**
 * Calls `act` once, when a time that may change has passed from this call on. A change counts after some seconds.
 * @param limit returns the time in milliseconds. @returns a function that cancels the call.
 */
function afterLimit(limit: () => number, act: () => void): () => void {
  const start = performance.now();
  let cancel = () => {};
  const check = () => {
    const rest = start + limit() - performance.now();
    if (rest > 0) cancel = after(Math.min(rest, timing.jobs.limitCheck), check);
    else act();
  };
  check();
  return () => {
    cancel();
  };
}
