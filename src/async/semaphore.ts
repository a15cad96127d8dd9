import { untilAborted } from './abort';

/** Some permits, for which those who come wait in a line: first in, first out. */
export class Semaphore {
  readonly #permits: number;
  #taken = 0;
  /** In the order in which they came; a Set, since those who give up leave it from anywhere. */
  readonly #waiting = new Set<() => void>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Whether all permits are free. */
  get isIdle(): boolean {
    return this.#taken === 0;
  }

  /** Takes a permit if one is free. @returns a function that releases it. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.#permits) return undefined;
    this.#taken++;
    return this.#release;
  }

  /**
   * Waits for a permit. @returns a function that releases it.
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
