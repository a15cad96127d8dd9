/** Node.js takes no longer times, in milliseconds: about 24.8 days. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** For what nobody can end. */
export const neverAborted = new AbortController().signal;

/** Calls `act` once after so many milliseconds, however many; never for Infinity. @returns what prevents it. */
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

/** Settles as `promise` does, or rejects with the signal's reason as soon as that is aborted. */
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
