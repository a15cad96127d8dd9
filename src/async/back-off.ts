/** In milliseconds. */
export interface BackOffOptions {
  /** After the first failure; each further failure doubles it. */
  first: number;
  longest: number;
  /** The random share of the delay, so that not all clients of a restarted server reconnect at once. */
  jitter?: number;
}

export class BackOff {
  readonly #options: BackOffOptions;
  failures = 0;
  /** By `performance.now()`. */
  retryAt = -Infinity;

  constructor(options: BackOffOptions) {
    this.#options = options;
  }

  fail(): void {
    const { first, longest, jitter = 0 } = this.#options;
    const wait = Math.min(first * 2 ** this.failures, longest);
    this.failures += 1;
    this.retryAt = performance.now() + wait * (1 - jitter * Math.random());
  }

  /** Counts a failure, but leaves `retryAt` as it is. */
  forgive(): void {
    this.failures += 1;
  }

  reset(): void {
    this.failures = 0;
  }
}
