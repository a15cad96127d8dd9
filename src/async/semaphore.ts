import { untilAborted } from './abort';

/** Limits the number of holders at a time; the others wait, first in, first out. */
export class Semaphore {
  readonly #permits: number;
  #taken = 0;
  /** A Set, because an aborted caller leaves from any position. */
  readonly #waiting = new Set<(release: () => void) => void>();

  /** @param permits the number of permits. */
  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Whether all permits are free. */
  get isIdle(): boolean {
    return this.#taken === 0;
  }

  /** How many wait for a permit. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a permit if one is free. @returns a function that gives it back; call it once. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.#permits) return undefined;
    this.#taken++;
    return this.#release;
  }

  /**
   * Waits for a permit.
   * @returns a function that gives the permit back; call it once.
   * @throws the signal's reason once it is aborted.
   */
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
   * Calls `admit` when a permit is free, at once if one is. It makes no promise, because each of thousands of waiting requests
   * would pay for one.
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
