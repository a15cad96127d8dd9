import { sleep } from '../../async';
import type { Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import type { LogEntry, Operation, Requirements, Schema, Server } from '../../server';
import { timing } from '../../timing';
import { itemsById, type RawItem, requirementsOf, selectItem, variantOn } from '../items';
import { type PageState, pageStatesIn } from './pages';
import { savesIn } from './saves';

/** How many of the scenes that were watched last a poll requests by their ids. */
const MOST_RECENT = 20;
/** Sums of fractions that differ by less are the same, in seconds. */
const TOLERANCE = 0.5;

/** What a server saves about a scene that is watched, since v0.18.0. */
const FIELDS = ['watched', 'position'];
const SAVES = requirementsOf('scene', FIELDS)['watched'];

/** What the dialog offers that not every release has. */
export const playbackRequirements: Requirements = SAVES
  ? { started: SAVES, progress: SAVES, stopped: SAVES }
  : {};

/** What the server has saved about a scene, in seconds. */
interface SavedActivity {
  /** How long it was watched in all. */
  watched: number;
  /** Where its last viewer is; 0 near the end. */
  position: number;
}

/** What the server has saved about its scenes. */
interface SavedScenes {
  /** How many scenes there are. */
  count: number;
  /** Those that were ever watched, by ID. */
  scenes: ReadonlyMap<string, SavedActivity>;
}

/** That a scene was watched: for how long, and where its viewer is, in seconds. */
interface Watched {
  seconds: number;
  position: number;
}

/** What a poll has found, and no line has explained yet. */
interface Unheard extends Watched {
  /** When it was found, by `performance.now()`. */
  at: number;
  /** Whether the log was without a gap then. */
  isWhole: boolean;
}

/** What was watched, by a line of the log or by a poll. */
export interface Viewing {
  /** By `performance.now()`. */
  at: number;
  /** Whether a poll has found it, and so all that was watched until now is known. */
  isPolled: boolean;
  /** Whether nobody knows when it was that scenes were watched: polls have failed before this one, or it was late. */
  isAfterGap: boolean;
  /** The scenes that were watched since the one before, by ID. `seconds`: for how long. */
  watched: ReadonlyMap<string, Watched>;
  /** What pages of Stash tell of their players since then, in this order. */
  pages: readonly PageState[];
}

/** Receives what was watched, and the errors of polls that fail. */
export interface ActivityListener {
  onViewing: (viewing: Viewing) => void;
  onFailure: (error: unknown) => void;
}

/** All playback nodes of a server share its log and its polls. */
const followers = new WeakMap<Server, ActivityFollower>();

/**
 * Follows what is being watched on a server. Stash's player, and clients that do as it does, save every ten seconds where they are, and
 * add to how long the scene was watched. Each save is a line of the server's log. Where there is no log, or it does not have the saves, a
 * poll shows that they have added something.
 * @returns a function that removes the listener.
 */
export function followActivity(server: Server, listener: ActivityListener): () => void {
  const follower = followers.get(server) ?? new ActivityFollower(server);
  followers.set(server, follower);
  return follower.follow(listener);
}

class ActivityFollower {
  readonly #server: Server;
  readonly #listeners = new Set<ActivityListener>();
  #ending = new AbortController();
  /** How many scenes there are; undefined before the first poll. */
  #count: number | undefined;
  /** All scenes that were ever watched, by ID, with what the log has added since the last poll. */
  #saved = new Map<string, SavedActivity>();
  /** What polls have found without a line in the log: the line comes late, or there is none. By ID. */
  readonly #unheard = new Map<string, Unheard>();
  /** The log that has had a save: its lines are understood. By its `logSince`. */
  #understood: number | undefined;
  /** When scenes were watched last, by ID and `performance.now()`; the latest comes last. */
  readonly #watchedAt = new Map<string, number>();
  /** When a line has told of a scene, by its ID and `performance.now()`; only since the last poll began. */
  readonly #heardAt = new Map<string, number>();
  #polledAt = 0;
  /** Whether polls have failed since the last one, or one was late. */
  #hasGap = false;
  /** Why the server cannot be polled, until it is another release. */
  #lacking: StashError | undefined;
  #unfollowLog: (() => void) | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Follows the server until the last listener is removed. @returns a function that removes this one. */
  follow(listener: ActivityListener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#ending = new AbortController();
      this.#run(this.#ending.signal).catch(() => undefined);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#ending.abort(new StashError('CLOSED.closed'));
      this.#unfollowLog?.();
      this.#unfollowLog = this.#count = this.#lacking = undefined;
      for (const map of [this.#saved, this.#unheard, this.#watchedAt, this.#heardAt]) map.clear();
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    // By the system clock, which goes on while the machine is suspended.
    for (let before = Date.now(); ;) {
      const begin = performance.now();
      const now = Date.now();
      this.#hasGap ||= now - before > timing.latePlayback;
      before = now;
      await this.#report({ signal, waiting: signal });
      await sleep(Math.max(begin + timing.playback - performance.now(), 0), signal);
    }
  }

  /** Polls, and reports the result to the listeners. @throws the reason of the call's signal. */
  async #report(call: Call): Promise<void> {
    try {
      await this.#poll(call);
    } catch (error) {
      call.signal.throwIfAborted();
      this.#hasGap = true;
      if (error instanceof StashError && error.case === 'UNSUPPORTED.lacking') this.#lacking = error;
      for (const { onFailure } of this.#listeners) onFailure(error);
    }
  }

  /** Finds out what was watched since the last poll. The first one only takes note of what was watched before. */
  async #poll(call: Call): Promise<void> {
    if (this.#lacking && !(await this.#isUpgraded(call))) throw this.#lacking;
    this.#lacking = undefined;
    const isFirst = this.#count === undefined;
    const at = performance.now();
    // Before its set-up, a server answers as if its library were empty.
    if (isFirst) await this.#server.client.checkReady(call);
    const { count, scenes } = isFirst ? await this.#request(all, call) : await this.#changed(call);
    call.signal.throwIfAborted();
    const watched = isFirst ? new Map<string, Watched>() : this.#unexplained({ count, scenes }, at);
    const saved = new Map(scenes);
    // What was heard since the poll began may not be in its response yet.
    for (const [id, heardAt] of this.#heardAt) {
      const heard = heardAt > at ? this.#saved.get(id) : undefined;
      if (heard) saved.set(id, heard);
      else this.#heardAt.delete(id);
    }
    this.#saved = saved;
    this.#count = count;
    const isAfterGap = this.#hasGap;
    this.#polledAt = at;
    this.#hasGap = false;
    this.#unfollowLog ??= this.#server.jobs.followLog((lines) => {
      this.#hear(lines);
    });
    if (!isFirst) this.#emit({ watched, pages: [], isPolled: true, isAfterGap });
  }

  /**
   * Takes what pages tell in a batch of the log, and the saves of players, whose time the next poll will find, or the last one has
   * found.
   */
  #hear(lines: readonly LogEntry[]): void {
    const watched = new Map<string, Watched>();
    for (const { id, seconds, position, isLater } of savesIn(lines)) {
      const before = this.#saved.get(id) ?? { watched: 0, position: 0 };
      const unheard = this.#unheard.get(id);
      // What a poll has found after a gap is another save than this one, if that is elsewhere: its line was lost.
      const mayBePolled =
        unheard?.isWhole === true || position === undefined || position === unheard?.position;
      const isPolled = unheard !== undefined && mayBePolled && unheard.seconds > seconds - TOLERANCE;
      if (isPolled) unheard.seconds -= seconds;
      if (unheard && unheard.seconds <= TOLERANCE) this.#unheard.delete(id);
      const last = {
        watched: before.watched + (isPolled ? 0 : seconds),
        position: position ?? before.position,
      };
      this.#saved.set(id, last);
      this.#heardAt.set(id, performance.now());
      if (isLater) continue;
      watched.set(id, { seconds: (watched.get(id)?.seconds ?? 0) + seconds, position: last.position });
    }
    const pages = pageStatesIn(lines, (text) => this.#server.redact(text));
    if (watched.size > 0) this.#understood = this.#server.jobs.logSince;
    else if (pages.length === 0) return;
    this.#emit({ watched, pages, isPolled: false, isAfterGap: false });
  }

  #emit(viewing: Omit<Viewing, 'at'>): void {
    const at = performance.now();
    for (const id of viewing.watched.keys()) {
      this.#watchedAt.delete(id);
      this.#watchedAt.set(id, at);
    }
    for (const [id] of [...this.#watchedAt].slice(0, -MOST_RECENT)) this.#watchedAt.delete(id);
    for (const { onViewing } of this.#listeners) onViewing({ at, ...viewing });
  }

  /**
   * Returns what is being watched by what a poll has found, and no line of the log explains. A line may be late, so with a log, a poll
   * waits for the next one. Of a log that has had saves, what no line explains is none.
   * @param at when the poll began.
   */
  #unexplained({ count, scenes }: SavedScenes, at: number): ReadonlyMap<string, Watched> {
    const watched = new Map<string, Watched>();
    const { logSince } = this.#server.jobs;
    const isWhole = logSince !== undefined && logSince <= this.#polledAt;
    const isUnderstood = isWhole && this.#understood === logSince;
    for (const [id, unheard] of this.#unheard) {
      const mayBeHeard = unheard.isWhole && isWhole;
      // A line may have told since where its viewer is.
      if (!mayBeHeard)
        watched.set(id, { ...unheard, position: scenes.get(id)?.position ?? unheard.position });
      if (!mayBeHeard || isUnderstood || at - unheard.at > timing.unheardPlayback) this.#unheard.delete(id);
    }
    for (const [id, { watched: now, position }] of scenes) {
      const before = this.#saved.get(id);
      const seconds = now - (before?.watched ?? 0);
      if (seconds <= TOLERANCE || !this.#isBeingWatched(id, before, position, count)) continue;
      if (logSince === undefined || this.#unheard.delete(id)) watched.set(id, { seconds, position });
      else this.#unheard.set(id, { seconds, position, at, isWhole });
    }
    return watched;
  }

  /** Whether it is a viewer who has added to the time of a scene, and not an import, a merge or an edit. */
  #isBeingWatched(id: string, before: SavedActivity | undefined, position: number, count: number): boolean {
    const isFollowed = performance.now() - (this.#watchedAt.get(id) ?? -Infinity) < timing.followedPlayback;
    // Without a former activity, it may be one of those that were added since the last poll.
    const isNew = !before && count !== this.#count;
    return isFollowed || (!isNew && position !== (before?.position ?? 0));
  }

  /** Requests whether a server that did not save what is watched may do so now. The schema is too large to read it each time. */
  async #isUpgraded(call: Call): Promise<boolean> {
    const isOther = await this.#request(
      (schema) => ({
        rootField: 'version',
        document: '{ version { version } }',
        read: (version) => saves(schema) || schema.isOutdated(version, (text) => this.#server.redact(text)),
      }),
      call,
    );
    if (isOther) this.#server.client.discardSchema();
    return isOther;
  }

  /** Reads all scenes only if those that were watched last do not explain how much more was watched in all. */
  async #changed(call: Call): Promise<SavedScenes> {
    const found = await this.#request<Totals | SavedScenes>(
      // Since v0.22.
      (schema) => (schema.has('StatsResultType', 'total_play_duration') ? TOTALS : all(schema)),
      call,
    );
    if ('scenes' in found) return found;
    const recent = await itemsById(this.#server, 'scene', [...this.#watchedAt.keys()], activityReader, call);
    const scenes = new Map(this.#saved);
    for (const [id, activity] of recent.items) scenes.set(id, activity);
    let sum = 0;
    for (const { watched } of scenes.values()) sum += watched;
    if (Math.abs(found.seconds - sum) > TOLERANCE) return await this.#request(all, call);
    return { count: found.count, scenes };
  }

  async #request<Result>(build: (schema: Schema) => Operation<Result>, call: Call): Promise<Result> {
    return await this.#server.request({ kind: 'query', call, build });
  }
}

function saves(schema: Schema): boolean {
  return variantOn(schema, 'scene', 'watched') !== undefined;
}

/** What a server knows about all scenes. */
interface Totals {
  count: number;
  /** For how long they were watched. */
  seconds: number;
}

const TOTALS: Operation<Totals> = {
  rootField: 'stats',
  document: '{ stats { scene_count total_play_duration } }',
  read: parsed(isRecord, ({ scene_count: count, total_play_duration: seconds }) => ({
    count: Number(count),
    seconds: Number(seconds),
  })),
};

/**
 * Requests all scenes that were ever watched.
 * @throws {StashError} UNSUPPORTED for a server that does not save what is watched.
 */
function all(schema: Schema): Operation<SavedScenes> {
  if (!saves(schema)) throw schema.lacks('play_duration', SAVES?.since);
  const { text, read } = activityReader(schema);
  return {
    rootField: 'findScenes',
    document: `query ($watched: SceneFilterType) { findScenes(filter: { per_page: -1 }, scene_filter: $watched) { scenes { ${text} } } stats { scene_count } }`,
    variables: { watched: { play_duration: { value: 0, modifier: 'NOT_EQUALS' } } },
    isWhole: true,
    read: parsed(isAnswer, ({ findScenes, stats }) => ({
      count: Number(stats['scene_count']),
      scenes: new Map(readScenes(findScenes['scenes']).map((raw) => [raw.id, read(raw)])),
    })),
  };
}

function isAnswer(data: unknown): data is Record<'findScenes' | 'stats', Record<string, unknown>> {
  return isRecord(data) && isRecord(data['findScenes']) && isRecord(data['stats']);
}

const readScenes = parsed(arrayOf(hasString('id')), (scenes) => scenes);

function activityReader(schema: Schema): { text: string; read: (raw: RawItem) => SavedActivity } {
  const { text, read } = selectItem(schema, 'scene', FIELDS);
  return {
    text: `id ${text}`,
    read: (raw) => {
      const { watched, position } = read(raw) as Record<string, unknown>;
      return { watched: Number(watched), position: Number(position) };
    },
  };
}
