/**
 * Sends events to several listeners. A listener that throws is only reported: the caller of `emit` may be a timer or a socket,
 * where an uncaught error ends Node-RED.
 */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #report: (line: string) => void;

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /**
   * A listener that is added twice is called twice.
   * @returns a function that removes it.
   */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      shielded(() => listener(event), this.#report);
    }
  }
}

/** Runs `task`. Reports what it throws in one line, and then returns undefined. */
export function shielded<T>(task: () => T, report: (line: string) => void): T | undefined {
  try {
    return task();
  } catch (error) {
    report(`a listener failed, ${error instanceof Error ? `${error.name}: ${error.message}` : typeof error}`);
    return undefined;
  }
}
