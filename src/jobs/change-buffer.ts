import type { WatcherEvent } from './events';
import type { JobChange, OrderedChange } from './job-table';

/** How many changes are held back at most until the server has been polled. */
const MOST_HELD = 1_000;

/**
 * Passes changes of jobs on. After an interruption it holds starts and ends back until a poll has shown whether jobs
 * were missed before them.
 */
export class ChangeBuffer {
  readonly #tell: (event: WatcherEvent) => void;
  #held: OrderedChange[] | undefined;

  constructor(tell: (event: WatcherEvent) => void) {
    this.#tell = tell;
  }

  /** What is held back now. */
  get held(): OrderedChange[] {
    return this.#held ?? [];
  }

  /** Holds starts and ends back until `release`, after those in `before`, which an earlier watcher left. */
  hold(before: OrderedChange[] = []): void {
    this.#held ??= before;
  }

  /** Forgets what is held back, and holds back no more. */
  clear(): void {
    this.#held = undefined;
  }

  /** Tells a change, or holds it back. */
  add(change: JobChange): void {
    if (this.#held && (change.type === 'started' || change.type === 'ended')) {
      this.#held.push(change);
      if (this.#held.length > MOST_HELD) this.release();
    } else this.#tell(change);
  }

  /**
   * Tells what was held back.
   * @param gap goes after the changes of the jobs that were seen before `firstSequence`, and before the others.
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
