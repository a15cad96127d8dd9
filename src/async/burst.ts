import { setImmediate } from 'node:timers/promises';
import type { Signal } from '../call';
import { Alarm } from './alarm';
import { LightSignal } from './light-signal';

/** How many callers to answer before other work of the event loop gets its turn. */
const SLICE = 16;

/** What ends the wait of one caller. */
interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
  readonly signal: Signal;
  /** Hears when the caller no longer waits. */
  readonly onStop: () => void;
}

/** Callers that come shortly after one another and wait for one common result. */
export class Burst<Caller, Result> {
  readonly #waiting = new Map<Caller, Waiting<Result>>();
  readonly #nobody = new LightSignal();
  readonly #alarm = new Alarm();
  readonly #quiet: number;
  readonly #latest: number;
  #due: number;

  /**
   * @param quiet the time without a new caller after which the burst is over, in milliseconds.
   * @param atMost the longest that the first caller waits for others, in milliseconds.
   */
  constructor(quiet: number, atMost: number) {
    this.#quiet = quiet;
    this.#latest = performance.now() + atMost;
    this.#due = this.#nextDue();
  }

  /** When `untilQuiet` ends unless somebody comes, by `performance.now()`. */
  get due(): number {
    return this.#due;
  }

  /** Aborted when the last caller has left. */
  get signal(): Signal {
    return this.#nobody;
  }

  /** How many callers wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The first of the callers that wait. */
  get first(): Caller | undefined {
    return this.#waiting.keys().next().value;
  }

  /** The callers that wait, in the order in which they came. */
  get callers(): readonly Caller[] {
    return [...this.#waiting.keys()];
  }

  /**
   * Waits for the result.
   * @param signal aborted when the caller no longer waits.
   * @throws the error that ends the wait; the signal's reason once it is aborted.
   */
  join(caller: Caller, signal: Signal): Promise<Result> {
    this.#due = this.#nextDue();
    return new Promise<Result>((resolve, reject) => {
      const onStop = () => {
        this.fail(caller, signal.reason);
      };
      this.#waiting.set(caller, { resolve, reject, signal, onStop });
      if (signal.aborted) onStop();
      else signal.addEventListener('abort', onStop);
    });
  }

  /** Waits until the burst is over. @throws the signal's reason if all callers have left. */
  async untilQuiet(): Promise<void> {
    await this.#alarm.sleepUntil(() => this.#due, this.signal);
  }

  /** Ends the wait of one caller with an error. */
  fail(caller: Caller, error: unknown): void {
    this.#leave(caller)?.reject(error as Error);
  }

  /** Ends the wait of all callers, with what `outcome` returns or throws for each. Yields between slices of them. */
  async end(outcome: (caller: Caller) => Result): Promise<void> {
    for (const [index, caller] of this.callers.entries()) {
      try {
        if (this.#waiting.has(caller)) {
          const result = outcome(caller);
          this.#leave(caller)?.resolve(result);
        }
      } catch (error) {
        this.fail(caller, error);
      }
      if (index % SLICE === SLICE - 1) await setImmediate();
    }
  }

  #leave(caller: Caller): Waiting<Result> | undefined {
    const waiting = this.#waiting.get(caller);
    waiting?.signal.removeEventListener('abort', waiting.onStop);
    this.#waiting.delete(caller);
    if (this.#waiting.size === 0) this.#nobody.abort(new Error('Nobody waits.'));
    return waiting;
  }

  #nextDue(): number {
    return Math.min(this.#latest, performance.now() + this.#quiet);
  }
}
