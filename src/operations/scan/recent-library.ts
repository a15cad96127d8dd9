import { setImmediate } from 'node:timers/promises';
import { Cache, neverAborted, untilAborted } from '../../async';
import type { Call } from '../../call';
import type { Server } from '../../server';
import { timing } from '../../timing';
import { type KindOnDisk, Library, libraryFolders, type LibraryPath, type LibraryPaths } from '../library';
import { kindOfPath, type KnownFolders, knownFolders, scannable } from './known-folders';

const libraries = new WeakMap<Server, RecentLibrary>();

/** The library of a server as it was a few seconds ago, so that a burst of messages does not request it with each of them. */
export class RecentLibrary {
  readonly #server: Server;
  readonly #library: Cache<'', Library>;
  readonly #isKnown: Cache<string, boolean | undefined>;
  readonly #kindOf: Cache<string, KindOnDisk>;
  /** The folders of the next request, and its result. */
  #next: { folders: string[]; known: Promise<KnownFolders> } | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.#library = new Cache(async () => new Library(server, await libraryFolders(server, unended())));
    this.#isKnown = new Cache((folder) => this.#requestTogether(folder));
    this.#kindOf = new Cache(
      (path) => kindOfPath(server, path, unended()),
      (kind) => kind !== null,
    );
  }

  /** Returns the one that all nodes with this server share. */
  static of(server: Server): RecentLibrary {
    const recent = libraries.get(server) ?? new RecentLibrary(server);
    libraries.set(server, recent);
    return recent;
  }

  /**
   * Translates paths of this machine.
   * @throws {StashError} as `libraryFolders` and `Library.refuse`. @throws the reason of `call.waiting`.
   */
  async resolve(given: readonly string[], call: Call): Promise<LibraryPaths> {
    const recent = await untilAborted(this.#library.get('', timing.recentLibrary), call.waiting);
    // The folder may have been added a moment ago.
    const library = recent.resolve(given)
      ? recent
      : await untilAborted(this.#library.refresh(''), call.waiting);
    return { library, paths: library.resolve(given) ?? (await library.refuse(given, call)) };
  }

  /**
   * Replaces files in folders that the server does not know, as `scannable`.
   * @throws the reason of `call.waiting`.
   */
  async scannable(paths: LibraryPaths, call: Call): Promise<readonly LibraryPath[]> {
    const known = async (folders: readonly string[]) => {
      const all = folders.map(async (folder) => {
        return [folder, await this.#isKnown.get(folder, timing.recentLibrary)] as const;
      });
      const answers = await untilAborted(Promise.all(all), call.waiting);
      return new Map(
        answers.flatMap(([folder, isKnown]) => (isKnown === undefined ? [] : [[folder, isKnown]])),
      );
    };
    const kindOf = (path: string) => untilAborted(this.#kindOf.get(path, timing.recentLibrary), call.waiting);
    return await scannable(paths, { known, kindOf });
  }

  /** Requests all folders of this turn of the event loop at once. */
  async #requestTogether(folder: string): Promise<boolean | undefined> {
    if (!this.#next) {
      const folders: string[] = [];
      const request = async () => {
        await setImmediate();
        this.#next = undefined;
        return await knownFolders(this.#server, folders, unended());
      };
      this.#next = { folders, known: request() };
    }
    this.#next.folders.push(folder);
    return (await this.#next.known).get(folder);
  }
}

/** A call for several messages, which goes on when one of them ends. */
function unended(): Call {
  return { signal: neverAborted(), waiting: neverAborted() };
}
