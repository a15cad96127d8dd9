import path from 'node:path';
import type { Forget } from '../async';
import type { HoldableCall } from '../call';
import type { WatchOptions } from './file-watcher';
import { FileWatches } from './file-watches';
import type { Ended } from './watched-path';

/** All nodes share one process. */
const watches = new FileWatches();

/** A path that messages wait for. */
interface Waited {
  readonly listeners: Set<(ended: Ended) => void>;
  readonly forget: Forget;
}

/** Holds the messages of one node until their files are complete. Messages with the same path share its watch. */
export class Settling {
  readonly #waited = new Map<string, Waited>();

  /** How many paths messages wait for. */
  get files(): number {
    return this.#waited.size;
  }

  /**
   * Waits until what is at these paths is complete.
   * @param paths of this machine. Any other ends at once, as unseen.
   * @returns how the watch of each path has ended, in their order.
   * @throws the reason with which the call is stopped.
   */
  untilComplete(paths: readonly string[], options: WatchOptions, call: HoldableCall): Promise<Ended[]> {
    return new Promise((resolve, reject) => {
      const ends = new Map<string, Ended>();
      const open = new Set(paths.filter(isAbsolute));
      const leaves: Forget[] = [];
      const endIfDone = () => {
        if (ends.size < open.size) return;
        forget();
        resolve(paths.map((one) => ends.get(one) ?? { outcome: 'unseen', path: one }));
      };
      for (const one of open) {
        const leave = this.#join(one, options, (ended) => {
          ends.set(one, ended);
          endIfDone();
        });
        leaves.push(leave);
      }
      const forget = call.onStop((reason) => {
        for (const leave of leaves) leave();
        reject(reason);
      });
      endIfDone();
    });
  }

  /** Joins the watch of a path, or starts one. @returns a function that leaves it. The last one to leave ends the watch. */
  #join(given: string, options: WatchOptions, listener: (ended: Ended) => void): Forget {
    const waited = this.#waited.get(given) ?? this.#watch(given, options);
    waited.listeners.add(listener);
    return () => {
      if (!waited.listeners.delete(listener) || waited.listeners.size > 0) return;
      waited.forget();
      if (this.#waited.get(given) === waited) this.#waited.delete(given);
    };
  }

  #watch(given: string, options: WatchOptions): Waited {
    const listeners: Waited['listeners'] = new Set();
    const forget = watches.watch(given, options, (ended) => {
      this.#waited.delete(given);
      for (const listener of listeners) listener(ended);
    });
    const waited = { listeners, forget };
    this.#waited.set(given, waited);
    return waited;
  }
}

/** Whether a path may be one of this machine. No path has a NUL character. */
function isAbsolute(text: string): boolean {
  return path.isAbsolute(text) && !text.includes('\0');
}
