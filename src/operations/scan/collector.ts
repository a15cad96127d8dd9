import { isDeepStrictEqual } from 'node:util';
import { Alarm, sleep, untilAborted } from '../../async';
import type { Call, CallEvent } from '../../call';
import { StashError } from '../../errors';
import { type Ended, Settling } from '../../files';
import { fewestPaths } from '../../paths';
import type { JobRecord } from '../../records';
import type { Server } from '../../server';
import { timing } from '../../timing';
import { RecentLibrary } from './recent-library';
import { type Collected, scan, type Scanned, type ScanInput, scanServerPaths, type Settled } from './scan';

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

/** One message whose scan is collected. */
interface BatchEntry {
  /** Its paths, and what was found out about each; null for the whole library. */
  readonly files: readonly Ended[] | null;
  /** Null for files of any age. */
  readonly minModTime: number | null;
  readonly call: Call;
  /** When it began to wait for others, by `performance.now()`. */
  readonly since: number;
}

/** Scans for the messages of one node: once their files are complete, and with one scan for those that come in a batch. */
export class ScanCollector {
  readonly #settling = new Settling();
  /** The batch that messages join. */
  #open: Batch | undefined;
  /** How many messages wait, or wait for the end of their job. */
  #pending = 0;

  /**
   * Scans like `scan`, but once the files are complete if `settle` says so, and with other messages if `collect` does. All of
   * these get the same job.
   * @throws {StashError} as `scan`, PATH_NOT_IN_LIBRARY at once; QUEUE_FULL if too many wait.
   */
  async scan(server: Server, input: CollectedScanInput, call: Call): Promise<Scanned> {
    const { settle, collect, paths, minModTime = null } = input;
    if (collect === 0 && (settle === 0 || !paths)) return await scan(server, input, call);
    if (this.#pending >= server.maxQueued) {
      throw new StashError('QUEUE_FULL.scan', { details: { count: server.maxQueued }, retry: true });
    }
    this.#pending += 1;
    try {
      const files = paths && (await this.#untilComplete(server, paths, input, call));
      if (collect === 0) return await scanComplete(server, input, files ?? [], call);
      // Every message of an abandoned one has been reset, or ended by a deploy.
      const since = performance.now();
      const open = this.#open?.signal.aborted ? undefined : this.#open;
      const batch = open?.fits(input) ? open : new Batch(input, since);
      if (batch !== open) void this.#run(server, batch, input);
      return await batch.add({ files, minModTime, call, since });
    } finally {
      this.#pending -= 1;
    }
  }

  /** Checks that paths are in the library, and waits until they are complete if `settle` says so. */
  async #untilComplete(
    server: Server,
    given: readonly string[],
    input: CollectedScanInput,
    call: Call,
  ): Promise<readonly Ended[]> {
    const library = RecentLibrary.of(server);
    const resolved = await library.resolve(given, call).catch((error: unknown) => {
      const isRefused = error instanceof StashError && error.code === 'PATH_NOT_IN_LIBRARY';
      // Otherwise the scan itself reports the error.
      if (isRefused || call.waiting.aborted) throw error;
    });
    if (input.settle === 0) return given.map((path) => ({ path, outcome: 'complete' }));
    // A folder that will be scanned for one of its files has to be complete as a whole.
    const awaited = resolved && (await library.scannable(resolved, call)).map(({ here }) => here);
    return await this.#settling.untilComplete(awaited ?? given, input, call);
  }

  /** Starts one scan for a batch, as soon as no message has come for a while. Throws nothing. */
  async #run(server: Server, batch: Batch, input: CollectedScanInput): Promise<void> {
    this.#open = batch;
    try {
      await batch.untilDue();
    } catch {
      // Nobody waits any more.
      return;
    } finally {
      // What comes from now on belongs to the next scan.
      if (this.#open === batch) this.#open = undefined;
    }
    const shared = new SharedCall(batch);
    try {
      const result = await retryUnreachable(() => scanFor(server, batch, input, shared), shared);
      if (!result) return;
      batch.end(({ resolve }) => {
        resolve(result);
      });
    } catch (error) {
      batch.end(({ reject }, { call }) => {
        shared.reportTo(call);
        reject(error);
      });
    }
  }
}

