import { Alarm, Semaphore, untilAborted } from '../async';
import type { Call, QueueState } from '../call';
import { StashError } from '../errors';
import type { RateLimiter } from './rate-limiter';

export interface QueuedLookup {
  call: Call;
  /** In milliseconds from the first refusal. */
  retryFor: number;
  maxQueued: number;
}

/** Makes one call to the site as soon as the rate limiter allows it. */
export type Throttle = <T>(call: () => Promise<T>) => Promise<T>;

/** Callbacks for `LookupQueues`, which restores and stores the state of the rate limiter. */
export interface QueueHooks {
  /** Resolves when the stored state has been restored; no call starts before. */
  ready: () => Promise<void>;
  /** Called at the start and at the end of each call. */
  onBegin: () => void;
  onEnd: () => void;
}

/**
 * The queue of one external site: one look-up at a time, first in, first out. A look-up may need several calls, at the pace of
 * the rate limiter; it stays at the head of the queue until it is done.
 */
export class LookupQueue {
  readonly #limiter: RateLimiter;
  readonly #hooks: QueueHooks;
  /** Taken by the look-up at the head of the queue until its last call has a response. */
  readonly #turn = new Semaphore(1);
  readonly #waiting = new Set<Call>();
  #head: Call | undefined;
  #isRequesting = false;
  readonly #alarm = new Alarm();

  constructor(limiter: RateLimiter, hooks: QueueHooks) {
    this.#limiter = limiter;
    this.#hooks = hooks;
  }

  /**
   * Queues `task`, and runs it at the head of the queue.
   * @throws {StashError} QUEUE_FULL at once, or SITE_REFUSED if the site blocks requests for longer than `retryFor`.
   * @throws the reason of the call's signals. A call in flight is not aborted, because the server may still be calling the
   * site; the next look-up waits for its response.
   */
  async lookUp<T>(lookup: QueuedLookup, task: (throttle: Throttle) => Promise<T>): Promise<T> {
    const { call, retryFor } = lookup;
    const ended = AbortSignal.any([call.signal, call.waiting]);
    ended.throwIfAborted();
    const release = await this.#queue(lookup, ended);
    this.#head = call;
    let sent: Promise<unknown> = Promise.resolve();
    let firstRefusal: number | undefined;
    const throttle: Throttle = async (send) => {
      for (;;) {
        await untilAborted(this.#hooks.ready(), ended);
        await this.#alarm.sleepUntil(() => this.#limiter.nextAt, ended);
        call.report?.({ queue: 'asking' });
        const asking = this.#call(send);
        sent = asking.catch(() => undefined);
        try {
          return await untilAborted(asking, call.signal);
        } catch (error) {
          if (!isSiteRefusal(error) || call.signal.aborted) throw error;
          firstRefusal ??= performance.now();
          if (this.#limiter.nextAt > firstRefusal + retryFor) throw error;
          call.report?.({ queue: 'refused' });
        }
      }
    };
    try {
      return await task(throttle);
    } finally {
      void sent.then(() => {
        this.#head = undefined;
        release();
      });
    }
  }

  /** Its state, the earliest start of the next call by `performance.now()`, and the calls, with the head of the queue first. */
  get snapshot(): { state: QueueState; nextAt: number; calls: readonly Call[] } {
    const state = this.#isRequesting ? 'asking' : this.#stateOfWaiting;
    return {
      state,
      nextAt: this.#limiter.nextAt,
      calls: [...(this.#head ? [this.#head] : []), ...this.#waiting],
    };
  }

  get isIdle(): boolean {
    return this.#turn.isIdle;
  }

  reschedule(): void {
    this.#alarm.wake();
  }

  /** @returns a function that lets the next look-up start. */
  async #queue({ call, maxQueued }: QueuedLookup, ended: AbortSignal): Promise<() => void> {
    const release = this.#turn.tryAcquire();
    if (release) {
      call.report?.({ queue: this.#stateOfWaiting });
      return release;
    }
    if (this.#waiting.size >= maxQueued) {
      throw new StashError('QUEUE_FULL.full', { details: { count: maxQueued }, retry: true });
    }
    this.#waiting.add(call);
    call.report?.({ queue: this.#stateOfWaiting });
    try {
      return await this.#turn.acquire(ended);
    } finally {
      this.#waiting.delete(call);
    }
  }

  async #call<T>(send: () => Promise<T>): Promise<T> {
    const before = this.#stateOfWaiting;
    this.#limiter.countCall();
    this.#isRequesting = true;
    this.#hooks.onBegin();
    try {
      const result = await send();
      this.#limiter.countCall();
      this.#limiter.accepted();
      return result;
    } catch (error) {
      this.#limiter.countCall();
      if (isSiteRefusal(error)) {
        const { seconds } = error.details;
        this.#limiter.refused(seconds === undefined ? undefined : Number(seconds) * 1000);
      }
      throw error;
    } finally {
      this.#isRequesting = false;
      this.#hooks.onEnd();
      const turn = this.#stateOfWaiting;
      if (turn !== before) for (const call of this.#waiting) call.report?.({ queue: turn });
    }
  }

  get #stateOfWaiting() {
    return this.#limiter.isRefused ? 'refused' : 'waiting';
  }
}

function isSiteRefusal(error: unknown): error is StashError {
  return error instanceof StashError && error.code === 'SITE_REFUSED';
}
