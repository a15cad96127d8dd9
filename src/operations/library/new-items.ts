import { setImmediate } from 'node:timers/promises';
import { Alarm, BackOff } from '../../async';
import type { Call } from '../../call';
import type { FileKind } from '../../contract/kinds';
import { StashError } from '../../errors';
import { isRecord } from '../../guards';
import type { Server } from '../../server';
import { timing } from '../../timing';
import type { PersistedState } from '../../value-store';
import { fetchPicture, type FoundItem, libraryItems, type PicturedItem, type PictureFormat } from '../items';
import { newestIds } from './newest';

/** Reports new items. */
export interface NewItemsEvent {
  type: 'new';
  kind: FileKind;
  /** At least one, oldest first. */
  items: PicturedItem[];
  /** How many items the same poll has reported so far, of all kinds, with these. */
  count: number;
  /** The root field of the request. */
  operation: string;
  /** The fields that this server cannot give. */
  missing: string[];
}

/** An event for a listener to new items. */
export type NewEvent =
  | NewItemsEvent
  /** A poll has succeeded, and reported all that it found. */
  | { type: 'polled' }
  /** A poll has failed. It is repeated, and nothing is lost. An error that is no `StashError` is a bug. */
  | { type: 'failed'; error: unknown };

export interface NewItemsOptions {
  /** Returns what to report. It may change. */
  wanted: () => {
    kinds: readonly FileKind[];
    /** Report each item by itself. */
    each: boolean;
    picture: PictureFormat;
  };
  /** Keeps the highest ID that was reported, by kind. */
  cursors: PersistedState;
  /** Resolves when an event has arrived, after other work of the event loop; false if it was lost because of a deploy. */
  delivered: () => Promise<boolean>;
}

/** Items in one request. */
const BATCH = 100;
/** Pictures that are fetched at a time. */
const PICTURES = 3;
/** The most items in one event, and the most bytes of their pictures, unless a single one has more. */
const MOST_ITEMS = 1000;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reports what is new in the library since the last poll, each item once, oldest first. Polls when it starts, after each job
 * that has ended, after jobs may have been missed, and when the server is back. Requests nothing otherwise.
 *
 * The first poll of a kind only sets its cursor: the highest id. A cursor advances as soon as an item has
 * arrived, so a poll that fails or ends early loses nothing and repeats nothing.
 * @returns functions to call when what is wanted has changed, and to stop this.
 */
export function followNew(
  server: Server,
  options: NewItemsOptions,
  emit: (event: NewEvent) => void,
): { onChange: () => void; end: () => void } {
  const follower = new NewItems(server, options, emit);
  void follower.run();
  const unfollow = [
    server.reachability.subscribe(({ reachable }) => {
      follower.isUnreachable = !reachable;
    }),
    server.reachability.follow(({ type }) => {
      if (type === 'back') follower.checkNow();
    }),
    server.jobs.follow((event) => {
      // Any job may have added items: a scan, an import or the task of a plugin.
      if (event.type === 'ended' || event.type === 'gap') follower.check();
      else if (event.type === 'failed') emit(event);
    }),
  ];
  return {
    onChange: () => {
      follower.checkNow();
    },
    end: () => {
      for (const one of unfollow) one();
      follower.close();
    },
  };
}

