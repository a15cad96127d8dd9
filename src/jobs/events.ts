import type { JobEvent } from '../records';
import type { JobChange, OrderedChange } from './job-table';

/** An event that a watcher sends to its listeners. */
export type WatcherEvent =
  | JobChange
  /** A poll was answered. `unknown` has the tracked ids that the server no longer knows. */
  | { type: 'polled'; unknown: ReadonlySet<string> }
  /** A poll has failed. */
  | { type: 'pollFailed' }
  /** A second has passed while the server was reachable. */
  | { type: 'tick' }
  /** The server is unreachable; no `tick` follows until it is back. */
  | { type: 'unreachable' }
  /** `failed`: polls fail until the user fixes the cause, such as wrong credentials. */
  | Extract<JobEvent, { type: 'gap' | 'failed' }>;

/** The most changes to buffer until the next poll. */
const MOST_BUFFERED = 1_000;

/**
 * Passes on changes of jobs. After an interruption, it buffers starts and ends until a poll has shown whether earlier
 * ones were missed.
 */
export class ChangeBuffer {
  readonly #emit: (event: WatcherEvent) => void;
  #buffered: OrderedChange[] | undefined;

  constructor(emit: (event: WatcherEvent) => void) {
    this.#emit = emit;
  }

  /** Buffers starts and ends until `release`. */
  buffer(): void {
    this.#buffered ??= [];
  }

  /** Discards the buffered changes, and buffers no more. */
  clear(): void {
    this.#buffered = undefined;
  }

  /** Passes on a change, or buffers it. */
  add(change: JobChange): void {
    if (this.#buffered && (change.type === 'started' || change.type === 'ended')) {
      this.#buffered.push(change);
      if (this.#buffered.length > MOST_BUFFERED) this.release();
    } else this.#emit(change);
  }

  /**
   * Passes on the buffered changes.
   * @param gap an event to insert after the changes of jobs seen before `firstSequence`.
   */
  release(gap?: { event: WatcherEvent; firstSequence: number }): void {
    const buffered = this.#buffered ?? [];
    this.clear();
    const firstSequence = gap?.firstSequence ?? Infinity;
    buffered.filter(({ tracked }) => tracked.sequence < firstSequence).forEach(this.#emit);
    if (gap) this.#emit(gap.event);
    buffered.filter(({ tracked }) => tracked.sequence >= firstSequence).forEach(this.#emit);
  }
}
