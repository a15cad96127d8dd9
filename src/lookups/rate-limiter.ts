/** Milliseconds, as all times here; moments are those of `performance.now()`. */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** How long a site that refuses is left alone at first; each further refusal doubles it. */
const FIRST_BACK_OFF = 30 * SECOND;
const LONGEST_BACK_OFF = 15 * MINUTE;
/** What is added to the pause by a refusal if the pause itself is less; each further refusal doubles it. */
const SMALLEST_PENALTY = SECOND;
const LARGEST_PENALTY = MINUTE;
/** What is left of the slowdown after each call that the site accepts. */
const RECOVERY = 0.8;
/** Less than this makes no difference. */
const NO_PENALTY = 10;
/** Of the time between two calls, at most this much more: calls at an even beat look like a machine's. */
const JITTER = 0.1;

/** What is kept of a pace when Node-RED stops. Moments are milliseconds since 1970. */
export interface RateLimiterState {
  endedAt: number;
  resumeAt: number;
  slowdown: number;
  refusals: number;
}

/**
 * When the next call to an external site may begin. The sites block callers that ask too often, and the server does not
 * space its calls (interface document, part 4, rule 2): a pause is kept from the end of one call to the start of the
 * next. A site that refuses to answer is left alone for a while, longer with each refusal; after that the pause is
 * longer, too, and comes back with each call that is accepted.
 */
export class RateLimiter {
  readonly #pause: () => number;
  #endedAt = -Infinity;
  #resumeAt = -Infinity;
  #penalty = 0;
  #refusals = 0;
  #jitter = 0;

  /** @param pause gives the pause as it is wished at the time. */
  constructor(pause: () => number) {
    this.#pause = pause;
  }

  /** The moment from which on the next call may begin. */
  get nextAt(): number {
    const gap = this.#pause() + this.#penalty;
    return Math.max(this.#endedAt + gap * (1 + this.#jitter), this.#resumeAt);
  }

  /** Whether nothing of it counts any more: as `restore` has it, what is a day old tells nothing. */
  get isOver(): boolean {
    const now = performance.now();
    const isUsual = this.#penalty === 0 && this.#refusals === 0;
    return this.nextAt <= now && (isUsual || this.#endedAt < now - DAY);
  }

  /** Whether the last call that told was refused. */
  get isRefused(): boolean {
    return this.#refusals > 0;
  }

  /** Is told of each call that begins or ends: one whose end is never heard of has been under way until now. */
  countCall(): void {
    this.#endedAt = performance.now();
    this.#jitter = Math.random() * JITTER;
  }

  /** Is told of each call that the site answered. Any other end of a call, but a refusal, tells nothing of the pace. */
  accepted(): void {
    this.#refusals = 0;
    this.#penalty *= RECOVERY;
    if (this.#penalty < NO_PENALTY) this.#penalty = 0;
  }

  /** @param rest how long the site wishes to be left alone, where it says so. */
  refused(rest?: number): void {
    const own = Math.min(FIRST_BACK_OFF * 2 ** this.#refusals, LONGEST_BACK_OFF) * (1 + this.#jitter);
    this.#refusals += 1;
    const least = Math.max(this.#pause(), SMALLEST_PENALTY);
    this.#penalty = Math.min(Math.max(this.#penalty * 2, least), LARGEST_PENALTY);
    this.#resumeAt = performance.now() + Math.min(rest ?? own, DAY);
  }

  /** What `restore` takes, in the next process. */
  save(): RateLimiterState {
    const toDate = Date.now() - performance.now();
    return {
      endedAt: this.#endedAt + toDate,
      resumeAt: Math.max(this.#resumeAt + toDate, 0),
      slowdown: this.#penalty,
      refusals: this.#refusals,
    };
  }

  /**
   * Takes up what was kept, unless a call since then tells more. A clock that was put back meanwhile makes nobody wait
   * longer than was wished when Node-RED stopped.
   */
  restore(kept: RateLimiterState): void {
    const now = performance.now();
    const endedAt = Math.min(kept.endedAt + now - Date.now(), now);
    if (endedAt <= this.#endedAt || endedAt < now - DAY) return;
    this.#endedAt = endedAt;
    this.#resumeAt = endedAt + Math.min(kept.resumeAt - kept.endedAt, DAY);
    this.#penalty = Math.min(kept.slowdown, LARGEST_PENALTY);
    this.#refusals = kept.refusals;
  }
}
