import type { JobProgress, JobStatus } from '../records';
import { timing } from '../timing';
import type { Connection } from './live-connection';
import { isEnd, type ServerJob } from './server-job';

/** How many samples of the progress are kept. */
const MOST_SAMPLES = 24;
/** In the order in which a job has them. */
const STATUSES = ['READY', 'RUNNING', 'STOPPING'];

/** One job, from the first time it was seen to its end. */
export class TrackedJob {
  /** Tells it from all others, also from those of the same id before the server was restarted. */
  readonly key: string;
  /** Its id as a number; 0 in the one slot, where there is none. */
  readonly number: number;
  /** Counts the jobs that were seen before it. */
  readonly sequence: number;
  /** The connection over which the log was followed since the job started; undefined if there was none. */
  readonly logged: Connection | undefined;
  job: ServerJob;
  /** How it ended; undefined until then. */
  outcome: JobStatus | undefined;
  /** Whether it was told that it has started. */
  announced = false;
  readonly #firstSeen = performance.now();
  #heardAt = performance.now();
  #movedAt = performance.now();
  #endedAt: number | undefined;
  #samples: { at: number; progress: number }[] = [];

  constructor(job: ServerJob, sequence: number, logged: Connection | undefined) {
    this.key = job.id === '' ? `slot ${sequence}` : keyOf(job);
    this.number = Number(job.id);
    this.sequence = sequence;
    this.logged = logged;
    this.job = job;
    this.#sample();
  }

  /** Takes what is newer; answers and events may overtake each other. */
  update(job: ServerJob): void {
    const { status, progress, subTasks } = this.job;
    if (STATUSES.indexOf(job.status) < STATUSES.indexOf(status) && !isEnd(job.status)) return;
    const moved =
      job.status !== status || job.progress !== progress || String(job.subTasks) !== String(subTasks);
    this.#heardAt = performance.now();
    if (moved) this.#movedAt = this.#heardAt;
    this.job = job;
    this.#sample();
  }

  /** Notes the end. Only the first call counts. */
  end(outcome: JobStatus): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    this.#endedAt = performance.now();
  }

  /** Starts the estimate again, after a time without news of the job. */
  resume(): void {
    this.#samples = [];
    this.#sample();
  }

  /** Whether it runs, or is being stopped. */
  get isRunning(): boolean {
    return this.outcome === undefined && this.job.status !== 'READY';
  }

  /** Whether it has begun to run, as one has not that was cancelled while it waited. */
  get hasRun(): boolean {
    const { status, startTime } = this.job;
    return status !== 'READY' && (startTime !== null || !isEnd(status));
  }

  /** When the server told of it last, by `performance.now()`. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** From when it was seen to its end, as this machine measured it. */
  get secondsSeen(): number {
    return Math.round((this.#endedAt ?? performance.now()) - this.#firstSeen) / 1000;
  }

  /** Returns how far the job is. @param stalledAfter milliseconds without a change after which it is stalled. */
  progress(stalledAfter: number): JobProgress {
    const { progress, subTasks } = this.job;
    return {
      percent: progress === null ? null : Math.floor(Math.min(Math.max(progress, 0), 1) * 100),
      task: subTasks?.[0] ?? null,
      secondsLeft: this.#secondsLeft,
      stalled: this.isRunning && performance.now() - this.#movedAt >= stalledAfter,
    };
  }

  /** At the pace of the last two minutes. */
  get #secondsLeft(): number | null {
    const { progress, status } = this.job;
    const [first] = this.#samples;
    // One that is being stopped ends long before it is done.
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
    // A job may begin anew with what it counts.
    if (last && progress < last.progress) this.#samples = [];
    const at = performance.now();
    if (last && at - last.at < timing.jobs.progressSample && this.#samples.length > 0) return;
    this.#samples.push({ at, progress });
    if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
  }
}

/** What tells a job from all others: ids begin at 1 again when the server is restarted. */
export function keyOf({ id, addTime }: ServerJob): string {
  return `${id} ${addTime}`;
}
