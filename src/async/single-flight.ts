import type { Signal } from '../call';
import { StashError } from '../errors';
import { untilAborted } from './abort';
import { LightSignal } from './light-signal';

/** Shares one call among all callers while it is in flight. */
export class SingleFlight<Result> {
  readonly #call: () => Promise<Result>;
  #inFlight: Promise<Result> | undefined;

  constructor(call: () => Promise<Result>) {
    this.#call = call;
  }

  /**
   * Joins the call in flight, or starts one. If the joined call fails with TIMEOUT it is started once more, because it may
   * have begun long before. All callers share any other error.
   * @throws the signal's reason once it is aborted; the call goes on for the others.
   */
  async get(signal: Signal): Promise<Result> {
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

/** Shares one call among all callers, and aborts it when the last caller stops waiting. */
export class AbortableSingleFlight<Result> {
  readonly #call: (signal: Signal) => Promise<Result>;
  #inFlight: { result: Promise<Result>; signal: LightSignal; waiting: number } | undefined;

  constructor(call: (signal: Signal) => Promise<Result>) {
    this.#call = call;
  }

  /** Joins the call in flight, or starts one. @throws the signal's reason once it is aborted. */
  async get(signal: Signal): Promise<Result> {
    const joined = (this.#inFlight ??= this.#start());
    joined.waiting += 1;
    try {
      return await untilAborted(joined.result, signal);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        joined.signal.abort(new Error('Nobody waits.'));
        if (this.#inFlight === joined) this.#inFlight = undefined;
      }
    }
  }

  #start() {
    const signal = new LightSignal();
    return { result: this.#call(signal), signal, waiting: 0 };
  }
}
