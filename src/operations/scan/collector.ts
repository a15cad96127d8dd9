import { setImmediate } from 'node:timers/promises';
import { Burst } from '../../async';
import type { Call, Signal } from '../../call';
import { StashError } from '../../errors';
import { type Ended, type Outcome, Settling } from '../../files';
import { fewestPaths } from '../../paths';
import type { JobRecord } from '../../records';
import type { Server } from '../../server';
import { Library, libraryFolders } from '../library';
import { scannablePaths } from './known-folders';
import { RecentLibrary } from './recent-library';
import { type Collected, scan, type ScanInput, type Scanned, scanServerPaths, type Settled } from './scan';

export { usualTemporaryNames } from '../../files';

/** What to scan, how, when, and with which other messages. */
interface CollectedScanInput extends ScanInput {
  /** How long files have to be unchanged before they are scanned, in milliseconds. 0: they are scanned as they are. */
  settle: number;
  /** The names of files that are not complete, as patterns for `TemporaryNames`. */
  temporaryNames: string;
  /** The time without a new message, in milliseconds, after which one scan starts for all. 0: a scan for each message. */
  collect: number;
  /** The longest that the first of them waits, in milliseconds; 0 for no limit. */
  collectAtMost: number;
}

/** How many messages to read before other work of the event loop gets its turn. */
const SLICE = 100;

/** One message whose scan is collected. */
interface Member {
  /** Null for the whole library. */
  paths: readonly string[] | null;
  /** What was found out about each path; undefined without `settle`. */
  ends: readonly Ended[] | undefined;
  /** Null for files of any age. */
  minModTime: number | null;
  call: Call;
}

/** What to scan for several messages. */
interface Gathered {
  collected: Collected;
  settled?: Settled;
}

type ScanBurst = Burst<Member, Scanned>;

/** Scans for the messages of one node: once their files are complete, and with one scan for those that come in a burst. */
export class ScanCollector {
  readonly #settling = new Settling();
  /** The burst that messages join. */
  #open: ScanBurst | undefined;
  /** All bursts that have not ended. */
  readonly #bursts = new Set<ScanBurst>();
  /** How many messages are not in a burst. */
  #others = 0;
  readonly #libraries = new WeakMap<Server, RecentLibrary>();

  /**
   * Scans like `scan`, but once the files are complete if `settle` says so, and with other messages if `collect` does. All of
   * these get the same job.
   * @throws {StashError} as `scan`, PATH_NOT_IN_LIBRARY at once; QUEUE_FULL if too many are held.
   */
  async scan(server: Server, input: CollectedScanInput, call: Call): Promise<Scanned> {
    const { settle, collect, paths: given, minModTime = null } = input;
    if (collect === 0 && (settle === 0 || !given)) return await scan(server, input, call);
    if (this.#held >= server.maxHeld) {
      throw new StashError('QUEUE_FULL.scan', { details: { count: server.maxHeld }, retry: true });
    }
    let ends: readonly Ended[] | undefined;
    this.#others += 1;
    try {
      const library = this.#libraryOf(server);
      const known = given && (library.pathsOf(given) ?? (await library.check(given, call)));
      // A folder that will be scanned for one of its files has to be complete as a whole.
      const awaited = settle > 0 && known ? await library.scannable(given, known, call) : given;
      if (settle > 0 && awaited) ends = await this.#settling.untilComplete(awaited, input, call);
      if (collect === 0) return await scanComplete(server, input, ends ?? [], call);
    } finally {
      this.#others -= 1;
    }
    const paths = ends?.map(({ path }) => path) ?? given;
    // `await` would keep all of the above in memory for each message.
    // eslint-disable-next-line @typescript-eslint/return-await
    return this.#join(server, input, { paths, ends, minModTime, call });
  }

  /** How many messages are held. */
  get #held(): number {
    let held = this.#others;
    for (const burst of this.#bursts) held += burst.size;
    return held;
  }

