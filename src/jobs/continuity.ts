import { timing } from '../timing';

/** The state at the start of a poll, needed at its end. */
export interface PollMark {
  /** When all changes were last known; undefined if they never were. */
  from: Date | undefined;
  /** Whether changes may have been missed since then. */
  wasInterrupted: boolean;
  /**
   * Marks the interruptions before the start of the poll as covered. Call it when the poll has succeeded.
   * @returns whether the server was away until now.
   */
  cover: () => boolean;
}

/** Keeps track of whether all changes of a server's jobs are known, or some may have been missed. */
export class Continuity {
  #confirmedAt: Date | undefined;
  /** The same by the monotonic clock, `performance.now()`. */
  #freshAt = -Infinity;
  /** The number of interruptions, and how many of them a poll has covered. */
  #interruptions = 0;
  #covered = 0;
  #isUnreachable = false;
  #outages = 0;

  /** When all changes were last known; undefined before the first poll. */
  get confirmedAt(): Date | undefined {
    return this.#confirmedAt;
  }

  /** Whether a poll or an event confirmed the state in the last second, with no interruption since. */
  get isFresh(): boolean {
    return !this.#isInterrupted && performance.now() - this.#freshAt < timing.jobs.pollInterval;
  }

  /** A poll failed or the socket broke, and no poll has succeeded since. */
  get isUnreachable(): boolean {
    return this.#isUnreachable;
  }

  /**
   * The number of failed polls. If it has changed, the server may have restarted. A broken socket does not count: a proxy may
   * close one at any time, and the polls of a server that is away fail.
   */
  get outages(): number {
    return this.#outages;
  }

  /** Discards everything, as when watching ends. */
  reset(): void {
    this.#confirmedAt = undefined;
    this.#freshAt = -Infinity;
    this.#covered = this.#interruptions;
    this.#isUnreachable = false;
  }

  /** Marks that changes may be missed until the next poll. @returns true if the server was reachable before this call. */
  interrupt(): boolean {
    const couldFollow = !this.#isUnreachable;
    this.#interruptions++;
    this.#isUnreachable = true;
    return couldFollow;
  }

  /** Marks a failed poll. */
  fail(): void {
    this.#outages++;
  }

  /** Marks that all changes are known now, after an event or a poll. */
  confirm(): void {
    this.#confirmedAt = new Date();
    this.#freshAt = performance.now();
  }

  /** Marks the start of a poll. */
  mark(): PollMark {
    const interruptions = this.#interruptions;
    return {
      from: this.#confirmedAt,
      wasInterrupted: this.#isInterrupted,
      cover: () => {
        const wasUnreachable = this.#isUnreachable;
        this.#covered = Math.max(this.#covered, interruptions);
        this.#isUnreachable = false;
        this.confirm();
        return wasUnreachable;
      },
    };
  }

  get #isInterrupted(): boolean {
    return this.#interruptions > this.#covered;
  }
}
