import { StashError } from '../errors';
import { untilAborted } from './abort';

/** A question that many may have at the same time and that is asked once for all of them. */
export class SingleFlight<Answer> {
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

/** A question that many may have at the same time, is asked once for all of them, and ends when none of them waits any more. */
export class AbortableSingleFlight<Answer> {
  readonly #ask: (signal: AbortSignal) => Promise<Answer>;
  #asking: { answer: Promise<Answer>; controller: AbortController; waiting: number } | undefined;

  constructor(ask: (signal: AbortSignal) => Promise<Answer>) {
    this.#ask = ask;
  }

  /** @throws the signal's reason once it is aborted. */
  async get(signal: AbortSignal): Promise<Answer> {
    const asking = (this.#asking ??= this.#begin());
    asking.waiting += 1;
    try {
      return await untilAborted(asking.answer, signal);
    } finally {
      asking.waiting -= 1;
      if (asking.waiting === 0) {
        asking.controller.abort();
        if (this.#asking === asking) this.#asking = undefined;
      }
    }
  }

  #begin() {
    const controller = new AbortController();
    return { answer: this.#ask(controller.signal), controller, waiting: 0 };
  }
}
