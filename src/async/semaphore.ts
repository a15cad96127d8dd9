import { untilAborted } from './abort';

/** Limits the number of holders at a time; the others wait, first in, first out. */
export class Semaphore {
  readonly #permits: number;
  #taken = 0;
  /** A Set, because an aborted caller leaves from any position. */
  readonly #waiting = new Set<(release: () => void) => void>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  get isIdle(): boolean {
    return this.#taken === 0;
  }

  /** How many wait for a permit. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns a function that gives the permit back, to be called once; undefined if none is free. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.#permits) return undefined;
    this.#taken++;
    return this.#release;
  }

  /** @returns a function that gives the permit back; call it once. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    let leave!: () => boolean;
    const turn = new Promise<() => void>((resolve) => {
      leave = this.whenFree(resolve);
    });
    try {
      return await untilAborted(turn, signal);
    } catch (error) {
      // Already admitted: the permit goes to the next one.
      if (!leave()) this.#release();
      throw error;
    }
  }

  /**
   * Calls `admit` when a permit is free, or at once. It makes no promise, because each of thousands of waiting requests would
   * pay for one.
   * @param admit gets a function that gives the permit back; call it once.
   * @returns a function that gives up the wait, and returns whether it waited.
   */
  whenFree(admit: (release: () => void) => void): () => boolean {
    const free = this.tryAcquire();
    if (free) admit(free);
    else this.#waiting.add(admit);
    return () => this.#waiting.delete(admit);
  }

  readonly #release = () => {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next(this.#release);
    } else this.#taken--;
  };
}
