import type { JobProgress } from '../records';
import { timing } from '../timing';
import type { TrackedJob } from './tracked-job';

/**
 * Filters out progress without news. A remaining time that decreases as expected is no news, nor is one that grows only
 * because the server sends nothing.
 */
export class ProgressFilter {
  #text = '';
  #at = -Infinity;

  /** Returns whether this differs from the last progress that passed; if so, it becomes the last one. */
  changed({ secondsLeft, ...rest }: JobProgress, { job: { status }, heardAt }: TrackedJob): boolean {
    const text = JSON.stringify([status, rest]);
    const now = performance.now();
    const isStale = secondsLeft !== null && now - this.#at >= timing.jobs.staleEstimate && heardAt > this.#at;
    if (text === this.#text && !isStale) return false;
    this.#text = text;
    this.#at = now;
    return true;
  }
}
