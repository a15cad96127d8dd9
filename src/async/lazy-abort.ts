/** Forgets a listener. */
export type Forget = () => void;

/**
 * An AbortController that creates its signal only on demand. A signal with a listener takes a kilobyte, and of the thousands
 * of messages in a burst none needs one.
 */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  #listeners: Set<(reason: Error) => void> | undefined;

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
    for (const listener of this.#listeners ?? []) listener(reason as Error);
  }

  /** Calls `listener` with the reason when it is aborted, at once if it is already. */
  onAbort(listener: (reason: Error) => void): Forget {
    if (this.#aborted) {
      listener(this.#aborted.reason as Error);
      return () => undefined;
    }
    const listeners = (this.#listeners ??= new Set());
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }
}
