import type { JobEvent } from '../records';
import type { JobChange, OrderedChange } from './job-table';

/** An event that a watcher sends to its listeners. */
export type WatcherEvent =
  | JobChange
  /** A poll was answered. `unknown` has the tracked ids that the server no longer knows. */
  | { type: 'polled'; unknown: ReadonlySet<string> }
  /** A poll has failed. */
  | { type: 'pollFailed' }
  /** A second has passed while the server was not away. */
  | { type: 'tick' }
  /** The server is away; no `tick` follows until it is back. */
  | { type: 'away' }
  /** `failed`: polls fail until the user fixes the cause, such as wrong credentials. */
  | Extract<JobEvent, { type: 'gap' | 'failed' }>;

/** An event that a subscription to all jobs must not miss, not even during a deploy. */
export type EssentialEvent = Extract<WatcherEvent, { type: 'started' | 'ended' | 'gap' }>;

/** Whether an event is essential. */
export function isEssential(event: WatcherEvent): event is EssentialEvent {
  return ['started', 'ended', 'gap'].includes(event.type);
}

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
