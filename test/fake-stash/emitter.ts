/** Tells whoever listens, at once and one after another. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  emit(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  /** Listens until the signal is aborted. */
  listen(listener: (value: T) => void, signal: AbortSignal): void {
    const own = (value: T) => {
      listener(value);
    };
    this.#listeners.add(own);
    signal.addEventListener('abort', () => this.#listeners.delete(own), { once: true });
  }
}
