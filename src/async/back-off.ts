/** Delays, in milliseconds. */
export interface BackOffOptions {
  /** The delay after the first failure; each further failure doubles it. */
  first: number;
  /** The longest delay. */
  longest: number;
  /** The random share of the delay, so that not all clients of a restarted server reconnect at the same moment. */
  jitter?: number;
}

/** Calculates when to retry: later with each failure in a row. */
export class BackOff {
  readonly #options: BackOffOptions;
  #failures = 0;
  #retryAt = -Infinity;

  constructor(options: BackOffOptions) {
    this.#options = options;
  }

  /** The number of failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** The earliest retry, by `performance.now()`. */
  get retryAt(): number {
    return this.#retryAt;
  }

  /** Counts a failure. */
  fail(): void {
    const { first, longest, jitter = 0 } = this.#options;
    const wait = Math.min(first * 2 ** this.#failures, longest);
    this.#failures += 1;
    this.#retryAt = performance.now() + wait * (1 - jitter * Math.random());
  }

  /** Counts a failure, but leaves `retryAt` as it is. */
  forgive(): void {
    this.#failures += 1;
  }

  /** Counts a success. */
  reset(): void {
    this.#failures = 0;
  }
}
