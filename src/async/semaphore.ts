import { untilAborted } from './abort';

/** Some places, for which those who come wait in a line. */
export class Semaphore {
  readonly #permits: number;
  #taken = 0;
  /** In the order in which they came; a Set, since those who give up leave it from anywhere. */
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#permits = most;
  }

  /** Takes a place if there is one. @returns what leaves it. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.#permits) return undefined;
    this.#taken++;
    return this.#release;
  }

  /**
   * Resolves when there is a place, with what leaves it.
   * @throws the signal's reason once it is aborted.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const free = this.tryAcquire();
    if (free) return free;
    let come!: () => void;
    const turn = new Promise<void>((resolve) => {
      come = resolve;
    });
    this.#waiting.add(come);
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      if (!this.#waiting.delete(come)) this.#release();
      throw error;
    }
    return this.#release;
  }

  readonly #release = () => {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#taken--;
  };
}
