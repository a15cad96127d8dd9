import { untilAborted } from './call';

/** Some places, for which those who come wait in a line. */
export class Places {
  readonly #most: number;
  #taken = 0;
  /** In the order in which they came; a Set, since those who give up leave it from anywhere. */
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place if there is one. @returns what leaves it. */
  takeFree(): (() => void) | undefined {
    if (this.#taken >= this.#most) return undefined;
    this.#taken++;
    return this.#leave;
  }

  /**
   * Resolves when there is a place, with what leaves it.
   * @throws the signal's reason once it is aborted.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const free = this.takeFree();
    if (free) return free;
    let come!: () => void;
    const turn = new Promise<void>((resolve) => {
      come = resolve;
    });
    this.#waiting.add(come);
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      if (!this.#waiting.delete(come)) this.#leave();
      throw error;
    }
    return this.#leave;
  }

  readonly #leave = () => {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#taken--;
  };
}
