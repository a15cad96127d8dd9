import { setImmediate } from 'node:timers/promises';
import { Burst } from '../async';
import type { Call, HoldableCall } from '../call';
import { StashError } from '../errors';
import { fewestPaths } from '../paths';
import type { JobRecord } from '../records';
import type { Server } from '../server';
import { scannablePaths } from './known-folders';
import { Library, libraryFolders } from './library';
import { RecentLibrary } from './recent-library';
import { type Collected, scan, type Scanned, type ScanInput, scanServerPaths } from './scan';

/** What to scan, how, and with which other messages. */
export interface CollectedScanInput extends ScanInput {
  /** The time without a new message, in milliseconds, after which one scan starts for all. 0: a scan for each message. */
  collect: number;
  /** The longest that the first of them waits, in milliseconds; 0 for no limit. */
  collectAtMost: number;
}

/** How many messages to read before other work of the event loop gets its turn. */
const SLICE = 100;

/** One message whose scan is collected. */
interface Member {
  input: ScanInput;
  call: Call;
}

type ScanBurst = Burst<Member, Scanned>;

/** Scans for the messages of one node, with one scan for those that come in a burst. */
export class ScanCollector {
  #open: ScanBurst | undefined;
  #held = 0;
  readonly #libraries = new WeakMap<Server, RecentLibrary>();

  /**
   * Scans like `scan`, but with others if `collect` says so. All of them get the same job.
   * @throws {StashError} as `scan`, PATH_NOT_IN_LIBRARY at once; QUEUE_FULL if too many are held.
   */
  async scan(server: Server, input: CollectedScanInput, call: HoldableCall): Promise<Scanned> {
    if (input.collect === 0) return scan(server, input, call);
    if (this.#held >= server.maxHeld) {
      throw new StashError('QUEUE_FULL.scan', { details: { count: server.maxHeld }, retry: true });
    }
    this.#held += 1;
    try {
      const library = this.#libraryOf(server);
      if (input.paths && !library.contains(input.paths)) await library.check(input.paths, call);
      return await this.#join(server, input, call);
    } finally {
      this.#held -= 1;
    }
  }

  #join(server: Server, input: CollectedScanInput, call: HoldableCall): Promise<Scanned> {
    // All that joined an aborted one have been reset, or ended by a deploy.
    if (!this.#open || this.#open.signal.aborted) {
      this.#open = new Burst(input.collect, input.collectAtMost || Infinity);
      void this.#run(server, this.#open, input);
    }
    call.onHeld?.(this.#open);
    return this.#open.join({ input, call }, (listener) => call.onStop(listener));
  }

  /** Starts one scan for a burst, as soon as no message has come for a while. Throws nothing. */
  async #run(server: Server, burst: ScanBurst, input: ScanInput): Promise<void> {
    try {
      await burst.untilQuiet();
    } catch {
      // Nobody waits any more.
      return;
    } finally {
      // What comes from now on belongs to the next scan.
      if (this.#open === burst) this.#open = undefined;
    }
    const shared = new SharedCall(burst);
    try {
      const collected = await collectPaths(server, burst, shared);
      if (!collected) return;
      const result = await scanServerPaths(server, { ...input, paths: collected.paths }, shared);
      const common = { ...result, collected };
      await burst.end(() => common);
    } catch (error) {
      await burst.end(({ call }) => {
        shared.tell(call);
        throw error;
      });
    }
  }

  #libraryOf(server: Server): RecentLibrary {
    const library = this.#libraries.get(server) ?? new RecentLibrary(server);
    this.#libraries.set(server, library);
    return library;
  }
}

/**
 * Returns the paths to scan for a burst; undefined if nobody waits for them. A message with a path that is not in the library,
 * because that has changed, ends alone.
 */
async function collectPaths(server: Server, burst: ScanBurst, call: Call): Promise<Collected | undefined> {
  const { callers } = burst;
  if (callers[0]?.input.paths === null) return { messages: callers.length, paths: null, areFolders: false };
  const library = new Library(server, await libraryFolders(server, call));
  const all = new Set<string>();
  let messages = 0;
  for (const [index, member] of callers.entries()) {
    if (index % SLICE === 0) await setImmediate();
    const given = member.input.paths ?? [];
    const paths = library.pathsOf(given);
    if (paths) {
      messages += 1;
      for (const path of paths) all.add(path);
    } else {
      await library.refuse(given, member.call).catch((error: unknown) => {
        burst.fail(member, error);
      });
    }
  }
  if (messages === 0) return undefined;
  const fewest = await fewestPaths(all, library.folders);
  const paths = await scannablePaths(server, fewest.paths, call);
  const covered = paths === fewest.paths ? fewest : await fewestPaths(paths, library.folders);
  return { messages, ...covered };
}

/** The call of a scan for several messages. The first of them reports its progress. */
class SharedCall implements Call {
  readonly signal: AbortSignal;
  readonly #burst: ScanBurst;
  /** The call that reports the job. */
  #reporter: Call | undefined;
  #operation: string | undefined;
  #job: JobRecord | undefined;

  constructor(burst: ScanBurst) {
    this.#burst = burst;
    this.signal = burst.signal;
  }

  get waiting(): AbortSignal {
    return this.signal;
  }

  onQueueState: Call['onQueueState'] = (state) => this.#burst.first?.call.onQueueState?.(state);

  onOperation: Call['onOperation'] = (operation) => {
    this.#operation = operation;
  };

  onJob: Call['onJob'] = (job, progress) => {
    this.#job = job;
    this.#reporter ??= this.#burst.first?.call;
    this.#reporter?.onJob?.(job, progress);
  };

  /** Tells another call of the operation and the job, before it ends. */
  tell(call: Call): void {
    if (this.#operation !== undefined) call.onOperation?.(this.#operation);
    if (this.#job && call !== this.#reporter) call.onJob?.(this.#job, null);
  }
}
