import { StashError } from '../errors';

/** Each caller gets its own signal, because listeners and derived signals would pile up on a shared one. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

/** Settles as `promise` does, or rejects with the signal's reason once it is aborted. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Runs `task`, and aborts `controller` with TIMEOUT after `seconds`. The task itself decides what an abort ends. */
export async function withTimeLimit<T>(
  controller: AbortController,
  seconds: number,
  task: () => Promise<T>,
): Promise<T> {
  const timer = startTimeLimit(controller, seconds);
  try {
    return await task();
  } finally {
    clearTimeout(timer);
  }
}

/** Aborts `controller` with TIMEOUT after so many seconds, unless the timer is cleared before. */
function startTimeLimit(controller: AbortController, seconds: number): NodeJS.Timeout {
  return setTimeout(
    () => controller.abort(new StashError('TIMEOUT.noAnswer', { details: { seconds }, retry: true })),
    seconds * 1000,
  );
}

export class TaskGroup {
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  /**
   * Runs `task` with a signal that is aborted when `outer` is, when the group is closed (CLOSED), or after `seconds` (TIMEOUT).
   * The task itself decides what an abort ends.
   * @throws {StashError} CLOSED if the group is closed already.
   */
  async run<T>(outer: AbortSignal, task: (signal: AbortSignal) => Promise<T>, seconds?: number): Promise<T> {
    if (this.#isClosed) throw new StashError('CLOSED.closed');
    outer.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort(outer.reason);
    outer.addEventListener('abort', abort, { once: true });
    this.#running.add(controller);
    const timer = seconds === undefined ? undefined : startTimeLimit(controller, seconds);
    try {
      return await task(controller.signal);
    } finally {
      clearTimeout(timer);
      outer.removeEventListener('abort', abort);
      this.#running.delete(controller);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort(new StashError('CLOSED.closed'));
  }
}
