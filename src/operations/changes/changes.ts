import { BackOff, sleep, yieldToEventLoop } from '../../async';
import type { Call } from '../../call';
import type { Kind } from '../../contract/kinds';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { LogEntry, Server } from '../../server';
import { timing } from '../../timing';
import type { PersistedState } from '../../value-store';
import { BATCH, inputWord, type Item, libraryItems, messageFields } from '../items';
import { checkPlugin } from '../plugin';
import { type ChangeType, type HookCall, hookCallsIn } from './hooks';
import { OwnChanges } from './own';
import { keyOf, type PendingChange, PendingChanges } from './pending';

/** Reports what has happened to an item within a second. */
export interface ItemEvent {
  type: ChangeType;
  /** As it is now; of one that is gone only these two. */
  item: Pick<Item, 'id' | 'kind'> | Item;
  /** What was set, in the words of items, where Stash tells all of it. */
  fields?: readonly string[];
  /** The root field of the request for the item. */
  operation?: string;
  /** The fields of the item that this server cannot give. */
  missing: readonly string[];
}

/** An event for a listener. */
export type ChangesEvent =
  | ItemEvent
  /** Nobody knows what has happened since then (ISO 8601). */
  | { type: 'gap'; since: string }
  /** The plugin is there, and its lines are heard. */
  | { type: 'polled' }
  /** A request has failed, or changes cannot be heard. It is tried again. An error that is no `StashError` is a bug. */
  | { type: 'failed'; error: unknown };

export interface ChangesOptions {
  /** Returns what to report. It may change. */
  wanted: () => {
    kinds: readonly Kind[];
    types: readonly ChangeType[];
    /** At least one of these must have been set; empty: any. */
    fields: readonly string[];
    /** Whether to report also what mutations of this Node-RED change. */
    own: boolean;
  };
  /** Keeps until when everything was heard. */
  heard: PersistedState;
  /** Resolves when an event has arrived; false if it was lost because of a deploy. */
  delivered: () => Promise<boolean>;
}

/** How long a line of the log may take, in milliseconds. */
const LONGEST_DELAY = 2000;
/** What an input has beside the fields of an item. */
const NO_FIELDS = ['id', 'ids', 'clientMutationId'];

/**
 * Reports what is created, changed and removed on a server, as the plugin in Stash tells of it in the log.
 * @returns a function that ends this.
 */
export function followChanges(
  server: Server,
  options: ChangesOptions,
  emit: (event: ChangesEvent) => void,
): () => void {
  const changes = new ChangesFollower(server, options, emit);
  void changes.run();
  return () => changes.close();
}

class ChangesFollower {
  readonly #server: Server;
  readonly #options: ChangesOptions;
  readonly #emit: (event: ChangesEvent) => void;
  readonly #closing = new AbortController();
  readonly #call: Call = { signal: this.#closing.signal, waiting: this.#closing.signal };
  readonly #own = new OwnChanges();
  readonly #ends: (() => void)[] = [];
  #isInstalled = false;
  /** The log of which everything was heard, by its `logSince`; undefined before that, and while the plugin is missing. */
  #log: number | undefined;
  /** Until when everything was heard (ISO 8601); undefined if nothing ever was. */
  #heardAt: string | undefined;
  /** Until when the plugin is known to have run (ISO 8601); undefined while it is missing. */
  #ranAt: string | undefined;
  readonly #pending = new PendingChanges();
  #isReporting = false;

  constructor(server: Server, options: ChangesOptions, emit: (event: ChangesEvent) => void) {
    this.#server = server;
    this.#options = options;
    this.#emit = emit;
  }

