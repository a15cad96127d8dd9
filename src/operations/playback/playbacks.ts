import type { Call } from '../../call';
import type { WatchedView } from '../../contract/activity';
import { StashError } from '../../errors';
import type { Server } from '../../server';
import { fetchPicture, type Item, libraryItems, type PictureFormat, type WithPicture } from '../items';
import { followActivity, type Viewing } from './activity';
import type { PageState, Player } from './pages';

/** How long a player that saves rarely may be silent, in milliseconds for each second that it has saved. */
const SILENCE = 1500;
/** The longest time between two saves that counts for that, in seconds: who saves more has not watched it just now. */
const LONGEST_SAVE = 600;
/** How long a film that is paused counts as watched, in milliseconds: a forgotten tab must not hold the lights and the jobs. */
const LONGEST_PAUSE = 600_000;
/** How long after a page has told something its save may come, in milliseconds. */
const LATE_SAVE = 3000;
/** A page that has played for longer before it tells so has saved, so it is who has saved. In seconds. */
const UNSAVED = 3;
/** How many players to remember, and how many of one scene. */
const MOST_PLAYERS = 100;
/** Stands for all players that save and tell nothing: nobody knows how many they are. The ID of a page is never empty. */
const SAVER = '';

/** A scene that somebody watches, as a message has it. */
export interface WatchedScene extends Item, WithPicture {
  /** Where the viewer was last, in seconds; of several viewers, any of them. */
  position: number;
  /** For how long it was watched since it started, in seconds. */
  watched: number;
  /** The player that told of it last. Without the plugin in Stash, nobody knows it. */
  player?: Player;
}

/** Reports a scene that somebody watches. */
export interface SceneEvent {
  type: 'started' | 'progress' | 'paused' | 'resumed' | 'stopped';
  scene: WatchedScene;
  /** How many scenes are being watched now. */
  watching: number;
  /** The root field of the request for the scene. */
  operation: string;
  /** The fields of the scene that this server cannot give. */
  missing: readonly string[];
}

/** An event for a listener. */
export type PlaybackEvent =
  | SceneEvent
  /** All that was watched until now is reported. */
  | { type: 'polled'; watching: number }
  /** A poll has failed. It is repeated. An error that is no `StashError` is a bug. */
  | { type: 'failed'; error: unknown };

export interface PlaybackOptions {
  /** Returns what to report. It may change. */
  wanted: () => {
    /** How long without activity until a scene counts as stopped, in milliseconds. */
    quiet: number;
    picture: PictureFormat;
  };
  /** Resolves when an event has arrived; false if it was lost because of a deploy. */
  delivered: () => Promise<boolean>;
}

/** A player that plays a scene, or has paused it. */
interface Viewer {
  state: 'playing' | 'paused';
  /** When it was last seen, by `performance.now()`. */
  at: number;
  /** How much it saves at a time, in seconds; 0 for a page. */
  savedSeconds: number;
}

interface Playback {
  id: string;
  /** Undefined until it could be requested: nothing is reported before. */
  scene: (Pick<SceneEvent, 'operation' | 'missing'> & { item: Item; pictured: WithPicture }) | undefined;
  position: number;
  /** How long it was watched, by all that players have saved. */
  saved: number;
  /** How long it was played, by all that pages have told. */
  played: number;
  /** By the IDs of their players. */
  viewers: Map<string, Viewer>;
  /** As it was reported last. */
  state: Viewer['state'];
  /** The player that was seen last, if it is a page. */
  player: Player | undefined;
  /** Whether a player has saved since the last page with the film has paused it. */
  hasSavedPaused: boolean;
  /** Whether its silence began anew after polls that have failed. Only once: a server may fail again and again. */
  isExcused: boolean;
}

/**
 * Reports what is being watched on a server. The first poll only takes note of what was watched before. After polls that have
 * failed, what began meanwhile is not reported, and the silence of what was being watched begins anew.
 * @returns a function that ends it.
 */
export function followPlayback(
  server: Server,
  options: PlaybackOptions,
  emit: (event: PlaybackEvent) => void,
): () => void {
  const playbacks = new Playbacks(server, options, emit);
  const unfollow = followActivity(server, {
    onViewing: (viewing) => {
      playbacks.add(viewing);
    },
    onFailure: (error) => {
      playbacks.hide();
      // An unreachable server comes back by itself, and the status shows it.
      if (!server.reachability.outage) emit({ type: 'failed', error });
    },
  });
  return () => {
    unfollow();
    playbacks.close();
  };
}

class Playbacks {
  readonly #server: Server;
  readonly #options: PlaybackOptions;
  readonly #emit: (event: PlaybackEvent) => void;
  readonly #playbacks = new Map<string, Playback>();
  /** What each player has told last, by its ID. */
  readonly #states = new Map<string, PageState>();
  /** When a page has last told something of a scene, by its ID and `performance.now()`. */
  readonly #stateAt = new Map<string, number>();
  readonly #closing = new AbortController();
  readonly #call: Call;
  #isHidden = false;
  /** Viewings are processed one after another. */
  #processed = Promise.resolve();

