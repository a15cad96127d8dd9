/** Passes values to its listeners, synchronously and in their order. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  emit(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  /** Adds a listener until the signal is aborted. */
  listen(listener: (value: T) => void, signal: AbortSignal): void {
    const own = (value: T) => {
      listener(value);
    };
    this.#listeners.add(own);
    signal.addEventListener('abort', () => this.#listeners.delete(own), { once: true });
  }
}
