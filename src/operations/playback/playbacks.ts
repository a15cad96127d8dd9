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
/** How long after the page of a player has gone its last save may come, in milliseconds. */
const LAST_SAVE = 3000;
/** How many players to remember, of which what arrives late is left out. */
const MOST_PLAYERS = 100;

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

interface Playback {
  id: string;
  /** Undefined until it could be requested: nothing is reported before. */
  scene: (Pick<SceneEvent, 'operation' | 'missing'> & { item: Item; pictured: WithPicture }) | undefined;
  position: number;
  /** How long it was watched, by all that players have saved. */
  saved: number;
  /** How long it was watched until the last save. */
  savedSeconds: number;
  /** The pages that play it, or have played it, by the IDs of their players. */
  pages: Map<string, PageState>;
  /** When it was last seen that somebody watches it, by `performance.now()`. */
  activeAt: number;
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
  /** The last `count` of each player, by ID. */
  readonly #counts = new Map<string, number>();
  /** When the last page of a scene has gone, by ID and `performance.now()`. */
  readonly #goneAt = new Map<string, number>();
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
      playback.activeAt = at;
      playback.isExcused = true;
    }
    const errors: unknown[] = [];
    // First, because a page also says who plays.
    for (const page of pages) await this.#take(page, at, errors);
    const saving = new Set<Playback>();
    for (const [id, { seconds, position }] of watched) {
      const before = this.#playbacks.get(id);
      const isLast = at - (this.#goneAt.get(id) ?? -Infinity) < LAST_SAVE;
      if (!before && (isAfterGap || isLast)) continue;
      const playback = before ?? this.#begin(id);
      playback.saved += seconds;
      if (!isAfterGap) playback.savedSeconds = Math.min(seconds, LONGEST_SAVE);
      // A page says more about its film than what its player saves.
      if (playback.pages.size > 0) continue;
      seen(playback, at, position);
      saving.add(playback);
    }
    for (const playback of saving) await this.#report('progress', playback, errors);
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
    const playback = {
      id,
      scene: undefined,
      position: 0,
      saved: 0,
      savedSeconds: 0,
      pages: new Map<string, PageState>(),
      activeAt: performance.now(),
      isExcused: false,
    };
    this.#playbacks.set(id, playback);
    return playback;
  }

  /** Takes what a page tells of its player. */
  async #take(page: PageState, at: number, errors: unknown[]): Promise<void> {
    const { player, count, scene: id, state, position } = page;
    if (count <= (this.#counts.get(player.id) ?? 0)) return;
    this.#counts.delete(player.id);
    this.#counts.set(player.id, count);
    for (const [oldest] of [...this.#counts].slice(0, -MOST_PLAYERS)) this.#counts.delete(oldest);
    const before = this.#playbacks.get(id);
    if (!before && state !== 'playing') return;
    const playback = before ?? this.#begin(id);
    const last = stateOf(playback);
    playback.pages.delete(player.id);
    playback.pages.set(player.id, page);
    seen(playback, at, position);
    const now = stateOf(playback);
    if (now === 'gone') {
      this.#playbacks.delete(id);
      this.#goneAt.set(id, at);
      await this.#report('stopped', playback, errors);
    } else if (now === last || last === undefined) await this.#report('progress', playback, errors);
    else await this.#report(now === 'paused' ? 'paused' : 'resumed', playback, errors);
  }

  /** Reports that the scenes have stopped whose players were silent for too long. */
  async #stopSilent(at: number, errors: unknown[]): Promise<void> {
    const { quiet } = this.#options.wanted();
    for (const [id, playback] of this.#playbacks) {
      const { activeAt, savedSeconds } = playback;
      const limit = stateOf(playback) === 'paused' ? LONGEST_PAUSE : Math.max(quiet, savedSeconds * SILENCE);
      if (at - activeAt < limit) continue;
      this.#playbacks.delete(id);
      await this.#report('stopped', playback, errors);
    }
    for (const [id, goneAt] of this.#goneAt) if (at - goneAt >= LAST_SAVE) this.#goneAt.delete(id);
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
    const { position } = playback;
    const played = [...playback.pages.values()].reduce((sum, { seconds }) => sum + seconds, 0);
    // A player that is gone may not have saved its last seconds.
    const watched = Math.max(playback.saved, played);
    const player = lastPage(playback)?.player;
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

/** Notes that a scene is being watched. */
function seen(playback: Playback, at: number, position: number): void {
  playback.activeAt = at;
  playback.isExcused = false;
  // Near the end, Stash saves 0, so that the next playback begins at the start.
  playback.position = position || playback.position;
}

/** Returns what the pages of a scene do: one that plays counts more than one that is paused. Undefined without a page. */
function stateOf({ pages }: Playback): PageState['state'] | undefined {
  const states = new Set([...pages.values()].map(({ state }) => state));
  return (['playing', 'paused', 'gone'] as const).find((state) => states.has(state));
}

/** Returns the page that has told of a scene last; undefined without any. */
function lastPage({ pages }: Playback): PageState | undefined {
  return [...pages.values()].at(-1);
}

function viewOf(playback: Playback): WatchedView[] {
  const { scene, position } = playback;
  if (!scene) return [];
  const { id, title, url, seconds } = scene.item;
  const player = lastPage(playback)?.player.name ?? '';
  const isPaused = stateOf(playback) === 'paused';
  return [{ id, title: title ?? id, url, position, seconds: seconds ?? null, player, isPaused }];
}

function copyOf({ picture }: WithPicture): WithPicture {
  if (picture === undefined) return {};
  return { picture: Buffer.isBuffer(picture) ? Buffer.from(picture) : picture };
}
