import { Alarm, Semaphore, untilAborted } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { RateLimiter } from './rate-limiter';

/** A look-up that waits for its turn. */
export interface QueuedLookup {
  call: Call;
  /** How long a refused call is retried, in milliseconds from the first refusal. */
  retryFor: number;
  /** How many look-ups may wait for their turn. */
  maxQueued: number;
}

/** Makes one call to the site as soon as the rate limiter allows it. */
export type Throttle = <T>(call: () => Promise<T>) => Promise<T>;

/** Callbacks by which `LookupQueues` restores and stores the state of the rate limiter. */
export interface QueueHooks {
  /** Resolves when the stored state has been restored; no call begins before. */
  ready: () => Promise<void>;
  /** Are called at the start and at the end of each call. */
  onBegin: () => void;
  onEnd: () => void;
}

/**
 * The queue in front of one external site: one look-up at a time, first in, first out, and one call at a time, as the rate
 * limiter allows. A look-up may take several calls; it keeps its turn until it is done.
 */
export class LookupQueue {
  readonly #limiter: RateLimiter;
  readonly #hooks: QueueHooks;
  /** Held by the look-up whose turn it is, until its last call is answered. */
  readonly #turn = new Semaphore(1);
  readonly #waiting = new Set<Call>();
  /** Lets the look-up whose turn it is sleep until its next call may begin. */
  readonly #alarm = new Alarm();

  constructor(limiter: RateLimiter, hooks: QueueHooks) {
    this.#limiter = limiter;
    this.#hooks = hooks;
  }

  /**
   * Runs `task` when its turn has come.
   * @throws {StashError} QUEUE_FULL at once, or SITE_REFUSED after the site has refused for long enough.
   * @throws the reason of the call's signals, once one is aborted. A call that was already sent is not cut off, because
   * the server may still be asking the site; the next look-up waits for its answer.
   */
  async lookUp<T>(lookup: QueuedLookup, task: (throttle: Throttle) => Promise<T>): Promise<T> {
    const { call, retryFor } = lookup;
    const ended = AbortSignal.any([call.signal, call.waiting]);
    ended.throwIfAborted();
    const release = await this.#queue(lookup, ended);
    let sent: Promise<unknown> = Promise.resolve();
    let firstRefusal: number | undefined;
    const throttle: Throttle = async (send) => {
      for (;;) {
        await untilAborted(this.#hooks.ready(), ended);
        await this.#alarm.sleepUntil(() => this.#limiter.nextAt, ended);
        call.onQueueState?.('asking');
        const asking = this.#call(send);
        sent = asking.catch(() => undefined);
        try {
          return await untilAborted(asking, call.signal);
        } catch (error) {
          if (!isRefusal(error) || call.signal.aborted) throw error;
          firstRefusal ??= performance.now();
          if (this.#limiter.nextAt > firstRefusal + retryFor) throw error;
          call.onQueueState?.('refused');
        }
      }
    };
    try {
      return await task(throttle);
    } finally {
      void sent.then(release);
    }
  }

  /** Whether no look-up runs or waits. */
  get isIdle(): boolean {
    return this.#turn.isIdle;
  }

  /** Looks again at when the next call may begin. */
  reschedule(): void {
    this.#alarm.wake();
  }

  /** Waits for the turn of a look-up. @returns a function that passes it on. */
  async #queue({ call, maxQueued }: QueuedLookup, ended: AbortSignal): Promise<() => void> {
    const release = this.#turn.tryAcquire();
    if (release) {
      call.onQueueState?.(this.#stateOfWaiting);
      return release;
    }
    if (this.#waiting.size >= maxQueued) {
      throw new StashError('QUEUE_FULL.full', { details: { count: maxQueued }, retry: true });
    }
    this.#waiting.add(call);
    call.onQueueState?.(this.#stateOfWaiting);
    try {
      return await this.#turn.acquire(ended);
    } finally {
      this.#waiting.delete(call);
    }
  }

  async #call<T>(send: () => Promise<T>): Promise<T> {
    const before = this.#stateOfWaiting;
    this.#limiter.countCall();
    this.#hooks.onBegin();
    try {
      const result = await send();
      this.#limiter.countCall();
      this.#limiter.accepted();
      return result;
    } catch (error) {
      this.#limiter.countCall();
      if (isRefusal(error)) this.#limiter.refused(backOffOf(error));
      throw error;
    } finally {
      this.#hooks.onEnd();
      const turn = this.#stateOfWaiting;
      if (turn !== before) for (const call of this.#waiting) call.onQueueState?.(turn);
    }
  }

  get #stateOfWaiting() {
    return this.#limiter.isRefused ? 'refused' : 'waiting';
  }
}

function isRefusal(error: unknown): error is StashError {
  return error instanceof StashError && error.code === 'SITE_REFUSED';
}

/** Returns for how many milliseconds the site wants no calls, if it says so. */
function backOffOf({ details }: StashError): number | undefined {
  const { seconds } = details;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
