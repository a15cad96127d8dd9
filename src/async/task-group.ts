import { StashError } from '../errors';
import { startTimeLimit } from './abort';

/** Runs tasks that one call aborts together. */
export class TaskGroup {
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  /**
   * Runs `task` with a signal that is aborted when `outer` is, or when the group is closed. The task itself decides what an
   * abort ends.
   * @param seconds the time limit, after which the signal is aborted with TIMEOUT; none by default.
   * @throws {StashError} CLOSED if the group is closed already.
   * @throws the reason of `outer` if it is aborted already; what `task` throws.
   */
  async run<T>(outer: AbortSignal, task: (signal: AbortSignal) => Promise<T>, seconds?: number): Promise<T> {
    if (this.#isClosed) throw new StashError('CLOSED.closed');
    outer.throwIfAborted();
    const controller = new AbortController();
    const abort = () => {
      controller.abort(outer.reason);
    };
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

  /** Aborts all running tasks with CLOSED, and rejects new ones. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort(new StashError('CLOSED.closed'));
  }
}
