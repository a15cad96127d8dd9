import { setTimeout as sleep } from 'node:timers/promises';
import type { Habits } from './releases';

/** FAILED and `error` are known to v0.26 and later. */
export type JobStatus = 'READY' | 'RUNNING' | 'STOPPING' | 'FINISHED' | 'CANCELLED' | 'FAILED';

/** A job as the real server tells of it. */
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

interface Pace {
  seconds: number;
  signal: AbortSignal;
  log: (line: string) => void;
}

// The real server forgets a job when ten further ones have ended.
const REMEMBERED = 10;

/** The job queue: one job at a time, ids from "1" after every start. */
export class Jobs {
  /** While this is set, a job that runs to its end is FAILED with this text, where a release knows that. */
  failure: string | undefined;

  #added = 0;
  #stopsNext = false;
  readonly #queue: { job: Job; steps: readonly string[] }[] = [];
  readonly #ended: Job[] = [];
  readonly #pace: Pace;
  readonly #habits: Habits;

  constructor(pace: Pace, habits: Habits) {
    this.#pace = pace;
    this.#habits = habits;
  }

  /** Queues a job of some steps; one without steps has nothing to do and ends with progress null. */
  add(description: string, steps: readonly string[]): string {
    const job: Job = {
      id: String(++this.#added),
      description,
      addTime: now(),
      status: 'READY',
      subTasks: null,
      progress: 0,
      startTime: null,
      endTime: null,
      error: null,
    };
    this.#queue.push({ job, steps });
    if (this.#queue.length === 1) void this.#work();
    return job.id;
  }

  /** READY, RUNNING and STOPPING jobs; null when idle, as the real server says it. */
  get queue(): Job[] | null {
    return this.#queue.length === 0 ? null : this.#queue.map(({ job }) => job);
  }

  find(id: string): Job | null {
    const known = [...this.#queue.map(({ job }) => job), ...this.#ended];
    return known.find((job) => job.id === id) ?? null;
  }

  /** A queued job is cancelled at once, a running one when its step is done; others are left alone. */
  stop(id: string): void {
    const index = this.#queue.findIndex(({ job }) => job.id === id);
    const job = this.#queue[index]?.job;
    if (job?.status === 'RUNNING') job.status = 'STOPPING';
    if (job?.status !== 'READY') return;
    this.#queue.splice(index, 1);
    this.#end(job, 'CANCELLED');
  }

  /** Stops whatever runs; while nothing does, the job that comes next, as before v0.8. */
  stopRunning(): void {
    const running = this.#queue[0]?.job;
    if (running) this.stop(running.id);
    else this.#stopsNext = true;
  }

  /** The one slot that there was before v0.8, as those releases tell of it. */
  get slot() {
    const running = this.#queue[0]?.job;
    if (!running) return { progress: -1, status: 'Idle', message: '' };
    const status = { 'Scanning...': 'Scan', 'Generating...': 'Generate' }[running.description];
    return { progress: running.progress ?? -1, status: status ?? running.description, message: '' };
  }

  async #work(): Promise<void> {
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const { job, steps } = next;
      try {
        await this.#run(job, steps);
      } catch (error) {
        if (this.#pace.signal.aborted) return; // the server went away, and its jobs with it
        throw error;
      }
      this.#queue.shift();
      job.endTime = now();
      if (job.status === 'STOPPING') this.#end(job, 'CANCELLED');
      else if (this.failure === undefined || !this.#habits.failedJobs) this.#end(job, 'FINISHED');
      else this.#end(job, 'FAILED', this.failure);
    }
  }

  async #run(job: Job, steps: readonly string[]): Promise<void> {
    const { seconds, signal } = this.#pace;
    const status = this.#stopsNext ? 'STOPPING' : 'RUNNING';
    this.#stopsNext = false;
    Object.assign(job, { status, startTime: now(), progress: null });
    for (const [index, step] of steps.entries()) {
      job.subTasks = [step];
      await sleep((seconds * 1000) / steps.length, undefined, { signal });
      if (job.status === 'STOPPING') return;
      job.progress = (index + 1) / steps.length;
      this.#pace.log(`job ${job.id} ${job.description} ${Math.round(job.progress * 100)} %`);
    }
  }

  #end(job: Job, status: 'FINISHED' | 'CANCELLED' | 'FAILED', error: string | null = null): void {
    Object.assign(job, { status, error, subTasks: null });
    this.#ended.push(job);
    if (this.#ended.length > REMEMBERED) this.#ended.shift();
    this.#pace.log(`job ${job.id} ${job.description} ${status.toLowerCase()}`);
  }
}

function now(): string {
  return new Date().toISOString();
}