class NewItems {
  /** Whether the server is known to be unreachable. */
  isUnreachable = false;
  readonly #server: Server;
  readonly #options: NewItemsOptions;
  readonly #emit: (event: NewEvent) => void;
  readonly #closing = new AbortController();
  readonly #call: Call = { signal: this.#closing.signal, waiting: this.#closing.signal };
  readonly #alarm = new Alarm();
  readonly #backOff = new BackOff({
    first: timing.newItems.firstRetry,
    longest: timing.newItems.longestRetry,
    jitter: 0.5,
  });
  #cursors: Partial<Record<FileKind, number>> = {};
  #isRequested = true;
  #settling: NodeJS.Timeout | undefined;
  /** How many items the current poll has reported. */
  #count = 0;

  constructor(server: Server, options: NewItemsOptions, emit: (event: NewEvent) => void) {
    this.#server = server;
    this.#options = options;
    this.#emit = emit;
  }

  /** Polls soon; again if a poll is running. */
  check(): void {
    this.#isRequested = true;
    this.#alarm.wake();
  }

  /** Polls at once, although earlier polls have failed. */
  checkNow(): void {
    this.#backOff.reset();
    this.check();
  }

  /** Stops. What was not reported yet is left to the next one with the same cursors. */
  close(): void {
    clearTimeout(this.#settling);
    this.#closing.abort(new StashError('CLOSED.closed'));
    this.#options.cursors.save();
  }

  /** Polls each time that one is due, until it is closed. */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    try {
      this.#cursors = await this.#read();
      for (;;) {
        await this.#alarm.sleepUntil(() => this.#due, signal);
        this.#isRequested = false;
        const mayRetry = await this.#checkAll();
        if (mayRetry) this.#backOff.fail();
        else this.#succeed();
      }
    } catch (error) {
      if (!signal.aborted) this.#emit({ type: 'failed', error });
    }
  }

  /** After the first success, checks once more: a job that ends while the connection opens may go unnoticed. */
  #succeed(): void {
    this.#backOff.reset();
    this.#settling ??= setTimeout(() => {
      this.check();
    }, timing.newItems.settle).unref();
  }

  get #due(): number {
    if (this.#backOff.failures > 0) return this.#backOff.retryAt;
    return this.#isRequested ? -Infinity : Infinity;
  }

  /** Polls each kind, also after one has failed. @returns whether a failed one may succeed later. */
  async #checkAll(): Promise<boolean> {
    const { wanted, cursors } = this.#options;
    const { kinds } = wanted();
    // A kind that is selected again later starts anew.
    this.#cursors = Object.fromEntries(
      Object.entries(this.#cursors).filter(([kind]) => kinds.includes(kind as FileKind)),
    );
    const errors: unknown[] = [];
    this.#count = 0;
    for (const kind of kinds) {
      try {
        await this.#checkKind(kind);
      } catch (error) {
        this.#closing.signal.throwIfAborted();
        errors.push(error);
      }
    }
    cursors.save();
    // An unreachable server comes back by itself.
    if (errors.length === 0) this.#emit({ type: 'polled' });
    else if (!this.isUnreachable) this.#emit({ type: 'failed', error: errors[0] });
    return errors.some((error) => !(error instanceof StashError && error.case === 'UNSUPPORTED.lacking'));
  }

  async #checkKind(kind: FileKind): Promise<void> {
    const { each, picture } = this.#options.wanted();
    const cursor = this.#cursors[kind];
    const { highest, above } = await newestIds(this.#server, kind, cursor, this.#call);
    // Another database: an older one may have been restored, which gives the ids above its own again.
    if (cursor === undefined || highest < cursor) this.#advance(kind, highest);
    let pending: PicturedItem[] = [];
    let bytes = 0;
    for (let start = 0; start < above.length; start += BATCH) {
      const batch = above.slice(start, start + BATCH);
      const ids = batch.map(String);
      const { items, ...about } = await libraryItems(this.#server, kind, ids, picture !== 'none', this.#call);
      for (let first = 0; first < items.length; first += PICTURES) {
        const some = items.slice(first, first + PICTURES);
        for (const item of await this.#withPictures(kind, some, picture)) {
          const size = item.picture?.length ?? 0;
          const isFull = pending.length >= MOST_ITEMS || bytes + size > MOST_BYTES;
          if (pending.length > 0 && isFull) pending = await this.#report(kind, pending, about);
          bytes = pending.length > 0 ? bytes + size : size;
          pending.push(item);
          if (each) pending = await this.#report(kind, pending, about);
        }
      }
      const isLast = start + BATCH >= above.length;
      if (isLast) pending = await this.#report(kind, pending, about);
      // Items that were removed meanwhile are not in the answer.
      if (pending.length === 0) this.#advance(kind, batch.at(-1) ?? 0);
      this.#options.cursors.save();
    }
  }

  /** Reports the pending items, and advances the cursor to the last of them when they have arrived. @returns an empty list. */
  async #report(
    kind: FileKind,
    items: PicturedItem[],
    about: Pick<NewItemsEvent, 'operation' | 'missing'>,
  ): Promise<PicturedItem[]> {
    const { signal } = this.#closing;
    const last = items.at(-1);
    if (last) {
      this.#count += items.length;
      const { delivered, cursors } = this.#options;
      do {
        signal.throwIfAborted();
        this.#emit({ type: 'new', kind, items, count: this.#count, ...about });
      } while (!(await delivered()));
      this.#advance(kind, Number(last.id));
      if (signal.aborted) cursors.save();
      signal.throwIfAborted();
    }
    return [];
  }

  #advance(kind: FileKind, id: number): void {
    this.#cursors[kind] = id;
    this.#options.cursors.set({ url: this.#server.url, ...this.#cursors });
  }

  /** Adds the pictures. A picture is null if it cannot be had, but an item waits for a server that is unreachable. */
  async #withPictures(kind: FileKind, found: FoundItem[], format: PictureFormat): Promise<PicturedItem[]> {
    return await Promise.all(
      found.map(async (one) => {
        try {
          return { ...one.item, ...(await fetchPicture(this.#server, one, format, this.#call)) };
        } catch (error) {
          this.#closing.signal.throwIfAborted();
          if (!(error instanceof StashError)) throw error;
          // Only the connection for the picture may be broken.
          await newestIds(this.#server, kind, this.#cursors[kind], this.#call);
          return { ...one.item, picture: null };
        }
      }),
    );
  }

  /** Returns the cursors of the wanted kinds; none if those in the store are of another address. */
  async #read(): Promise<Partial<Record<FileKind, number>>> {
    const { wanted, cursors } = this.#options;
    // The follower before this one may still wait for its last event to arrive.
    await setImmediate();
    const stored = await cursors.read();
    if (!isRecord(stored) || stored['url'] !== this.#server.url) return {};
    return Object.fromEntries(
      wanted().kinds.flatMap((kind) => {
        const cursor = stored[kind];
        return Number.isSafeInteger(cursor) ? [[kind, cursor as number]] : [];
      }),
    );
  }
}
