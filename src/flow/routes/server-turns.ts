import { KeyedLock, sleep } from '../../async';
import type { Server } from '../../server';

/** The longest rest after a piece of work, in milliseconds: most of a longer time was spent waiting for the server. */
const LONGEST_REST = 100;

/**
 * Does the work of dialogs with servers, for each server one piece after another. Other work of Node-RED has its turn in
 * between, so that many dialogs do not delay messages.
 */
export class ServerTurns {
  readonly #lock = new KeyedLock<Server>();

  /** Whether the next piece of work with this server has to wait. */
  isTaken(server: Server): boolean {
    return this.#lock.isLocked(server);
  }

  /**
   * Does `work` when all work before it with the same server is done.
   * @param work receives a function that lets the next one begin, for work that waits for something else.
   * @throws the signal's reason once it is aborted; what `work` throws.
   */
  async run<Result>(
    server: Server,
    signal: AbortSignal,
    work: (release: () => void) => Promise<Result>,
  ): Promise<Result> {
    return await this.#lock.run(server, signal, async (release) => {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      const start = performance.now();
      const result = await work(release);
      // Messages get at least half of the time.
      await sleep(Math.min(performance.now() - start, LONGEST_REST), signal);
      return result;
    });
  }
}
