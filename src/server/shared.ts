import { StashError } from '../errors';
import { untilAborted } from './call';

/** A question that many may have at the same time and that is asked once for all of them. */
export class Shared<Answer> {
  readonly #ask: () => Promise<Answer>;
  #asking: Promise<Answer> | undefined;

  constructor(ask: () => Promise<Answer>) {
    this.#ask = ask;
  }

  /**
   * A question of others that runs out of time may have been asked long before, so who shared it asks once more.
   * Whatever else it fails of is true for all.
   * @throws the signal's reason once it is aborted.
   */
  async get(signal: AbortSignal): Promise<Answer> {
    if (this.#asking === undefined) return untilAborted(this.#share(), signal);
    return untilAborted(
      this.#asking.catch((error: unknown) => {
        const ranOut = error instanceof StashError && error.code === 'TIMEOUT';
        if (!ranOut || signal.aborted) throw error;
        return this.#share();
      }),
      signal,
    );
  }

  #share(): Promise<Answer> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }
}
