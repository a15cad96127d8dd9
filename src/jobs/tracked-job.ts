import { type JobProgress, type JobStatus, openStatuses } from '../records';
import { timing } from '../timing';
import type { LogCollector } from './log-collector';
import { isEnd, type ServerJob } from './server-job';

/** The number of progress samples to keep. */
const MOST_SAMPLES = 24;

/** A job, from its first appearance to its end. */
export class TrackedJob {
  /** Unique, also among jobs with the same ID from before a restart of the server. */
  readonly key: string;
  /** The ID as a number. */
  readonly number: number;
  /** The number of jobs that were seen before it. */
  readonly sequence: number;
  /** The log that was received when the job started; undefined if there was none. */
  readonly log: LogCollector | undefined;
  job: ServerJob;
  /** Its final status; undefined until it has ended. */
  outcome: JobStatus | undefined;
  announced = false;
  /** When its last values came, by `performance.now()`. */
  updatedAt = performance.now();
  #movedAt = performance.now();
  #samples: { at: number; progress: number }[] = [];

  constructor(job: ServerJob, sequence: number, log: LogCollector | undefined) {
    this.key = jobKey(job);
    this.number = Number(job.id);
    this.sequence = sequence;
    this.log = log;
    this.job = job;
    this.#sample();
  }

  /** Applies newer values. Responses and events may arrive in another order than the server sent them. */
  update(job: ServerJob): void {
    const { status, progress, subTasks } = this.job;
    if (openStatuses.indexOf(job.status) < openStatuses.indexOf(status) && !isEnd(job.status)) return;
    const moved =
      job.status !== status || job.progress !== progress || String(job.subTasks) !== String(subTasks);
    this.updatedAt = performance.now();
    if (moved) this.#movedAt = this.updatedAt;
    this.job = job;
    this.#sample();
  }

  /** Ends the job. Further calls have no effect. */
  end(outcome: JobStatus): void {
    this.outcome ??= outcome;
  }

  /** Restarts the estimate after an interruption. */
  resume(): void {
    this.#samples = [];
    this.#sample();
  }

  /** Whether it runs or is stopping. */
  get isRunning(): boolean {
    return this.outcome === undefined && this.job.status !== 'READY';
  }

  /** Whether it has ever run: not if it was cancelled while it waited. */
  get hasRun(): boolean {
    const { status, startTime } = this.job;
    return status !== 'READY' && (startTime !== null || !isEnd(status));
  }

  /** Returns its progress. @param stalledAfter milliseconds without a change after which it is stalled. */
  progress(stalledAfter: number): JobProgress {
    const { progress, subTasks } = this.job;
    return {
      percent: progress === null ? null : Math.floor(Math.min(Math.max(progress, 0), 1) * 100),
      task: subTasks?.[0] ?? null,
      secondsLeft: this.#secondsLeft,
      stalled: this.isRunning && performance.now() - this.#movedAt >= stalledAfter,
    };
  }

  /** The remaining seconds at the pace of the last two minutes. */
  get #secondsLeft(): number | null {
    const { progress, status } = this.job;
    const [first] = this.#samples;
    // A stopping job ends before it reaches 100 %.
    if (progress === null || !first || status === 'STOPPING') return null;
    const elapsed = performance.now() - first.at;
    const done = progress - first.progress;
    if (elapsed < timing.jobs.progressSample || done <= 0) return null;
    return Math.round((elapsed * (1 - progress)) / done / 1000);
  }

  #sample(): void {
    const { progress } = this.job;
    const last = this.#samples.at(-1);
    if (progress === null || !this.isRunning) return;
    // A job may start to count again from 0.
    if (last && progress < last.progress) this.#samples = [];
    const at = performance.now();
    if (last && at - last.at < timing.jobs.progressSample && this.#samples.length > 0) return;
    this.#samples.push({ at, progress });
    if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
  }
}

/** Returns a unique key for a job: IDs begin at 1 again after a restart of the server. */
export function jobKey({ id, addTime }: Pick<ServerJob, 'id' | 'addTime'>): string {
  return `${id} ${addTime}`;
}

/**
 * Filters out progress without a change. A remaining time that decreases as expected is none, nor is one that grows only
 * because the server sends nothing.
 */
export class ProgressFilter {
  #text = '';
  #at = -Infinity;

  /** Returns whether this differs from the last progress that passed; if so, it becomes the last one. */
  changed(
    { secondsLeft, ...rest }: JobProgress,
    { job: { status }, updatedAt: receivedAt }: TrackedJob,
  ): boolean {
    const text = JSON.stringify([status, rest]);
    const now = performance.now();
    const isStale =
      secondsLeft !== null && now - this.#at >= timing.jobs.staleEstimate && receivedAt > this.#at;
    if (text === this.#text && !isStale) return false;
    this.#text = text;
    this.#at = now;
    return true;
  }
}
