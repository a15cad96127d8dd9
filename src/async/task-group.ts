import { StashError } from '../errors';
import { startTimeLimit } from './abort';

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

  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort(new StashError('CLOSED.closed'));
  }
}