  close(): void {
    this.#closing.abort(new StashError('CLOSED.closed'));
    for (const end of this.#ends) end();
    this.#options.heard.save();
  }

  /** Hears changes, and checks whether they can be heard, until it is closed. */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    const { jobs, reachability } = this.#server;
    try {
      const kept = await this.#options.heard.read();
      if (isRecord(kept) && kept['url'] === this.#server.url && isDate(kept['at']))
        this.#heardAt = kept['at'];
      signal.throwIfAborted();
      this.#ends.push(
        this.#server.followMutations((mutation) => this.#own.add(mutation)),
        jobs.followLog((lines) => this.#hear(lines)),
      );
      let polled = { at: -Infinity, log: undefined as number | undefined };
      let heardAt = performance.now();
      for (;;) {
        const { logSince: log } = jobs;
        const at = performance.now();
        // A server that is away comes back by itself.
        if (log !== undefined || reachability.outage) heardAt = at;
        const interval = this.#isInstalled ? timing.changes.poll : timing.changes.missingPoll;
        const isDue = log !== undefined && (polled.log !== log || at - polled.at >= interval);
        try {
          const isSilent = at - heardAt > timing.changes.longestSilence;
          const requestedAt = before(0);
          if (isDue || isSilent) await checkPlugin(this.#server, this.#call);
          if (isSilent) throw new StashError('UNSUPPORTED.noLog');
          if (isDue) {
            polled = { at, log };
            this.#isInstalled = true;
            this.#ranAt = requestedAt;
            this.#emit({ type: 'polled' });
          }
          // It may be long that a connection is broken before that is noticed.
          this.#noteHeard(timing.socket.ping + timing.socket.answer + LONGEST_DELAY);
        } catch (error) {
          this.#fail(error);
          if (error instanceof StashError && error.code === 'UNSUPPORTED') {
            this.#shortenHeard();
            this.#isInstalled = false;
            this.#log = this.#ranAt = undefined;
            polled = { at, log };
          }
        }
        await sleep(timing.changes.check, signal);
      }
    } catch (error) {
      if (!signal.aborted) this.#emit({ type: 'failed', error });
    }
  }

  #hear(lines: readonly LogEntry[]): void {
    this.#noteHeard(LONGEST_DELAY);
    const calls = hookCallsIn(lines);
    if (calls.length > 0 && this.#isInstalled) this.#ranAt = before(LONGEST_DELAY);
    for (const call of calls) {
      // At once, because a mutation explains its calls for some time only. Nothing else waits for what is being created.
      const isOwn = this.#own.explains(call);
      if (isOwn instanceof Promise) void isOwn.then((isOwnLater) => this.#add(call, isOwnLater));
      else this.#add(call, isOwn);
    }
  }

  /** Notes that everything was heard until so many milliseconds ago, and reports a gap before that. */
  #noteHeard(ago: number): void {
    const { logSince } = this.#server.jobs;
    if (!this.#isInstalled || logSince === undefined) return;
    const { heard } = this.#options;
    const isOther = this.#log !== logSince;
    if (isOther && this.#heardAt !== undefined) this.#emit({ type: 'gap', since: this.#heardAt });
    const at = before(ago);
    // The clock of the machine may have been set back.
    const isAhead = this.#heardAt !== undefined && this.#heardAt > before(0);
    if (isOther || this.#heardAt === undefined || at > this.#heardAt || isAhead) this.#heardAt = at;
    // What is still to be reported is lost if Node-RED ends: then the gap begins before it.
    if (!this.#isReporting) heard.set({ url: this.#server.url, at: this.#heardAt });
    if (isOther) heard.save();
    this.#log = logSince;
  }

  /** Notes that the log was heard, but since some time without the lines of the plugin. */
  #shortenHeard(): void {
    if (this.#ranAt === undefined || this.#heardAt === undefined || this.#heardAt < this.#ranAt) return;
    this.#heardAt = this.#ranAt;
    this.#options.heard.set({ url: this.#server.url, at: this.#heardAt });
  }

  /** Reports all that is pending. What cannot be requested now is requested again. */
  async #report(): Promise<void> {
    const { signal } = this.#closing;
    const { firstRetry: first, longestRetry: longest } = timing.changes;
    const backOff = new BackOff({ first, longest, jitter: 0.5 });
    this.#isReporting = true;
    try {
      // The whole batch of the log is pending by then.
      await yieldToEventLoop();
      while (this.#pending.size > 0) {
        const batch = this.#pending.take(BATCH);
        try {
          await this.#reportBatch(batch.filter((change) => this.#isWanted(change)));
          backOff.reset();
        } catch (error) {
          this.#fail(error);
          backOff.fail();
          await sleep(Math.max(backOff.retryAt - performance.now(), 0), signal);
        }
      }
    } catch (error) {
      if (!signal.aborted) this.#emit({ type: 'failed', error });
    } finally {
      this.#isReporting = false;
    }
  }

  #add(call: HookCall, isOwn: boolean): void {
    const { kinds, own } = this.#options.wanted();
    const { type, kind, id } = call;
    if ((isOwn && !own) || !kinds.includes(kind)) return;
    const sent = call.fields.filter((name) => !NO_FIELDS.includes(name));
    const fields = sent.map((name) => inputWord(kind, name));
    this.#pending.add({ type, kind, id, fields, isWhole: fields.length > 0 });
    if (!this.#isReporting) void this.#report();
  }

  /** Reports what can be requested; the others stay pending. @throws {StashError} as `Server.request` of one of the others. */
  async #reportBatch(batch: readonly PendingChange[]): Promise<void> {
    const found = new Map<string, Pick<ItemEvent, 'item' | 'operation' | 'missing'>>();
    const failed = new Map<string, unknown>();
    for (const kind of new Set(batch.map((change) => change.kind))) {
      const ids = batch.filter((one) => one.kind === kind && one.type !== 'removed').map(({ id }) => id);
      await this.#request(kind, ids, found, failed);
    }
    do {
      this.#closing.signal.throwIfAborted();
      for (const change of batch) {
        const { type, kind, id, fields, isWhole } = change;
        const gone = { item: { id, kind }, missing: [] };
        const about = type === 'removed' ? gone : found.get(keyOf(change));
        // One that was removed meanwhile is reported as such.
        if (about) this.#emit({ type, ...about, ...(type === 'changed' && isWhole && { fields }) });
      }
    } while (!(await this.#options.delivered()));
    if (failed.size === 0) return;
    this.#pending.putBack(batch.filter((change) => failed.has(keyOf(change))));
    throw [...failed.values()][0];
  }

  /** Requests items. One whose request fails does not hold the others back. */
  async #request(
    kind: Kind,
    ids: readonly string[],
    found: Map<string, Pick<ItemEvent, 'item' | 'operation' | 'missing'>>,
    failed: Map<string, unknown>,
  ): Promise<void> {
    try {
      const { items, ...about } = await this.#items(kind, ids);
      for (const item of items) found.set(keyOf(item), { item, ...about });
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      const isOfItem = error instanceof StashError && error.code === 'GRAPHQL';
      if (isOfItem && ids.length > 1) {
        const middle = Math.ceil(ids.length / 2);
        await this.#request(kind, ids.slice(0, middle), found, failed);
        await this.#request(kind, ids.slice(middle), found, failed);
      } else for (const id of ids) failed.set(keyOf({ kind, id }), error);
    }
  }

  /** Whether an event is wanted, now that all is known that has happened to the item. */
  #isWanted({ type, fields }: PendingChange): boolean {
    const { types, fields: wanted } = this.#options.wanted();
    const isOfFields = wanted.length === 0 || fields.some((name) => wanted.includes(name));
    return types.includes(type) && (type !== 'changed' || isOfFields);
  }

  async #items(kind: Kind, ids: readonly string[]) {
    try {
      const found = await libraryItems(this.#server, kind, ids, false, this.#call);
      return { ...found, items: found.items.map(({ item }) => item) };
    } catch (error) {
      // Older releases have no request for a marker.
      if (!(error instanceof StashError && error.case === 'UNSUPPORTED.lacking')) throw error;
      return { items: ids.map((id) => ({ id, kind })), missing: messageFields(kind) };
    }
  }

  /** Reports an error. @throws the reason of closing. */
  #fail(error: unknown): void {
    this.#closing.signal.throwIfAborted();
    // A server that is away comes back by itself.
    if (!(error instanceof StashError && this.#server.reachability.outage))
      this.#emit({ type: 'failed', error });
  }
}

/** Returns a time so many milliseconds ago (ISO 8601). */
function before(ago: number): string {
  return new Date(Date.now() - ago).toISOString();
}

function isDate(value: unknown): value is string {
  return isString(value) && !Number.isNaN(Date.parse(value));
}
