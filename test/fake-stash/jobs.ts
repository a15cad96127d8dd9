import { setImmediate as soon } from 'node:timers/promises';
import type { Clock } from './clock';
import type { ServerLog } from './server-log';
import type { Quirks } from './quirks';
import { Emitter } from './emitter';

/** The schema has FAILED since v0.26. */
export type JobStatus = 'READY' | 'RUNNING' | 'STOPPING' | 'FINISHED' | 'CANCELLED' | 'FAILED';

/** A job as the server reports it. */
export interface Job {
  readonly id: string;
  readonly description: string;
  readonly addTime: string;
  status: JobStatus;
  subTasks: readonly string[] | null;
  progress: number | null;
  startTime: string | null;
  endTime: string | null;
  error: string | null;
}

/** An event of `jobsSubscribe`. */
export interface JobUpdate {
  readonly type: 'ADD' | 'UPDATE' | 'REMOVE';
  readonly job: Job;
}

/** The work of a job. */
export interface Task {
  readonly description: string;
  /** The subtask until the steps are known. */
  readonly counting?: string;
  /** Whether it never reports a progress, which stays 0. */
  readonly silent?: boolean;
  /** Whether it ends at once when it is stopped, instead of after its step. */
  readonly stopsAtOnce?: boolean;
  /**
   * Begins and returns the steps; without any, the job ends with progress null.
   * @throws {TaskFailure} as a step may do.
   */
  begin(): readonly Step[];
  /** Called at the end, unless the job fails. */
  end?(milliseconds: number, stopped: boolean): void;
}

/** One step of a task. */
export interface Step {
  /** The subtask; most tasks have one. */
  readonly name?: string;
  /** The progress at its end, if that is not its share of the steps. */
  readonly progress?: number;
  /** Called at the end of the step. */
  finish?(): void;
}

/** What a task throws to end early. */
export class TaskFailure extends Error {
  /** The line in the log of a release that reports no texts; the job is then FINISHED. */
  readonly line: string;
  /** Whether the task panics: the job is then FAILED without a text, or the process dies. */
  readonly isPanic: boolean;

  constructor(message: string, { line = message, isPanic = false } = {}) {
    super(message);
    this.line = line;
    this.isPanic = isPanic;
  }

  /** Returns the failure of a task that uses something that is missing. */
  static panic(): TaskFailure {
    return new TaskFailure('runtime error: invalid memory address or nil pointer dereference', {
      isPanic: true,
    });
  }
}

interface JobEnvironment {
  seconds: number;
  /** How much faster than the stated durations time passes. */
  tempo: number;
  clock: Clock;
  serverLog: ServerLog;
  signal: AbortSignal;
  log: (line: string) => void;
  /** Kills the server. */
  crash: () => void;
}

// Stash forgets a job when ten others have finished after it.
const REMEMBERED = 10;

/** The job queue: one job at a time, ids from "1" after each start of the server. */
export class Jobs {
  /** The duration of a job. */
  seconds: number;
  /** While set, a complete job is FAILED with this error, on releases that have FAILED. */
  failure: string | undefined;
  /** While set, a job ends in a panic: FAILED without an error; before v0.17 it kills the server. */
  panics = false;
  /** While set, the UPDATE with a job's start comes after its REMOVE, as on real servers sometimes. */
  lateUpdates = false;
  readonly updates = new Emitter<JobUpdate>();

  #added = 0;
  #held = false;
  #stepTimer: StepTimer | undefined;
  readonly #queue: { job: Job; task: Task }[] = [];
  readonly #ended: Job[] = [];
  readonly #late = new Map<Job, JobUpdate>();
  readonly #environment: JobEnvironment;
  readonly #quirks: Quirks;

  constructor(place: JobEnvironment, quirks: Quirks) {
    this.seconds = place.seconds;
    this.#environment = place;
    this.#quirks = quirks;
  }

