import type { StashError } from '../errors';
import type { JobProgress, JobRecord } from '../records';
import { STALLED_AFTER } from './follower';
import { starterOf } from './started-by';
import { ProgressFilter, type TrackedJob } from './tracked-job';
import type { JobWaiterOptions } from './waiter';

export interface QueuedJob {
  job: JobRecord;
  /** Null for a job that waits. The remaining time was estimated at `estimatedAt`. */
  progress: JobProgress | null;
  /** In milliseconds since 1970. */
  estimatedAt: number;
  /** The ID of the node that started it, in the editor; null if that is unknown. */
  startedBy: string | null;
}

/** Progress as it was shown last, and since when. */
interface ShownProgress {
  filter: ProgressFilter;
  progress: JobProgress;
  at: number;
}

/** Watches the queue of a server, for somebody who has it on the screen. */
export class QueueWatch {
  readonly #options: Omit<JobWaiterOptions, 'log'>;
  readonly #end: (() => void)[];
  #shown = new WeakMap<TrackedJob, ShownProgress>();
  /** Whether a poll has shown the queue since the watcher began. */
  #isPolled: boolean;

  constructor(options: Omit<JobWaiterOptions, 'log'>) {
    const { watcher } = options;
    this.#options = options;
    this.#isPolled = watcher.hasBegun;
    const unlisten = watcher.listen(({ type }) => {
      if (type === 'polled') this.#isPolled = true;
      // Estimates begin again after an interruption.
      if (type === 'unreachable') this.#shown = new WeakMap();
    });
    this.#end = [unlisten, watcher.acquire(0)];
  }

  /** Resolves when the queue is known, or cannot be, or `signal` is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.#isPolled) await this.#options.watcher.ready(signal).catch(() => undefined);
  }

  /**
   * Returns the first jobs that run or wait, null while they are unknown, and why a request for them has failed.
   * @param atMost the most jobs to describe; `count` is the number of all.
   */
  view(atMost: number): { jobs: QueuedJob[] | null; count: number; failure: StashError | undefined } {
    const { failure, table } = this.#options.watcher;
    const { open } = table;
    const isKnown = this.#isPolled && !failure;
    const jobs = isKnown ? open.slice(0, atMost).map((tracked) => this.#describe(tracked)) : null;
    return { jobs, count: open.length, failure };
  }

  end(): void {
    for (const end of this.#end.splice(0)) end();
  }

  #describe(tracked: TrackedJob): QueuedJob {
    const { url, records } = this.#options;
    const { progress, at } = tracked.isRunning ? this.#progressOf(tracked) : { progress: null, at: 0 };
    return { job: records.now(tracked), progress, estimatedAt: at, startedBy: starterOf(url, tracked.job) };
  }

  /** Returns the progress with the last estimate that differs. */
  #progressOf(tracked: TrackedJob): ShownProgress {
    const progress = tracked.progress(STALLED_AFTER);
    const shown = this.#shown.get(tracked);
    const filter = shown?.filter ?? new ProgressFilter();
    const isNew = filter.changed(progress, tracked);
    if (shown && !isNew) return shown;
    const now = { filter, progress, at: Date.now() };
    this.#shown.set(tracked, now);
    return now;
  }
}
