import { StashError } from '../errors';

/** The longest time that a timer of Node.js takes, in milliseconds: about 24.8 days. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Calls `act` once after so many milliseconds, also after more than a timer takes; never for Infinity.
 * @returns a function that prevents the call.
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
 * Returns a signal that nobody aborts. Each caller gets its own: on one that lives as long as the process, listeners and
 * derived signals would pile up.
 */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as the signal is aborted. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

/**
 * Runs `task`, and aborts `controller` with TIMEOUT if the task takes longer than `seconds`. The task itself decides what
 * an abort ends.
 * @throws what `task` throws.
 */
export async function withTimeLimit<T>(
  controller: AbortController,
  seconds: number,
  task: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => {
    controller.abort(new StashError('TIMEOUT.noAnswer', { details: { seconds }, retry: true }));
  }, seconds * 1000);
  try {
    return await task();
  } finally {
    clearTimeout(timer);
  }
}
