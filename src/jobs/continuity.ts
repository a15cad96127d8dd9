import { timing } from '../timing';

/**
 * What is known of the jobs of a server; docs/architecture.md draws it.
 *
 * - `unknown`: nothing was polled yet.
 * - `current`: all changes until `at` are known.
 * - `interrupted`: a poll has failed or the socket is broken, so changes since `from` may be missed. Only the success of a poll that was
 *   sent after that ends it.
 */
type Knowledge =
  | { readonly is: 'unknown' }
  | { readonly is: 'current'; readonly at: Date; readonly freshAt: number }
  | { readonly is: 'interrupted'; from: Date | undefined };

/** Keeps track of whether all changes of a server's jobs are known, or some may have been missed. */
export class Continuity {
  #knowledge: Knowledge = { is: 'unknown' };

  get knowledge(): Knowledge {
    return this.#knowledge;
  }

  /** When all changes were last known; undefined before the first poll. */
  get confirmedAt(): Date | undefined {
    const { is } = this.#knowledge;
    if (is === 'unknown') return undefined;
    return is === 'current' ? this.#knowledge.at : this.#knowledge.from;
  }

  /** Whether a poll or an event confirmed the state in the last second, with no interruption since. */
  get isFresh(): boolean {
    const known = this.#knowledge;
    return known.is === 'current' && performance.now() - known.freshAt < timing.jobs.pollInterval;
  }

  get isInterrupted(): boolean {
    return this.#knowledge.is === 'interrupted';
  }

  /** Discards everything, as when watching ends. */
  reset(): void {
    this.#knowledge = { is: 'unknown' };
  }

  /** Changes may be missed until the next poll. @returns whether that is new. */
  interrupt(): boolean {
    const wasInterrupted = this.isInterrupted;
    this.#knowledge = { is: 'interrupted', from: this.confirmedAt };
    return !wasInterrupted;
  }

  /** An event has told of the last change. It ends no interruption. */
  confirm(): void {
    if (this.#knowledge.is === 'interrupted') this.#knowledge.from = new Date();
    else this.#knowledge = { is: 'current', at: new Date(), freshAt: performance.now() };
  }

  /**
   * A poll has succeeded.
   * @param before what was known when it was sent.
   * @returns whether it has ended an interruption.
   */
  succeed(before: Knowledge): boolean {
    const known = this.#knowledge;
    if (known.is === 'interrupted' && known !== before) return false;
    this.#knowledge = { is: 'current', at: new Date(), freshAt: performance.now() };
    return known.is === 'interrupted';
  }
}
