import { timing } from '../timing';

/**
 * Whether all changes of the jobs of a server are known; docs/architecture.md draws it.
 *
 * - `unknown`: nothing was polled yet.
 * - `current`: all changes until `at` are known.
 * - `interrupted`: a poll has failed or the socket is broken, so changes since `from` may be missed. Only the success of a poll that was
 *   sent after that ends it.
 */
type ContinuityState =
  | { readonly is: 'unknown' }
  | { readonly is: 'current'; readonly at: Date; readonly freshAt: number }
  | { readonly is: 'interrupted'; from: Date | undefined };

/** Keeps track of whether all changes of a server's jobs are known, or some may have been missed. */
export class Continuity {
  state: ContinuityState = { is: 'unknown' };

  /** When all changes were last known; undefined before the first poll. */
  get confirmedAt(): Date | undefined {
    const { is } = this.state;
    if (is === 'unknown') return undefined;
    return is === 'current' ? this.state.at : this.state.from;
  }

  /** Whether a poll or an event confirmed the state in the last second, with no interruption since. */
  get isFresh(): boolean {
    const state = this.state;
    return state.is === 'current' && performance.now() - state.freshAt < timing.jobs.pollInterval;
  }

  get isInterrupted(): boolean {
    return this.state.is === 'interrupted';
  }

  /** Discards everything, as when watching ends. */
  reset(): void {
    this.state = { is: 'unknown' };
  }

  /** Changes may be missed until the next poll. @returns whether that is new. */
  interrupt(): boolean {
    const wasInterrupted = this.isInterrupted;
    this.state = { is: 'interrupted', from: this.confirmedAt };
    return !wasInterrupted;
  }

  /** An event has reported the last change. It ends no interruption. */
  confirm(): void {
    if (this.state.is === 'interrupted') this.state.from = new Date();
    else this.state = { is: 'current', at: new Date(), freshAt: performance.now() };
  }

  /** The socket was alive at a time, so all changes until then are known. It ends no interruption. */
  extend(to: Date): void {
    const { state, confirmedAt } = this;
    if (!confirmedAt || to < confirmedAt) return;
    if (state.is === 'interrupted') state.from = to;
    else if (state.is === 'current') this.state = { ...state, at: to };
  }

  /**
   * A poll has succeeded.
   * @param before the state when it was sent.
   * @returns whether it has ended an interruption.
   */
  succeed(before: ContinuityState): boolean {
    const state = this.state;
    if (state.is === 'interrupted' && state !== before) return false;
    this.state = { is: 'current', at: new Date(), freshAt: performance.now() };
    return state.is === 'interrupted';
  }
}
