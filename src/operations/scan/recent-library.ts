import { AbortableSingleFlight, untilAborted } from '../../async';
import type { Call, Signal } from '../../call';
import type { Server } from '../../server';
import { timing } from '../../timing';
import { Library, libraryFolders, type LibraryPaths } from '../library';
import { KnownFolders } from './known-folders';

/** The library of a server as it was a few seconds ago, so that a burst does not ask for it with each message. */
export class RecentLibrary {
  readonly #known: KnownFolders;
  readonly #server: Server;
  readonly #flight: AbortableSingleFlight<Library | undefined>;
  #last: { library: Library | undefined; until: number } | undefined;

  constructor(server: Server) {
    this.#server = server;
    this.#known = new KnownFolders(server);
    this.#flight = new AbortableSingleFlight((signal) => this.#ask(signal));
  }

  /** Translates paths of this machine that are known to be in the library. Otherwise `check` tells. */
  pathsOf(given: readonly string[]): LibraryPaths | undefined {
    return this.#isRecent ? pathsIn(this.#last?.library, given) : undefined;
  }

  /**
   * Translates paths of this machine, if the server tells its folders; otherwise the scan itself reports the error.
   * @throws {StashError} as `Library.refuse`. @throws the reason of the call's signals.
   */
  async check(given: readonly string[], call: Call): Promise<LibraryPaths | undefined> {
    // A server that did not tell its folders a moment ago is not asked with each message.
    if (this.#isRecent && !this.#last?.library) return undefined;
    // The folder may have been added a moment ago.
    const library = await untilAborted(this.#flight.get(call.signal), call.waiting);
    return await (library && (pathsIn(library, given) ?? library.refuse(given, call)));
  }

  /**
   * Replaces files as `KnownFolders.scannable` does.
   * @throws the reason of the call's signals.
   */
  scannable(given: readonly string[], paths: LibraryPaths, call: Call): Promise<readonly string[]> {
    return this.#known.scannable(given, paths, call);
  }

  get #isRecent(): boolean {
    return this.#last !== undefined && performance.now() < this.#last.until;
  }

  async #ask(signal: Signal): Promise<Library | undefined> {
    const folders = await libraryFolders(this.#server, { signal, waiting: signal }).catch(() => undefined);
    signal.throwIfAborted();
    const library = folders && new Library(this.#server, folders);
    this.#last = { library, until: performance.now() + timing.recentLibrary };
    return library;
  }
}

function pathsIn(library: Library | undefined, given: readonly string[]): LibraryPaths | undefined {
  const paths = library?.pathsOf(given);
  return library && paths && { library, paths };
}
