import { StashError } from '../errors';

/** Runs tasks that one call aborts together. */
export class TaskGroup {
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  /**
   * Runs `task` with a controller that is aborted when `signal` is, or when the group is closed. The task may abort it,
   * too.
   * @throws {StashError} CLOSED if the group is closed already.
   * @throws the signal's reason if it is aborted already; what `task` throws.
   */
  async run<T>(signal: AbortSignal, task: (controller: AbortController) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StashError('CLOSED.closed');
    signal.throwIfAborted();
    const controller = new AbortController();
    const abort = () => {
      controller.abort(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#running.add(controller);
    try {
      return await task(controller);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#running.delete(controller);
    }
  }

  /** Aborts all running tasks with CLOSED, and rejects new ones. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort(new StashError('CLOSED.closed'));
  }
}
