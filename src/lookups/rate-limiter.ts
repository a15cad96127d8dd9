/** All times here are milliseconds, by `performance.now()`. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** After a refusal; each further refusal doubles it. */
const FIRST_BACK_OFF = 30 * SECOND;
const LONGEST_BACK_OFF = 15 * MINUTE;
/** What a refusal adds to the pause at least; each further refusal doubles it. */
const SMALLEST_PENALTY = SECOND;
const LARGEST_PENALTY = MINUTE;
/** The share of the penalty that remains after each accepted call. */
const RECOVERY = 0.8;
/** A smaller penalty counts as none. */
const NO_PENALTY = 10;
/** The random share of the pause that is added to it, because regular calls look like those of a bot. */
const JITTER = 0.1;

/** The stored state, which survives a restart of Node-RED. Moments are milliseconds since 1970. */
export interface RateLimiterState {
  endedAt: number;
  resumeAt: number;
  /** What refusals have added to the pause, in milliseconds. */
  penalty: number;
  /** In a row. */
  refusals: number;
}

/**
 * Decides when the next call to an external site may begin. Sites block callers that call too often, and the server does not
 * space its calls (interface document, part 4, rule 2). The limiter keeps a pause between two calls. After a refusal it backs
 * off, longer each time, and then lengthens the pause; each accepted call shortens it again.
 */
export class RateLimiter {
  readonly #pause: () => number;
  #endedAt = -Infinity;
  #resumeAt = -Infinity;
  #penalty = 0;
  #refusals = 0;
  #jitter = 0;

  /** @param pause in milliseconds. */
  constructor(pause: () => number) {
    this.#pause = pause;
  }

  get nextAt(): number {
    const gap = this.#pause() + this.#penalty;
    return Math.max(this.#endedAt + gap * (1 + this.#jitter), this.#resumeAt);
  }

  /** Whether the limiter can be dropped: no wait is due, and no refusal of the last day counts. */
  get isOver(): boolean {
    const now = performance.now();
    // Without a penalty, there are no refusals in a row either.
    return this.nextAt <= now && (this.#penalty === 0 || this.#endedAt < now - DAY);
  }

  /** Whether the site refused the last call that reached it. */
  get isRefused(): boolean {
    return this.#refusals > 0;
  }

  /**
   * Call at the start and at the end of each call to the site. If the end is never reported, the pause counts from the start.
   */
  countCall(): void {
    this.#endedAt = performance.now();
    this.#jitter = Math.random() * JITTER;
  }

  /** Call when the site has responded. Other ends of a call, except a refusal, say nothing about its limits. */
  accepted(): void {
    this.#refusals = 0;
    this.#penalty *= RECOVERY;
    if (this.#penalty < NO_PENALTY) this.#penalty = 0;
  }

  /**
   * Call when the site has refused.
   * @param backOff the milliseconds that it requested, if any.
   */
  refused(backOff?: number): void {
    const own = Math.min(FIRST_BACK_OFF * 2 ** this.#refusals, LONGEST_BACK_OFF) * (1 + this.#jitter);
    this.#refusals += 1;
    const least = Math.max(this.#pause(), SMALLEST_PENALTY);
    this.#penalty = Math.min(Math.max(this.#penalty * 2, least), LARGEST_PENALTY);
    this.#resumeAt = performance.now() + Math.min(backOff ?? own, DAY);
  }

  state(): RateLimiterState {
    const toDate = Date.now() - performance.now();
    return {
      endedAt: this.#endedAt + toDate,
      resumeAt: Math.max(this.#resumeAt + toDate, 0),
      penalty: this.#penalty,
      refusals: this.#refusals,
    };
  }

  /**
   * Continues with a saved state, unless a call since then is newer. If the clock was set back meanwhile, the wait is no longer
   * than it was when Node-RED stopped.
   */
  restore(saved: RateLimiterState): void {
    const now = performance.now();
    const endedAt = Math.min(saved.endedAt + now - Date.now(), now);
    if (endedAt <= this.#endedAt || endedAt < now - DAY) return;
    this.#endedAt = endedAt;
    this.#resumeAt = endedAt + Math.min(saved.resumeAt - saved.endedAt, DAY);
    this.#penalty = Math.min(saved.penalty, LARGEST_PENALTY);
    this.#refusals = saved.refusals;
  }
}
