import path from 'node:path';
import type { Call } from '../call';
import type { WatchOptions } from './file-watcher';
import { FileWatches } from './file-watches';
import type { Ended } from './watched-path';

/** All nodes share one process. */
const watches = new FileWatches();

/** One message that waits. */
interface Waiting {
  /** For how many paths. */
  left: number;
  /** Ends the wait. */
  readonly end: () => void;
}

/** A path that messages wait for. */
interface Watched {
  readonly path: string;
  readonly waiting: Set<Waiting>;
  /** The id of its watch. */
  readonly watch: number;
  ended?: Ended;
}

/** Holds the messages of one node until their files are complete. Messages with the same path share its watch. */
export class Settling {
  readonly #watched = new Map<string, Watched>();

  /** How many paths messages wait for. */
  get files(): number {
    return this.#watched.size;
  }

  /**
   * Waits until what is at these paths is complete. Meanwhile the call is delayed.
   * @param paths of this machine. Any other ends at once, as unseen.
   * @returns how the watch of each path has ended, in their order.
   * @throws the reason with which the call is stopped.
   */
  untilComplete(paths: readonly string[], options: WatchOptions, call: Call): Promise<Ended[]> {
    const { waiting: signal } = call;
    return new Promise((resolve, reject) => {
      const watched = [...new Set(paths.filter(isAbsolute))].map((one) => this.#watch(one, options));
      const waiting = {
        left: watched.length,
        end: () => {
          signal.removeEventListener('abort', onStop);
          call.report?.({ delay: null });
          const ends = new Map(watched.map((one) => [one.path, one.ended]));
          resolve(paths.map((one) => ends.get(one) ?? { outcome: 'unseen', path: one }));
        },
      };
      const onStop = () => {
        for (const one of watched) this.#leave(one, waiting);
        reject(signal.reason as Error);
      };
      for (const one of watched) one.waiting.add(waiting);
      signal.addEventListener('abort', onStop);
      if (signal.aborted) onStop();
      call.report?.({ delay: this });
      if (watched.length === 0) waiting.end();
    });
  }

  /** Returns the watch of a path, perhaps that of other messages. */
  #watch(given: string, options: WatchOptions): Watched {
    const known = this.#watched.get(given);
    if (known) {
      // The new message may tell of a change since the last look.
      watches.renew(known.watch);
      return known;
    }
    const watch = watches.watch(given, options, (ended) => {
      this.#watched.delete(given);
      watched.ended = ended;
      for (const one of watched.waiting) {
        one.left -= 1;
        if (one.left === 0) one.end();
      }
    });
    const watched: Watched = { path: given, waiting: new Set(), watch };
    this.#watched.set(given, watched);
    return watched;
  }

  /** Lets a message no longer wait. The last one ends the watch. */
  #leave({ path: given, waiting, watch, ended }: Watched, one: Waiting): void {
    waiting.delete(one);
    if (waiting.size > 0 || ended) return;
    watches.forget(watch);
    this.#watched.delete(given);
  }
}

/** Whether a path may be one of this machine. No path has a NUL character. */
function isAbsolute(text: string): boolean {
  return path.isAbsolute(text) && !text.includes('\0');
}
