import { untilAborted } from './call';

/** Some places, for which those who come wait in a line. */
export class Places {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Resolves when there is a place, with what leaves it.
   * @throws the signal's reason once it is aborted.
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#taken < this.#most) {
      this.#taken++;
      return this.#leave;
    }
    let come!: () => void;
    const turn = new Promise<void>((resolve) => {
      come = resolve;
    });
    this.#waiting.push(come);
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      const place = this.#waiting.indexOf(come);
      if (place === -1) this.#leave();
      else this.#waiting.splice(place, 1);
      throw error;
    }
    return this.#leave;
  }

  readonly #leave = () => {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken--;
  };
}
