import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { untilAborted } from './abort';

/** The longest time that a timer of Node.js takes, in milliseconds: about 24.8 days. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Calls `act` once, at any time in the future; never for Infinity. For 0 or less it calls `act` before it returns. Does not keep the
 * process alive.
 * @returns a function that cancels the call.
 */
export function after(milliseconds: number, act: () => void): () => void {
  const due = performance.now() + milliseconds;
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    const left = due - performance.now();
    if (left <= 0) act();
    else timer = setTimeout(arm, Math.min(Math.ceil(left), LONGEST_TIMER)).unref();
  };
  if (milliseconds < Infinity) arm();
  return () => clearTimeout(timer);
}

/**
 * Calls `act` after a timeout unless canceled. It waits for one more turn of the event loop, so that an answer which arrived in
 * time during a long block still cancels it.
 * @returns a function that cancels the call.
 */
export function unlessAnswered(milliseconds: number, act: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(act);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/**
 * Settles as `work` does, unless that takes too long.
 * @throws what `late` returns, after so many milliseconds; the signal's reason once it is aborted.
 */
export async function answeredWithin<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  let stop = () => {};
  const limit = new Promise<never>((_, reject) => {
    stop = unlessAnswered(milliseconds, () => reject(late()));
  });
  const bounded = Promise.race([work, limit]);
  return await (signal ? untilAborted(bounded, signal) : bounded).finally(stop);
}

export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {
    // Node.js wraps the reason in an error of its own.
    throw signal.reason as Error;
  });
}

/** Lets one caller at a time sleep until a time that may change. */
export class Alarm {
  #wake = () => {};

  wake(): void {
    this.#wake();
  }

  /** Sleeps until `due()`, by `performance.now()`. Does not keep the process alive. */
  async sleepUntil(due: () => number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const wait = due() - performance.now();
      if (wait <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (wait < Infinity) timer = setTimeout(resolve, Math.min(Math.ceil(wait), LONGEST_TIMER)).unref();
      });
      await untilAborted(woken, signal).finally(() => clearTimeout(timer));
    }
  }
}

/**
 * Resolves after all due timers and I/O callbacks have run. It awaits two immediates, because the first one that an I/O
 * callback sets runs before the timers.
 */
export async function yieldToEventLoop(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
