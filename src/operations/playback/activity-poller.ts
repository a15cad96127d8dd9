import { sleep } from '../../async';
import type { Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import type { Operation, Requirements, Schema, Server } from '../../server';
import { timing } from '../../timing';
import { itemsById, type RawItem, requirementsOf, selectItem, variantOn } from '../items';

/** How many of the scenes that were watched last a poll requests by their ids. */
const MOST_RECENT = 20;
/** Sums of fractions that differ by less are the same, in seconds. */
const TOLERANCE = 0.5;
/** Players save what was watched so often, in seconds. */
const SAVED_EVERY = 10;
/** The time of a scene that grows faster than so many viewers can watch it was set by an import or an edit. */
const MOST_VIEWERS = 5;

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

export interface ActivityPoll {
  /** By `performance.now()`. */
  at: number;
  /** Whether polls before this one have failed: then nobody knows when it was that scenes were watched. */
  isAfterFailure: boolean;
  /** The scenes that were watched since the poll before, by id. `seconds`: for how long. */
  watched: ReadonlyMap<string, { seconds: number; position: number }>;
}

/** Receives the polls, and the errors of those that fail. */
export interface ActivityListener {
  onPoll: (poll: ActivityPoll) => void;
  onFailure: (error: unknown) => void;
}

/** All playback nodes of a server share its polls. */
const pollers = new WeakMap<Server, ActivityPoller>();

/**
 * Polls for what is being watched on a server: Stash's player, and clients that do as it does, save every ten seconds where they
 * are, and add to how long the scene was watched.
 * @returns a function that removes the listener.
 */
export function followActivity(server: Server, listener: ActivityListener): () => void {
  const poller = pollers.get(server) ?? new ActivityPoller(server);
  pollers.set(server, poller);
  return poller.follow(listener);
}

class ActivityPoller {
  readonly #server: Server;
  readonly #listeners = new Set<ActivityListener>();
  #ending = new AbortController();
  /** All scenes that were ever watched, by id; undefined before the first poll. */
  #saved: ReadonlyMap<string, SavedActivity> | undefined;
  /** The ids of those that were watched last, the latest first. */
  #recent: readonly string[] = [];
  #polledAt = 0;
  #hasFailed = false;
  /** Why the server cannot be polled, until it is another release. */
  #lacking: StashError | undefined;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Polls until the last listener is removed. @returns a function that removes this one. */
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
      this.#saved = this.#lacking = undefined;
      this.#recent = [];
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const begin = performance.now();
      await this.#report({ signal, waiting: signal });
      await sleep(Math.max(begin + timing.playback - performance.now(), 0), signal);
    }
  }

  /** Polls, and reports the result to the listeners. @throws the reason of the call's signal. */
  async #report(call: Call): Promise<void> {
    try {
      const poll = await this.#poll(call);
      if (poll) for (const { onPoll } of this.#listeners) onPoll(poll);
    } catch (error) {
      call.signal.throwIfAborted();
      this.#hasFailed = true;
      if (error instanceof StashError && error.case === 'UNSUPPORTED.lacking') this.#lacking = error;
      for (const { onFailure } of this.#listeners) onFailure(error);
    }
  }

  /** Finds out what was watched since the last poll; undefined if this is the first one. */
  async #poll(call: Call): Promise<ActivityPoll | undefined> {
    if (this.#lacking && !(await this.#isUpgraded(call))) throw this.#lacking;
    this.#lacking = undefined;
    const before = this.#saved;
    // Before its set-up, a server answers as if its library were empty.
    if (!before) await this.#server.client.checkReady(call);
    const saved = before ? await this.#changed(before, call) : await this.#request(all, call);
    const at = performance.now();
    const longest = ((at - this.#polledAt) / 1000 + SAVED_EVERY) * MOST_VIEWERS;
    const isAfterFailure = this.#hasFailed;
    this.#saved = saved;
    this.#polledAt = at;
    this.#hasFailed = false;
    if (!before) return undefined;
    const watched = new Map<string, { seconds: number; position: number }>();
    for (const [id, { watched: now, position }] of saved) {
      const seconds = now - (before.get(id)?.watched ?? 0);
      if (seconds > 0 && seconds <= longest) watched.set(id, { seconds, position });
    }
    this.#recent = [...new Set([...watched.keys(), ...this.#recent])].slice(0, MOST_RECENT);
    return { at, isAfterFailure, watched };
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
  async #changed(
    before: ReadonlyMap<string, SavedActivity>,
    call: Call,
  ): Promise<ReadonlyMap<string, SavedActivity>> {
    const found = await this.#request<number | ReadonlyMap<string, SavedActivity>>(
      // Since v0.22.
      (schema) => (schema.has('StatsResultType', 'total_play_duration') ? TOTAL : all(schema)),
      call,
    );
    if (typeof found !== 'number') return found;
    const recent = await itemsById(this.#server, 'scene', this.#recent, activityReader, call);
    const saved = new Map(before);
    for (const [id, activity] of recent.items) saved.set(id, activity);
    let sum = 0;
    for (const { watched } of saved.values()) sum += watched;
    return Math.abs(found - sum) <= TOLERANCE ? saved : await this.#request(all, call);
  }

  async #request<Result>(build: (schema: Schema) => Operation<Result>, call: Call): Promise<Result> {
    return await this.#server.request({ kind: 'query', call, build });
  }
}

function saves(schema: Schema): boolean {
  return variantOn(schema, 'scene', 'watched') !== undefined;
}

/** Requests how long all scenes together were watched, in seconds. */
const TOTAL: Operation<number> = {
  rootField: 'stats',
  document: '{ stats { total_play_duration } }',
  read: parsed(isRecord, ({ total_play_duration: seconds }) => Number(seconds)),
};

/**
 * Requests all scenes that were ever watched.
 * @throws {StashError} UNSUPPORTED for a server that does not save what is watched.
 */
function all(schema: Schema): Operation<ReadonlyMap<string, SavedActivity>> {
  if (!saves(schema)) throw schema.lacks('play_duration', SAVES?.since);
  const { text, read } = activityReader(schema);
  return {
    rootField: 'findScenes',
    document: `query ($watched: SceneFilterType) { findScenes(filter: { per_page: -1 }, scene_filter: $watched) { scenes { ${text} } } }`,
    variables: { watched: { play_duration: { value: 0, modifier: 'NOT_EQUALS' } } },
    read: parsed(isRecord, ({ scenes }) => new Map(readScenes(scenes).map((raw) => [raw.id, read(raw)]))),
  };
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
