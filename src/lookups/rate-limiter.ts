/** Milliseconds, as all times here; moments are those of `performance.now()`. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** The first back-off after a refusal; each further refusal doubles it. */
const FIRST_BACK_OFF = 30 * SECOND;
const LONGEST_BACK_OFF = 15 * MINUTE;
/** The least penalty that a refusal adds to the pause; each further refusal doubles it. */
const SMALLEST_PENALTY = SECOND;
const LARGEST_PENALTY = MINUTE;
/** The share of the penalty that remains after each accepted call. */
const RECOVERY = 0.8;
/** A smaller penalty counts as none. */
const NO_PENALTY = 10;
/** The random share that is added to the time between two calls, because regular calls look like those of a bot. */
const JITTER = 0.1;

/**
 * The state that is stored at the start and end of each call, so that it survives a restart of Node-RED. Moments are
 * milliseconds since 1970.
 */
export interface RateLimiterState {
  /** When the last call ended. */
  endedAt: number;
  /** The end of the back-off. */
  resumeAt: number;
  /** The penalty that refusals have added to the pause, in milliseconds. */
  penalty: number;
  /** The number of refusals in a row. */
  refusals: number;
}

/**
 * Decides when the next call to an external site may begin. Sites block callers that call too often, and the server does
 * not space its calls (interface document, part 4, rule 2). The limiter keeps a pause from the end of one call to the
 * start of the next. After a refusal it backs off, longer each time, and then lengthens the pause; each accepted call
 * shortens it again.
 */
export class RateLimiter {
  readonly #pause: () => number;
  #endedAt = -Infinity;
  #resumeAt = -Infinity;
  #penalty = 0;
  #refusals = 0;
  #jitter = 0;

  /** @param pause returns the current pause, in milliseconds. */
  constructor(pause: () => number) {
    this.#pause = pause;
  }

  /** The earliest start of the next call. */
  get nextAt(): number {
    const gap = this.#pause() + this.#penalty;
    return Math.max(this.#endedAt + gap * (1 + this.#jitter), this.#resumeAt);
  }

  /** Whether the limiter can be dropped: no wait is due, and no refusal of the last day is remembered. */
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

  /** Call when the site has refused. @param backOff the back-off that it asked for, in milliseconds, if any. */
  refused(backOff?: number): void {
    const own = Math.min(FIRST_BACK_OFF * 2 ** this.#refusals, LONGEST_BACK_OFF) * (1 + this.#jitter);
    this.#refusals += 1;
    const least = Math.max(this.#pause(), SMALLEST_PENALTY);
    this.#penalty = Math.min(Math.max(this.#penalty * 2, least), LARGEST_PENALTY);
    this.#resumeAt = performance.now() + Math.min(backOff ?? own, DAY);
  }

  /** Returns the state for `restore` in the next process. */
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
   * Continues with a saved state, unless a call since then is newer. If the clock was set back meanwhile, the wait is no
   * longer than it was when Node-RED stopped.
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