/** Scans for one message what was found complete. */
async function scanComplete(
  server: Server,
  input: ScanInput,
  files: readonly Ended[],
  call: Call,
): Promise<Scanned> {
  const paths = pathsToScan(files);
  const settled = settledOf(files);
  if (paths.length === 0) return { ...(await scanServerPaths(server, [], input, call)), settled };
  // Another name if a file has got its final one. `scan` may replace it by a folder.
  return { replacedBy: paths, ...(await scan(server, { ...input, paths }, call)), settled };
}

/** Tries again for a while if the server cannot be reached, so that nothing was sent. */
async function retryUnreachable<Result>(task: () => Promise<Result>, call: SharedCall): Promise<Result> {
  const giveUpAt = performance.now() + timing.collect.longestOutage;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      const isUnreachable = error instanceof StashError && error.code === 'UNREACHABLE' && !call.hasJob;
      if (!isUnreachable || performance.now() > giveUpAt) throw error;
      await sleep(timing.collect.retry, call.signal);
    }
  }
}

/**
 * Scans for a batch; undefined if no message waits for it. A message whose path is not in the library ends alone:
 * the server was unreachable when it came, or the library has changed.
 */
async function scanFor(
  server: Server,
  batch: Batch,
  input: CollectedScanInput,
  call: SharedCall,
): Promise<Scanned | undefined> {
  const { entries } = batch;
  const scanCollected = async (collected: Collected) => {
    const options = { ...input, minModTime: earliestOf(batch.entries) };
    return { ...(await scanServerPaths(server, collected.paths, options, call)), collected };
  };
  if (!entries[0]?.files)
    return await scanCollected({ messages: entries.length, paths: null, areFolders: false });
  const recent = RecentLibrary.of(server);
  const resolved = await Promise.all(
    entries.map(async (entry) => {
      const files = entry.files ?? [];
      try {
        return [{ files, ...(await recent.resolve(pathsToScan(files), entry.call)) }];
      } catch (error) {
        const isRefused = error instanceof StashError && error.code === 'PATH_NOT_IN_LIBRARY';
        if (!isRefused && !entry.call.waiting.aborted) throw error;
        batch.fail(entry, error);
        return [];
      }
    }),
  );
  const kept = resolved.flat();
  if (kept.length === 0) return undefined;
  // The newest one: it may have been requested again for a message.
  const { library } = await recent.resolve([], call);
  const paths = kept.flatMap((one) => one.paths);
  const there = (await recent.scannable({ library, paths }, call)).map((path) => path.there);
  const scanned = await scanCollected({ messages: kept.length, ...fewestPaths(there, library.folders) });
  return input.settle > 0 ? { ...scanned, settled: settledOf(kept.flatMap(({ files }) => files)) } : scanned;
}

/** Returns the time since which all that any of these entries wants has changed; null for files of any age. */
function earliestOf(entries: readonly BatchEntry[]): number | null {
  const times = entries.map(({ minModTime }) => minModTime ?? -Infinity);
  const earliest = times.reduce((one, other) => Math.min(one, other), Infinity);
  return Number.isFinite(earliest) ? earliest : null;
}

/** Returns the paths of files that are there, each once. */
function pathsToScan(files: readonly Ended[]): string[] {
  return [...new Set(files.flatMap(({ path, outcome }) => (outcome === 'gone' ? [] : [path])))];
}

function settledOf(files: readonly Ended[]): Settled {
  const settled = { complete: 0, unseen: 0, gone: 0 };
  for (const outcome of new Map(files.map(({ path, outcome }) => [path, outcome])).values())
    settled[outcome] += 1;
  return settled;
}

interface Ending {
  resolve: (result: Scanned) => void;
  reject: (error: unknown) => void;
}