  constructor(server: Server, options: PlaybackOptions, emit: (event: PlaybackEvent) => void) {
    this.#server = server;
    this.#options = options;
    this.#emit = emit;
    const { signal } = this.#closing;
    this.#call = { signal, waiting: signal };
    this.hide();
  }

  /** Takes what was watched, and reports what that says. */
  add(viewing: Viewing): void {
    this.#processed = this.#processed.then(async () => {
      try {
        await this.#process(viewing);
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#emit({ type: 'failed', error });
      }
    });
  }

  /** Shows nothing as being watched until the next poll: nobody knows. */
  hide(): void {
    this.#isHidden = true;
    this.#server.watched.set(this, []);
  }

  close(): void {
    this.#closing.abort(new StashError('CLOSED.closed'));
    this.#server.watched.delete(this);
  }

  async #process({ at, isPolled, isAfterGap, watched, pages }: Viewing): Promise<void> {
    for (const playback of this.#playbacks.values()) {
      if (!isAfterGap || playback.isExcused) continue;
      for (const viewer of playback.viewers.values()) viewer.at = at;
      playback.isExcused = true;
    }
    const errors: unknown[] = [];
    // First, because a page also says who plays.
    for (const page of pages) await this.#take(page, at, errors);
    const saving = new Set<Playback>();
    for (const [id, { seconds, position }] of watched) {
      const before = this.#playbacks.get(id);
      const isLate = at - (this.#stateAt.get(id) ?? -Infinity) < LATE_SAVE;
      if (!before && (isAfterGap || isLate)) continue;
      const playback = before ?? this.#begin(id);
      const { viewers } = playback;
      playback.saved += seconds;
      const ofPages = [...viewers].flatMap(([key, { state }]) => (key === SAVER ? [] : [state]));
      // A page says more about its film than what its player saves. A poll does not know when that was, and a player that is paused
      // saves once more when somebody seeks in a film that is transcoded.
      const isPaused = ofPages.length > 0 && !ofPages.includes('playing');
      const isFirst = isPaused && !playback.hasSavedPaused;
      if (isPaused && !isPolled && !isLate) playback.hasSavedPaused = true;
      if (isLate || isFirst || ofPages.includes('playing') || (isPaused && isPolled)) continue;
      const savedSeconds = isAfterGap ? viewers.get(SAVER)?.savedSeconds : Math.min(seconds, LONGEST_SAVE);
      see(playback, SAVER, { state: 'playing', at, savedSeconds: savedSeconds ?? 0 }, position);
      playback.player = undefined;
      saving.add(playback);
    }
    for (const playback of saving) await this.#reportState(playback, errors);
    // A line says nothing about the other scenes.
    if (isPolled) await this.#stopSilent(at, errors);
    // A server that the node no longer has would keep it for good.
    this.#closing.signal.throwIfAborted();
    this.#isHidden &&= !isPolled;
    if (!this.#isHidden) this.#server.watched.set(this, [...this.#playbacks.values()].flatMap(viewOf));
    if (errors.length > 0) throw errors[0];
    this.#emit({ type: 'polled', watching: this.#watching });
  }

  #begin(id: string): Playback {
    const playback: Playback = {
      id,
      scene: undefined,
      position: 0,
      saved: 0,
      played: 0,
      viewers: new Map(),
      state: 'playing',
      player: undefined,
      hasSavedPaused: false,
      isExcused: false,
    };
    this.#playbacks.set(id, playback);
    return playback;
  }

  /** Takes what a page tells of its player. */
  async #take(page: PageState, at: number, errors: unknown[]): Promise<void> {
    const { player, count, scene: id, state, position, seconds } = page;
    const last = this.#states.get(player.id);
    if (count <= (last?.count ?? 0)) return;
    put(this.#states, player.id, page);
    this.#stateAt.set(id, at);
    // A page has one film: that the one before has gone was lost.
    const other = last && last.scene !== id ? this.#playbacks.get(last.scene) : undefined;
    if (other?.viewers.delete(player.id)) await this.#reportState(other, errors);
    const before = this.#playbacks.get(id);
    if (!before && state !== 'playing') return;
    const playback = before ?? this.#begin(id);
    const { viewers } = playback;
    const isSame = last?.scene === id && last.state !== 'gone' && last.seconds <= seconds;
    const played = seconds - (isSame ? last.seconds : 0);
    playback.played += played;
    playback.hasSavedPaused = false;
    if (played > UNSAVED && viewers.get(player.id)?.state !== 'playing') viewers.delete(SAVER);
    see(playback, player.id, state === 'gone' ? undefined : { state, at, savedSeconds: 0 }, position);
    playback.player = player;
    await this.#reportState(playback, errors);
  }

  /** Reports what the players that were silent for too long change: the last one stops the scene. */
  async #stopSilent(at: number, errors: unknown[]): Promise<void> {
    const { quiet } = this.#options.wanted();
    for (const playback of this.#playbacks.values()) {
      const { viewers } = playback;
      for (const [key, { state, at: seenAt, savedSeconds }] of viewers) {
        const limit = state === 'paused' ? LONGEST_PAUSE : Math.max(quiet, savedSeconds * SILENCE);
        if (at - seenAt >= limit) viewers.delete(key);
      }
      if (stateOf(playback) !== playback.state) await this.#reportState(playback, errors);
    }
    for (const [id, stateAt] of this.#stateAt) if (at - stateAt >= LATE_SAVE) this.#stateAt.delete(id);
  }

  /** Reports what the players of a scene do now: that they have paused, go on, have stopped, or a progress. */
  async #reportState(playback: Playback, errors: unknown[]): Promise<void> {
    const before = playback.state;
    const now = stateOf(playback);
    if (!now) {
      this.#playbacks.delete(playback.id);
      await this.#report('stopped', playback, errors);
      return;
    }
    playback.state = now;
    const change = now === 'paused' ? 'paused' : 'resumed';
    await this.#report(now === before ? 'progress' : change, playback, errors);
  }

  get #watching(): number {
    return [...this.#playbacks.values()].filter(({ scene }) => scene).length;
  }

  /** Reports an event of a scene; that it has started, if nothing was reported of it before. Adds an error of the request to `errors`. */
  async #report(type: SceneEvent['type'], playback: Playback, errors: unknown[]): Promise<void> {
    const isNew = !playback.scene;
    if (isNew && type === 'stopped') return;
    try {
      await this.#refresh(playback);
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      errors.push(error);
    }
    if (!playback.scene) return;
    const { item, pictured, ...about } = playback.scene;
    const { position, player } = playback;
    // A player that is gone may not have saved its last seconds.
    const watched = Math.max(playback.saved, playback.played);
    const { signal } = this.#closing;
    do {
      signal.throwIfAborted();
      // Copied, because a flow may change its message.
      const copy = {
        ...structuredClone(item),
        ...copyOf(pictured),
        position,
        watched,
        ...(player && { player: { ...player } }),
      };
      this.#emit({ type: isNew ? 'started' : type, scene: copy, watching: this.#watching, ...about });
    } while (!(await this.#options.delivered()));
  }

  /**
   * Requests a scene as it is now: its title, tags or rating may be edited while it is watched. What is known of it stays if it was
   * removed, or cannot be requested again.
   */
  async #refresh(playback: Playback): Promise<void> {
    const { id, scene } = playback;
    try {
      playback.scene = (await this.#request(id, scene)) ?? scene;
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      if (!scene) throw error;
    }
  }

  /** Requests a scene, and its picture unless it is known; undefined if it was removed. */
  async #request(id: string, before: Playback['scene']): Promise<Playback['scene']> {
    const { picture } = this.#options.wanted();
    const { items, ...about } = await libraryItems(this.#server, 'scene', [id], false, this.#call);
    const [found] = items;
    if (!found) return undefined;
    if (before) return { ...about, item: found.item, pictured: before.pictured };
    const pictured = await fetchPicture(this.#server, found, picture, this.#call).catch(() => {
      this.#closing.signal.throwIfAborted();
      return { picture: null };
    });
    return { ...about, item: found.item, pictured };
  }
}

