import type { Stopping } from '../call';

type Listener = (reason: Error) => void;

/**
 * An AbortController that creates its signal, and a list of listeners, only on demand. A signal with a listener takes a
 * kilobyte, and of the thousands of messages in a burst none needs one.
 */
export class LazyAbort implements Stopping {
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  #listeners: Listener | Set<Listener> | undefined;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal. Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    if (listeners instanceof Set) for (const listener of listeners) listener(reason as Error);
    else listeners?.(reason as Error);
  }

  /** Calls `listener` with the reason when it is aborted, at once if it is already. */
  onAbort(listener: Listener): void {
    const listeners = this.#listeners;
    if (this.#aborted) listener(this.#aborted.reason as Error);
    else if (listeners instanceof Set) listeners.add(listener);
    else this.#listeners = listeners ? new Set([listeners, listener]) : listener;
  }

  /** Forgets a listener of `onAbort`. */
  forget(listener: Listener): void {
    if (this.#listeners instanceof Set) this.#listeners.delete(listener);
    else if (this.#listeners === listener) this.#listeners = undefined;
  }
}