/** Messages that share one scan. */
class Batch {
  readonly #endings = new Map<BatchEntry, Ending>();
  readonly #abandoned = new AbortController();
  readonly #input: CollectedScanInput;
  readonly #latest: number;
  /** When the scan starts unless another entry comes, by `performance.now()`. */
  due: number;
  #last: BatchEntry | undefined;

  /** @param input that of the first entry. @param since when it came, by `performance.now()`. */
  constructor(input: CollectedScanInput, since: number) {
    this.#input = input;
    this.#latest = since + (input.collectAtMost || Infinity);
    this.due = this.#dueAfter(since);
  }

  /** Aborted when the last entry has left. */
  get signal(): AbortSignal {
    return this.#abandoned.signal;
  }

  /** The one that has waited longest; once none waits, the one that left last. */
  get first(): BatchEntry | undefined {
    return this.#endings.keys().next().value ?? this.#last;
  }

  /** Those that wait, in the order in which they came. */
  get entries(): readonly BatchEntry[] {
    return [...this.#endings.keys()];
  }

  /** Waits for the scan. @throws the error with which the wait ends; the reason of the entry's call. */
  async add(entry: BatchEntry): Promise<Scanned> {
    this.due = Math.max(this.due, this.#dueAfter(entry.since));
    const ended = new Promise<Scanned>((resolve, reject) => this.#endings.set(entry, { resolve, reject }));
    entry.call.report?.({ delay: this });
    try {
      return await untilAborted(ended, entry.call.waiting);
    } finally {
      this.#endings.delete(entry);
      this.#last = entry;
      if (this.#endings.size === 0) this.#abandoned.abort(new Error('Nobody waits.'));
    }
  }

  /** Waits until no entry has come for a while. @throws the reason of `signal`. */
  async untilDue(): Promise<void> {
    await new Alarm().sleepUntil(() => this.due, this.signal);
  }

  #dueAfter(since: number): number {
    return Math.min(this.#latest, since + this.#input.collect);
  }

  /** Whether a message has the same options as the entries: a deploy may have changed those of the node. */
  fits(input: CollectedScanInput): boolean {
    const own = { paths: undefined, minModTime: undefined };
    return isDeepStrictEqual({ ...input, ...own }, { ...this.#input, ...own });
  }

  fail(entry: BatchEntry, error: unknown): void {
    this.#endings.get(entry)?.reject(error);
  }

  end(end: (ending: Ending, entry: BatchEntry) => void): void {
    for (const [entry, ending] of this.#endings) end(ending, entry);
  }
}

/** The call of a scan for several messages. The first of them reports its progress. */
class SharedCall implements Call {
  readonly signal: AbortSignal;
  readonly waiting: AbortSignal;
  readonly since: number | undefined;
  readonly origin: string | undefined;
  readonly node: string | undefined;
  readonly #batch: Batch;
  /** The call that reports the job. */
  #reporter: Call | undefined;
  #operation: string | undefined;
  #job: JobRecord | undefined;

  constructor(batch: Batch) {
    this.#batch = batch;
    this.signal = this.waiting = batch.signal;
    this.since = this.#first?.since;
    this.origin = this.#first?.origin;
    this.node = this.#first?.node;
  }

  get hasJob(): boolean {
    return this.#job !== undefined;
  }

  get messages(): number {
    return this.#batch.entries.length;
  }

  get #first(): Call | undefined {
    return this.#batch.first?.call;
  }

  readonly report = (event: CallEvent): void => {
    if ('operation' in event) {
      this.#operation = event.operation;
    } else if ('sent' in event || 'delay' in event) {
      for (const { call } of this.#batch.entries) call.report?.(event);
    } else if ('job' in event) {
      this.#job = event.job;
      this.#reporter = this.#first;
      this.#reporter?.report?.(event);
    } else {
      this.#first?.report?.(event);
    }
  };

  /** Reports the operation and the job to another call, before it ends. */
  reportTo(call: Call): void {
    if (this.#operation !== undefined) call.report?.({ operation: this.#operation });
    if (this.#job && call !== this.#reporter) call.report?.({ job: this.#job, progress: null });
  }
}