/** Notes what a player of a scene does; undefined if it has gone. */
function see(playback: Playback, key: string, viewer: Viewer | undefined, position: number): void {
  if (viewer) put(playback.viewers, key, viewer);
  else playback.viewers.delete(key);
  playback.isExcused = false;
  // Near the end, Stash saves 0, so that the next playback begins at the start.
  playback.position = position || playback.position;
}

/** Sets an entry as the newest one, and deletes the oldest ones of too many. */
function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const [oldest] of [...map].slice(0, -MOST_PLAYERS)) map.delete(oldest);
}

/** Returns what the players of a scene do: one that plays counts more than one that is paused. Undefined without any. */
function stateOf({ viewers }: Playback): Viewer['state'] | undefined {
  const states = new Set([...viewers.values()].map(({ state }) => state));
  return (['playing', 'paused'] as const).find((state) => states.has(state));
}

function viewOf(playback: Playback): WatchedView[] {
  const { scene, position, player } = playback;
  if (!scene) return [];
  const { id, title, url, seconds } = scene.item;
  const isPaused = stateOf(playback) === 'paused';
  const shown = { position, seconds: seconds ?? null, player: player ?? null, isPaused };
  return [{ id, title: title ?? id, url, ...shown }];
}

function copyOf({ picture }: WithPicture): WithPicture {
  if (picture === undefined) return {};
  return { picture: Buffer.isBuffer(picture) ? Buffer.from(picture) : picture };
}
