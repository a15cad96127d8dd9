import type { WatcherEvent } from './events';
import type { JobChange, OrderedChange } from './job-table';

/** The most changes to hold back until the next poll. */
const MOST_HELD = 1_000;

/**
 * Passes on changes of jobs. After an interruption, it holds back starts and ends until a poll has shown whether earlier
 * ones were missed.
 */
export class ChangeBuffer {
  readonly #tell: (event: WatcherEvent) => void;
  #held: OrderedChange[] | undefined;

  constructor(tell: (event: WatcherEvent) => void) {
    this.#tell = tell;
  }

  /** The changes that are held back. */
  get held(): OrderedChange[] {
    return this.#held ?? [];
  }

  /** Holds starts and ends back until `release`, after those in `before`, which an earlier watcher left. */
  hold(before: OrderedChange[] = []): void {
    this.#held ??= before;
  }

  /** Discards the changes that are held back, and stops holding back. */
  clear(): void {
    this.#held = undefined;
  }

  /** Passes on a change, or holds it back. */
  add(change: JobChange): void {
    if (this.#held && (change.type === 'started' || change.type === 'ended')) {
      this.#held.push(change);
      if (this.#held.length > MOST_HELD) this.release();
    } else this.#tell(change);
  }

  /**
   * Passes on the changes that were held back.
   * @param gap an event to insert after the changes of jobs seen before `firstSequence`.
   */
  release(gap?: { event: WatcherEvent; firstSequence: number }): void {
    const { held } = this;
    this.clear();
    const firstSequence = gap?.firstSequence ?? Infinity;
    held.filter(({ tracked }) => tracked.sequence < firstSequence).forEach(this.#tell);
    if (gap) this.#tell(gap.event);
    held.filter(({ tracked }) => tracked.sequence >= firstSequence).forEach(this.#tell);
  }
}
