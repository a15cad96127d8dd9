/**
 * Tells several listeners of events. One that throws is reported: it neither keeps the others from hearing nor reaches
 * whoever tells, which may be a timer or a socket, where an error that nobody catches ends Node-RED.
 */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #report: (line: string) => void;

  /** @param report takes one line about a listener that has thrown. */
  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** @returns what ends it. */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event) => {
      listener(event);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  tell(event: Event): void {
    for (const listener of this.#listeners) {
      shielded(() => {
        listener(event);
      }, this.#report);
    }
  }
}

/** Runs what must not throw; what it throws all the same is reported in one line, and gives undefined. */
export function shielded<T>(task: () => T, report: (line: string) => void): T | undefined {
  try {
    return task();
  } catch (error) {
    report(`a listener failed, ${error instanceof Error ? `${error.name}: ${error.message}` : typeof error}`);
    return undefined;
  }
}
