import { timing } from '../timing';

/** The start of a poll, for its end. */
export interface PollMark {
  /** When everything was last known; undefined if it never was. */
  from: Date | undefined;
  /** Whether changes may have been missed since then. */
  wasInterrupted: boolean;
  /**
   * Call when the poll has succeeded: it covers the interruptions before its start.
   * @returns whether the jobs could not be followed until now.
   */
  cover: () => boolean;
}

/** Whether what is known of a server's jobs is the whole story, or changes may have been missed. */
export class Continuity {
  #knownAt: Date | undefined;
  /** The same on a clock that nobody sets. */
  #freshAt = -Infinity;
  /** How many interruptions there were, and how many of them a poll has covered since. */
  #interruptions = 0;
  #covered = 0;
  #isAway = false;
  #outages = 0;

  /** When everything was last known; undefined before the first poll. */
  get knownAt(): Date | undefined {
    return this.#knownAt;
  }

  /** Whether a poll or an event in the last second confirmed what is known, with no interruption since. */
  get isFresh(): boolean {
    return !this.#isInterrupted && performance.now() - this.#freshAt < timing.jobs.pollInterval;
  }

  /** Whether the jobs cannot be followed: a poll failed or the socket broke, and no poll has succeeded since. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Counts failed polls and broken sockets; compare two values to see whether there was one in between. */
  get outages(): number {
    return this.#outages;
  }

  /**
   * Begins anew, or goes on from what was known at a time.
   * @param isUncertain whether a poll can show, and so must, if changes were missed since then.
   */
  begin(knownAt?: Date, isUncertain = false): void {
    this.#knownAt = knownAt;
    this.#covered = this.#interruptions;
    if (isUncertain) this.#interruptions++;
  }

  /** Forgets since when everything was known. */
  end(): void {
    this.#knownAt = undefined;
    this.#freshAt = -Infinity;
    this.#covered = this.#interruptions;
    this.#isAway = false;
  }

  /** Notes that changes may be missed until the next poll. @returns whether the jobs could be followed until now. */
  interrupt(): boolean {
    const couldFollow = !this.#isAway;
    this.#outages++;
    this.#interruptions++;
    this.#isAway = true;
    return couldFollow;
  }

  /** Notes that a poll has failed. */
  fail(): void {
    this.#outages++;
  }

  /** Notes that everything is known at this moment, as an event or a poll has just shown. */
  confirm(): void {
    this.#knownAt = new Date();
    this.#freshAt = performance.now();
  }

  /** Notes that a poll begins. */
  mark(): PollMark {
    const interruptions = this.#interruptions;
    return {
      from: this.#knownAt,
      wasInterrupted: this.#isInterrupted,
      cover: () => {
        const wasAway = this.#isAway;
        this.#covered = Math.max(this.#covered, interruptions);
        this.#isAway = false;
        this.confirm();
        return wasAway;
      },
    };
  }

  get #isInterrupted(): boolean {
    return this.#interruptions > this.#covered;
  }
}
