import type { Call } from '../call';
import { StashError } from '../errors';

/** Runs tasks with the same key one after another, first in, first out. Tasks with different keys run at the same time. */
export class Turns {
  /** Who waits, by key. A key is in it as long as a task runs. */
  readonly #lines = new Map<string, Set<() => void>>();

  /**
   * Runs `task` when all tasks before it with the same key have ended.
   * @param atMost the most calls that may wait for the key.
   * @throws {StashError} QUEUE_FULL at once, if too many wait.
   * @throws the reason of the call's signals, if one is aborted before the task begins.
   */
  async run<T>(key: string, call: Call, atMost: number, task: () => Promise<T>): Promise<T> {
    await this.#enter(key, call, atMost);
    try {
      return await task();
    } finally {
      this.#leave(key);
    }
  }

  async #enter(key: string, call: Call, atMost: number): Promise<void> {
    const line = this.#lines.get(key);
    if (!line) {
      this.#lines.set(key, new Set());
      return;
    }
    if (line.size >= atMost) {
      throw new StashError('QUEUE_FULL.saves', { details: { count: atMost }, retry: true });
    }
    call.onQueueState?.('waiting');
    const { waiting } = call;
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        waiting.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        line.delete(admit);
        reject(waiting.reason);
      };
      line.add(admit);
      waiting.addEventListener('abort', abort);
      if (waiting.aborted) abort();
    });
    call.onQueueState?.('asking');
  }

  #leave(key: string): void {
    const line = this.#lines.get(key) ?? new Set();
    const [next] = line;
    if (next) {
      line.delete(next);
      next();
    } else this.#lines.delete(key);
  }
}