  /** Queues a job. Returns its id. */
  add(task: Task): string {
    const job: Job = {
      id: String(++this.#added),
      description: task.description,
      addTime: this.#environment.clock.now(),
      status: 'READY',
      subTasks: null,
      progress: 0,
      startTime: null,
      endTime: null,
      error: null,
    };
    this.#queue.push({ job, task });
    this.#emit('ADD', job);
    if (this.#queue.length === 1) void this.#work();
    return job.id;
  }

  /** READY, RUNNING and STOPPING jobs; null if there are none. */
  get queue(): Job[] | null {
    return this.#queue.length === 0 ? null : this.#queue.map(({ job }) => job);
  }

  find(id: string): Job | null {
    const known = [...this.#queue.map(({ job }) => job), ...this.#ended];
    return known.find((job) => job.id === id) ?? null;
  }

  /** Cancels a queued job at once, or a running one after its step; ignores other jobs. */
  stop(id: string): void {
    const index = this.#queue.findIndex(({ job }) => job.id === id);
    const { job, task } = this.#queue[index] ?? {};
    if (job?.status === 'RUNNING') {
      job.status = 'STOPPING'; // sent with the next UPDATE
      if (task?.stopsAtOnce) this.#stepTimer?.end();
    }
    if (job?.status !== 'READY') return;
    this.#queue.splice(index, 1);
    this.#end(job, 'CANCELLED');
  }

  /**
   * Stops the running job and queued ones, with the defect of Stash: it removes jobs from the queue while it iterates
   * over the queue, and so skips each job that has just moved up.
   */
  stopAll(): void {
    const places = this.#queue.map(({ job }) => job);
    let left = places.length;
    for (const job of places) {
      const waits = job.status === 'READY';
      this.stop(job.id);
      if (waits) places.copyWithin(places.indexOf(job), places.indexOf(job) + 1, left--);
    }
  }

  /** Holds the running job, and those after it, in their current step. */
  hold(): void {
    this.#held = true;
    this.#stepTimer?.pause();
  }

  /** Ends the current step of a held job, which then waits in the next one. */
  async step(): Promise<void> {
    this.#stepTimer?.end();
    await soon();
  }

  /** Releases held jobs; the current step starts over. */
  release(): void {
    this.#held = false;
    this.#stepTimer?.run();
  }

  async #work(): Promise<void> {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const { job, task } = next;
      const startedAt = performance.now();
      let thrown: TaskFailure | undefined;
      try {
        await this.#run(job, task);
      } catch (error) {
        if (this.#environment.signal.aborted) return; // the server has stopped, and its jobs with it
        if (!(error instanceof TaskFailure)) throw error;
        thrown = error;
      }
      const stopped = job.status === 'STOPPING';
      const { failedJobs, failsWithText } = this.#quirks;
      const panics = this.panics || thrown?.isPanic === true;
      if (panics && !failedJobs) {
        // A task that dies at once leaves the server the time to send the response with its id.
        if (thrown) await this.#wait(1).catch(() => undefined);
        if (!this.#environment.signal.aborted) this.#environment.crash();
        return;
      }
      const failure = this.failure ?? (failsWithText ? thrown?.message : undefined);
      const fails = !stopped && failedJobs && (panics || failure !== undefined);
      const panicked = fails && (panics || !failsWithText);
      if (panicked) this.#panic(job);
      else if (!thrown) task.end?.(performance.now() - startedAt, stopped);
      else if (!failsWithText) this.#environment.serverLog.write('Error', thrown.line);
      const error = fails && !panicked ? failure : undefined;
      if (error !== undefined)
        this.#environment.serverLog.write('Error', `task failed due to error: ${error}`);
      job.endTime = this.#environment.clock.now();
      this.#queue.shift();
      this.#end(job, stopped ? 'CANCELLED' : fails ? 'FAILED' : 'FINISHED', error);
    }
  }

  async #run(job: Job, task: Task): Promise<void> {
    Object.assign(job, { status: 'RUNNING', startTime: this.#environment.clock.now() });
    this.#emit('UPDATE', job, this.lateUpdates);
    const report = task.silent ? () => undefined : this.#reporter(job);
    const steps = task.begin();
    const first = this.#quirks.scans === 'walking' || steps.length === 0 ? null : 0;
    report(first, task.counting === undefined ? null : [task.counting]);
    if (steps.length === 0 && this.#held) await this.#wait(1);
    let reached = 0;
    for (const [index, step] of steps.entries()) {
      const subTasks = step.name === undefined ? null : [step.name];
      report(reached, subTasks);
      await this.#wait(steps.length);
      step.finish?.();
      if (job.status === 'STOPPING') return;
      reached = step.progress ?? (index + 1) / steps.length;
      report(reached, subTasks);
      report(reached, null);
      this.#environment.log(`job ${job.id} ${job.description} ${Math.round(reached * 100)} %`);
    }
  }

  /** Waits for the duration of one of `steps` steps. */
  async #wait(steps: number): Promise<void> {
    this.#environment.signal.throwIfAborted();
    const turn = new StepTimer(
      () => (this.seconds * 1000) / steps / this.#environment.tempo,
      this.#environment.signal,
    );
    this.#stepTimer = turn;
    if (!this.#held) turn.run();
    await turn.over;
    this.#stepTimer = undefined;
  }

  /** Returns a function that reports a job's progress, at most as often as the release does. */
  #reporter(job: Job): (progress: number | null, subTasks: readonly string[] | null) => void {
    const updatesEvery = this.#quirks.updatesEvery / this.#environment.tempo;
    let last = -Infinity;
    let timer: NodeJS.Timeout | undefined;
    const tell = () => {
      // One that is late must not tell again.
      clearTimeout(timer);
      timer = undefined;
      last = performance.now();
      // REMOVE reports these. It also reports FAILED, but Stash does not suppress a late UPDATE with FAILED.
      if (job.status !== 'FINISHED' && job.status !== 'CANCELLED') this.#emit('UPDATE', job);
    };
    this.#environment.signal.addEventListener('abort', () => {
      clearTimeout(timer);
    });
    return (progress, subTasks) => {
      Object.assign(job, { progress, subTasks });
      const left = last + updatesEvery - performance.now();
      if (left <= 0) tell();
      else timer ??= setTimeout(tell, left);
    };
  }

  #panic({ id, description }: Job): void {
    const reason = this.failure ?? 'runtime error: invalid memory address or nil pointer dereference';
    this.#environment.serverLog.write('Error', `panic in job ${id} - ${description}: ${reason}`);
    this.#environment.serverLog.write('Error', 'goroutine 97 [running]:\nruntime/debug.Stack()');
  }

  #end(job: Job, status: 'FINISHED' | 'CANCELLED' | 'FAILED', error: string | null = null): void {
    Object.assign(job, { status, error, subTasks: null });
    this.#ended.push(job);
    if (this.#ended.length > REMEMBERED) this.#ended.shift();
    this.#emit('REMOVE', job);
    const late = this.#late.get(job);
    this.#late.delete(job);
    if (late) this.updates.emit(late);
    this.#environment.log(`job ${job.id} ${job.description} ${status.toLowerCase()}`);
  }

  #emit(type: JobUpdate['type'], job: Job, late = false): void {
    const update = { type, job: { ...job } };
    if (late) this.#late.set(job, update);
    else this.updates.emit(update);
  }
}

/** The timer of a step, which can pause. */
class StepTimer {
  readonly over: Promise<void>;
  #end: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #milliseconds: () => number;

  constructor(milliseconds: () => number, signal: AbortSignal) {
    this.#milliseconds = milliseconds;
    this.over = new Promise((resolve, reject) => {
      const fail = () => {
        this.pause();
        reject(signal.reason as Error);
      };
      this.#end = () => {
        signal.removeEventListener('abort', fail);
        resolve();
      };
      signal.addEventListener('abort', fail, { once: true });
    });
  }

  run(): void {
    this.pause();
    this.#timer = setTimeout(() => {
      this.end();
    }, this.#milliseconds());
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.pause();
    this.#end();
  }
}