  #join(server: Server, input: CollectedScanInput, member: Member): Promise<Scanned> {
    // All that joined an aborted one have been reset, or ended by a deploy.
    const burst = this.#open?.signal.aborted === false ? this.#open : this.#begin(server, input);
    const { call } = member;
    call.onHeld?.(burst);
    return burst.join(member, call.waiting);
  }

  #begin(server: Server, input: CollectedScanInput): ScanBurst {
    const burst: ScanBurst = new Burst(input.collect, input.collectAtMost || Infinity);
    this.#open = burst;
    this.#bursts.add(burst);
    void this.#run(server, burst, input).finally(() => this.#bursts.delete(burst));
    return burst;
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
      const gathered = await gather(server, burst, shared);
      if (!gathered) return;
      const { paths } = gathered.collected;
      const toScan = { ...input, paths, minModTime: earliestOf(burst.callers) };
      const result = { ...(await scanServerPaths(server, toScan, shared)), ...gathered };
      await burst.end(() => result);
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

/** Scans for one message what was found complete. */
async function scanComplete(
  server: Server,
  input: ScanInput,
  ends: readonly Ended[],
  call: Call,
): Promise<Scanned> {
  const found = new Map(ends.map(({ path, outcome }) => [path, outcome]));
  const toScan = notGone(found);
  const run = toScan.length > 0 ? scan : scanServerPaths;
  const result = await run(server, { ...input, paths: toScan }, call);
  return { instead: toScan, ...result, settled: settledOf(found) };
}

/**
 * Gathers what to scan for a burst; undefined if no message waits for it. A message with a path that is not in the library,
 * because that has changed, ends alone.
 */
async function gather(server: Server, burst: ScanBurst, call: Call): Promise<Gathered | undefined> {
  const { callers } = burst;
  if (!callers[0]?.paths) return { collected: { messages: callers.length, paths: null, areFolders: false } };
  const isSettled = callers[0].ends !== undefined;
  const library = new Library(server, await libraryFolders(server, call));
  const found = new Map<string, Outcome>();
  let messages = 0;
  for (const [index, member] of callers.entries()) {
    if (index % SLICE === 0) await setImmediate();
    const given = member.paths ?? [];
    const paths = library.pathsOf(given);
    if (paths) {
      messages += 1;
      for (const [at, path] of paths.entries()) found.set(path, member.ends?.[at]?.outcome ?? 'complete');
    } else {
      await library.refuse(given, member.call).catch((error: unknown) => {
        burst.fail(member, error);
      });
    }
  }
  if (messages === 0) return undefined;
  const fewest = await fewestPaths(notGone(found), library.folders);
  const paths = await scannablePaths(server, { library, paths: fewest.paths }, call);
  const covered = paths === fewest.paths ? fewest : await fewestPaths(paths, library.folders);
  const collected = { messages, ...covered };
  return { collected, ...(isSettled && { settled: settledOf(found) }) };
}

/** Returns the time since which all that any of these members wants has changed; null for files of any age. */
function earliestOf(members: readonly Member[]): number | null {
  let earliest = Infinity;
  for (const { minModTime } of members) earliest = Math.min(earliest, minModTime ?? -Infinity);
  return Number.isFinite(earliest) ? earliest : null;
}

function notGone(found: ReadonlyMap<string, Outcome>): readonly string[] {
  return [...found.keys()].filter((path) => found.get(path) !== 'gone');
}

function settledOf(found: ReadonlyMap<string, Outcome>): Settled {
  const settled = { complete: 0, unseen: 0, gone: 0 };
  for (const outcome of found.values()) settled[outcome] += 1;
  return settled;
}

/** The call of a scan for several messages. The first of them reports its progress. */
class SharedCall implements Call {
  readonly signal: Signal;
  readonly origin: string | undefined;
  readonly #burst: ScanBurst;
  /** The call that reports the job. */
  #reporter: Call | undefined;
  #operation: string | undefined;
  #job: JobRecord | undefined;

  constructor(burst: ScanBurst) {
    this.#burst = burst;
    this.signal = burst.signal;
    this.origin = burst.first?.call.origin;
  }

  get waiting(): Signal {
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
