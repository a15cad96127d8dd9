import { AbortableSingleFlight, untilAborted } from '../async';
import type { Call } from '../call';
import type { Server } from '../server';
import { timing } from '../timing';
import { KnownFolders } from './known-folders';
import { Library, libraryFolders } from './library';

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

  /** Whether paths are known to be in the library. */
  contains(paths: readonly string[]): boolean {
    return this.#isRecent && this.#last?.library?.pathsOf(paths) !== undefined;
  }

  /**
   * Checks that paths are in the library, if the server tells its folders; otherwise the scan itself reports the error.
   * @throws {StashError} as `Library.refuse`. @throws the reason of the call's signals.
   */
  async check(paths: readonly string[], call: Call): Promise<void> {
    // A server that did not tell its folders a moment ago is not asked with each message.
    if (this.#isRecent && !this.#last?.library) return;
    // The folder may have been added a moment ago.
    const library = await untilAborted(this.#flight.get(call.signal), call.waiting);
    if (library && !library.pathsOf(paths)) await library.refuse(paths, call);
  }

  /**
   * Replaces files of this machine as `scannablePaths` does.
   * @throws the reason of the call's signals.
   */
  async scannable(paths: readonly string[], call: Call): Promise<readonly string[]> {
    const library = this.#last?.library;
    return library ? this.#known.scannable(paths, library, call) : paths;
  }

  get #isRecent(): boolean {
    return this.#last !== undefined && performance.now() < this.#last.until;
  }

  async #ask(signal: AbortSignal): Promise<Library | undefined> {
    const folders = await libraryFolders(this.#server, { signal, waiting: signal }).catch(() => undefined);
    signal.throwIfAborted();
    const library = folders && new Library(this.#server, folders);
    this.#last = { library, until: performance.now() + timing.recentLibrary };
    return library;
  }
}
