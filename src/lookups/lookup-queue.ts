import { untilAborted } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { RateLimiter } from './rate-limiter';

/** A look-up that wants its turn. */
export interface QueuedLookup {
  call: Call;
  /** How long a call that the site refuses is tried again, from its first refusal on, in milliseconds. */
  retryFor: number;
  /** How many may wait for their turn. */
  maxQueued: number;
}

/** Makes one call to the site, when the pace allows it. */
export type Throttle = <T>(call: () => Promise<T>) => Promise<T>;

/** Whoever keeps the pace of a site. */
export interface QueueHooks {
  /** Resolves when the pace is known that was kept; no call begins before. */
  ready: () => Promise<void>;
  /** Are told of each call. */
  onBegin: () => void;
  onEnd: () => void;
}

interface Waiting {
  call: Call;
  begin: () => void;
}

/** Node.js takes no longer times. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * The queue in front of one external site: one look-up at a time, first in, first out, and one call at a time, at the
 * site's pace. A look-up may take several calls; it keeps its turn until it is done.
 */
export class LookupQueue {
  readonly #limiter: RateLimiter;
  readonly #hooks: QueueHooks;
  readonly #waiting: Waiting[] = [];
  /** By the look-up whose turn it is, and until what it has sent is answered. */
  #taken = false;
  /** Ends the sleep of the look-up whose turn it is. */
  #wake: (() => void) | undefined;

  constructor(pace: RateLimiter, keeper: QueueHooks) {
    this.#limiter = pace;
    this.#hooks = keeper;
  }

  /**
   * Runs `task` when its turn has come.
   * @throws {StashError} QUEUE_FULL at once, or SITE_REFUSED after the site has refused for long enough.
   * @throws the reason of the call's signals, once one is aborted. What was sent by then is not cut off: the server may
   * be asking the site for it, so the next look-up waits until that is answered.
   */
  async lookUp<T>(lookUp: QueuedLookup, task: (step: Throttle) => Promise<T>): Promise<T> {
    const { call, retryFor } = lookUp;
    const ended = AbortSignal.any([call.signal, call.waiting]);
    ended.throwIfAborted();
    await this.#turn(lookUp, ended);
    let sent: Promise<unknown> = Promise.resolve();
    let firstRefusal: number | undefined;
    const step: Throttle = async (send) => {
      for (;;) {
        await this.#untilNext(ended);
        call.onTurn?.('asking');
        const asking = this.#call(send);
        sent = asking.catch(() => undefined);
        try {
          return await untilAborted(asking, call.signal);
        } catch (error) {
          if (!isRefusal(error) || call.signal.aborted) throw error;
          firstRefusal ??= performance.now();
          if (this.#limiter.nextAt > firstRefusal + retryFor) throw error;
          call.onTurn?.('refused');
        }
      }
    };
    try {
      return await task(step);
    } finally {
      void sent.then(() => {
        this.#next();
      });
    }
  }

  /** Whether nothing is asked and nobody waits. */
  get isIdle(): boolean {
    return !this.#taken;
  }

  /** Looks anew at when the next call may begin. */
  reschedule(): void {
    this.#wake?.();
  }

  async #turn({ call, maxQueued }: QueuedLookup, ended: AbortSignal): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      call.onTurn?.(this.#stateOfWaiting);
      return;
    }
    if (this.#waiting.length >= maxQueued) {
      throw new StashError('QUEUE_FULL.full', { details: { count: maxQueued }, retry: true });
    }
    let begin!: () => void;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiting = { call, begin };
    this.#waiting.push(waiting);
    call.onTurn?.(this.#stateOfWaiting);
    try {
      await untilAborted(turn, ended);
    } catch (error) {
      const place = this.#waiting.indexOf(waiting);
      if (place === -1) this.#next();
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next.begin();
    else this.#taken = false;
  }

  async #untilNext(ended: AbortSignal): Promise<void> {
    await untilAborted(this.#hooks.ready(), ended);
    for (;;) {
      const wait = this.#limiter.nextAt - performance.now();
      if (wait <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      const sleep = new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, Math.min(Math.ceil(wait), LONGEST_TIMER));
      });
      await untilAborted(sleep, ended).finally(() => {
        clearTimeout(timer);
      });
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
      if (isRefusal(error)) this.#limiter.refused(restOf(error));
      throw error;
    } finally {
      this.#hooks.onEnd();
      const turn = this.#stateOfWaiting;
      if (turn !== before) for (const { call } of this.#waiting) call.onTurn?.(turn);
    }
  }

  get #stateOfWaiting() {
    return this.#limiter.isRefused ? 'refused' : 'waiting';
  }
}

function isRefusal(error: unknown): error is StashError {
  return error instanceof StashError && error.code === 'SITE_REFUSED';
}

/** How long the site wishes to be left alone, in milliseconds. */
function restOf({ details }: StashError): number | undefined {
  const { seconds } = details;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
