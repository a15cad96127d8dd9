import type { HeldChange, WatcherEvent } from './events';
import type { Change } from './job-table';
import type { TrackedJob } from './tracked-job';

/** How many changes are held back at most until the server has been polled. */
const MOST_HELD = 1_000;

/**
 * Passes changes of jobs on. After an interruption it holds starts and ends back until a poll has shown whether jobs
 * were missed before them.
 */
export class ChangeBuffer {
  readonly #tell: (event: WatcherEvent) => void;
  #held: HeldChange[] | undefined;

  constructor(tell: (event: WatcherEvent) => void) {
    this.#tell = tell;
  }

  /** What is held back now. */
  get held(): HeldChange[] {
    return this.#held ?? [];
  }

  /** Holds back from now on, also what another watcher has held back before. */
  hold(before: HeldChange[] = []): void {
    this.#held ??= before;
  }

  /** Forgets what is held back, and holds back no more. */
  clear(): void {
    this.#held = undefined;
  }

  add(change: Change, tracked: TrackedJob): void {
    if (this.#held && (change === 'started' || change === 'ended')) {
      this.#held.push({ change, tracked });
      if (this.#held.length > MOST_HELD) this.release();
    } else this.#tell({ type: change, job: tracked });
  }

  /**
   * Tells what was held back.
   * @param gap goes after the changes of the jobs that were seen before `firstSequence`, and before the others.
   */
  release(gap?: { event: WatcherEvent; firstSequence: number }): void {
    const { held } = this;
    this.clear();
    const tell = ({ change, tracked }: HeldChange) => {
      this.#tell({ type: change, job: tracked });
    };
    const firstSequence = gap?.firstSequence ?? Infinity;
    held.filter(({ tracked }) => tracked.sequence < firstSequence).forEach(tell);
    if (gap) this.#tell(gap.event);
    held.filter(({ tracked }) => tracked.sequence >= firstSequence).forEach(tell);
  }
}
