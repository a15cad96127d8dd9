import { untilAborted } from './abort';

/** Limits the number of holders at a time; the others wait, first in, first out. */
export class Semaphore {
  readonly #permits: number;
  #taken = 0;
  /** A Set, because an aborted caller leaves from any position. */
  readonly #waiting = new Set<() => void>();

  /** @param permits the number of permits. */
  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Whether all permits are free. */
  get isIdle(): boolean {
    return this.#taken === 0;
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
    const free = this.tryAcquire();
    if (free) return free;
    let admit!: () => void;
    const turn = new Promise<void>((resolve) => {
      admit = resolve;
    });
    this.#waiting.add(admit);
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      // Already admitted: the permit goes to the next one.
      if (!this.#waiting.delete(admit)) this.#release();
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
