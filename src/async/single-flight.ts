import { StashError } from '../errors';
import { untilAborted } from './abort';

/** Shares one call among all callers while it is in flight. */
export class SingleFlight<Result> {
  readonly #call: () => Promise<Result>;
  #inFlight: Promise<Result> | undefined;

  constructor(call: () => Promise<Result>) {
    this.#call = call;
  }

  /**
   * Joins the call in flight, or starts one. If a joined call fails with TIMEOUT, it is started once more, because it may have
   * begun long before. An aborted signal ends only the wait.
   */
  async get(signal: AbortSignal): Promise<Result> {
    if (this.#inFlight === undefined) return await untilAborted(this.#share(), signal);
    return await untilAborted(
      this.#inFlight.catch((error: unknown) => {
        const ranOut = error instanceof StashError && error.code === 'TIMEOUT';
        if (!ranOut || signal.aborted) throw error;
        return this.#share();
      }),
      signal,
    );
  }

  #share(): Promise<Result> {
    this.#inFlight ??= this.#call().finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }
}
