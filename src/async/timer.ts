import { setTimeout as delay } from 'node:timers/promises';

/** The longest time that a timer of Node.js takes, in milliseconds: about 24.8 days. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Calls `act` once, at any time in the future; never for Infinity. For 0 or less it calls `act` before it returns.
 * @returns a function that cancels the call.
 */
export function after(milliseconds: number, act: () => void): () => void {
  const due = performance.now() + milliseconds;
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    const left = due - performance.now();
    if (left <= 0) act();
    else timer = setTimeout(arm, Math.min(Math.ceil(left), LONGEST_TIMER));
  };
  if (milliseconds < Infinity) arm();
  return () => {
    clearTimeout(timer);
  };
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

export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {
    // Node.js wraps the reason in an error of its own.
    throw signal.reason as Error;
  });
}
