import { StashError } from '../errors';
import { type Call, untilAborted } from './call';
import type { Pace } from './pace';

/** A look-up that wants its turn. */
export interface LookUp {
  call: Call;
  /** How long a call that the site refuses is tried again, from its first refusal on, in milliseconds. */
  retryFor: number;
  /** How many may wait for their turn. */
  mostWaiting: number;
}

/** Makes one call to the site, when the pace allows it. */
export type Step = <T>(call: () => Promise<T>) => Promise<T>;

/** Whoever keeps the pace of a site. */
export interface Keeper {
  /** Resolves when the pace is known that was kept; no call begins before. */
  ready: () => Promise<void>;
  /** Are told of each call. */
  begun: () => void;
  ended: () => void;
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
export class Site {
  readonly #pace: Pace;
  readonly #keeper: Keeper;
  readonly #waiting: Waiting[] = [];
  /** By the look-up whose turn it is, and until what it has sent is answered. */
  #taken = false;
  /** Ends the sleep of the look-up whose turn it is. */
  #wake: (() => void) | undefined;

  constructor(pace: Pace, keeper: Keeper) {
    this.#pace = pace;
    this.#keeper = keeper;
  }

  /**
   * Runs `task` when its turn has come.
   * @throws {StashError} QUEUE_FULL at once, or SITE_REFUSED after the site has refused for long enough.
   * @throws the reason of the call's signals, once one is aborted. What was sent by then is not cut off: the server may
   * be asking the site for it, so the next look-up waits until that is answered.
   */
  async lookUp<T>(lookUp: LookUp, task: (step: Step) => Promise<T>): Promise<T> {
    const { call, retryFor } = lookUp;
    const ended = AbortSignal.any([call.signal, call.waiting]);
    ended.throwIfAborted();
    await this.#turn(lookUp, ended);
    let sent: Promise<unknown> = Promise.resolve();
    let firstRefusal: number | undefined;
    const step: Step = async (send) => {
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
          if (this.#pace.nextAt > firstRefusal + retryFor) throw error;
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

  async #turn({ call, mostWaiting }: LookUp, ended: AbortSignal): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      call.onTurn?.(this.#turnOfWaiting);
      return;
    }
    if (this.#waiting.length >= mostWaiting) {
      throw new StashError('QUEUE_FULL.full', { details: { count: mostWaiting }, retry: true });
    }
    let begin!: () => void;
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiting = { call, begin };
    this.#waiting.push(waiting);
    call.onTurn?.(this.#turnOfWaiting);
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
    await untilAborted(this.#keeper.ready(), ended);
    for (;;) {
      const wait = this.#pace.nextAt - performance.now();
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
    const before = this.#turnOfWaiting;
    this.#pace.called();
    this.#keeper.begun();
    try {
      const result = await send();
      this.#pace.called();
      this.#pace.accepted();
      return result;
    } catch (error) {
      this.#pace.called();
      if (isRefusal(error)) this.#pace.refused(restOf(error));
      throw error;
    } finally {
      this.#keeper.ended();
      const turn = this.#turnOfWaiting;
      if (turn !== before) for (const { call } of this.#waiting) call.onTurn?.(turn);
    }
  }

  get #turnOfWaiting() {
    return this.#pace.isRefused ? 'refused' : 'waiting';
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
