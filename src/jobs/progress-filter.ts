import type { JobProgress } from '../records';
import { timing } from '../timing';
import type { TrackedJob } from './tracked-job';

/**
 * Passes only what is news about the progress of a job. Neither a time left that runs down as expected is news, nor one
 * that grows only because the server sends nothing.
 */
export class ProgressFilter {
  #text = '';
  #at = -Infinity;

  /** Whether this differs from what was passed last; then it counts as passed. */
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
