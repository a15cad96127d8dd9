import type { Call } from '../../call';
import type { WatchedView } from '../../contract/activity';
import { StashError } from '../../errors';
import type { Server } from '../../server';
import { fetchPicture, type Item, libraryItems, type PictureFormat, type WithPicture } from '../items';
import { followActivity, type Viewing } from './activity';

/** How long a player that saves rarely may be silent, in milliseconds for each second that it has saved. */
const SILENCE = 1500;
/** The longest time between two saves that counts for that, in seconds: who saves more has not watched it just now. */
const LONGEST_SAVE = 600;

/** A scene that somebody watches, as a message has it. */
export interface WatchedScene extends Item, WithPicture {
  /** Where the viewer was last, in seconds; of several viewers, any of them. */
  position: number;
  /** For how long it was watched since it started, in seconds. */
  watched: number;
}

/** Reports a scene that somebody watches. */
export interface SceneEvent {
  type: 'started' | 'progress' | 'stopped';
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
  /** Undefined until it could be requested: nothing is reported before. */
  scene: (Pick<SceneEvent, 'operation' | 'missing'> & { item: Item; pictured: WithPicture }) | undefined;
  position: number;
  watched: number;
  /** How long it was watched until the last save. */
  savedSeconds: number;
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

  async #process({ at, isPolled, isAfterGap, watched }: Viewing): Promise<void> {
    const { quiet } = this.#options.wanted();
    for (const playback of this.#playbacks.values()) {
      if (!isAfterGap || playback.isExcused) continue;
      playback.activeAt = at;
      playback.isExcused = true;
    }
    const active = new Map<string, Playback>();
    for (const [id, { seconds, position }] of watched) {
      const before = this.#playbacks.get(id);
      if (!before && isAfterGap) continue;
      const playback = before ?? {
        scene: undefined,
        position: 0,
        watched: 0,
        savedSeconds: 0,
        activeAt: at,
        isExcused: false,
      };
      playback.watched += seconds;
      if (!isAfterGap) playback.savedSeconds = Math.min(seconds, LONGEST_SAVE);
      playback.activeAt = at;
      playback.isExcused = false;
      // Near the end, Stash saves 0, so that the next playback begins at the start.
      playback.position = position || playback.position;
      this.#playbacks.set(id, playback);
      active.set(id, playback);
    }
    const errors: unknown[] = [];
    for (const [id, playback] of active) {
      const type = playback.scene ? 'progress' : 'started';
      try {
        await this.#refresh(id, playback);
      } catch (error) {
        this.#closing.signal.throwIfAborted();
        errors.push(error);
      }
      await this.#report(type, playback);
    }
    // A line says nothing about the other scenes.
    for (const [id, playback] of isPolled ? this.#playbacks : []) {
      if (at - playback.activeAt < Math.max(quiet, playback.savedSeconds * SILENCE)) continue;
      this.#playbacks.delete(id);
      if (playback.scene) await this.#refresh(id, playback);
      await this.#report('stopped', playback);
    }
    // A server that the node no longer has would keep it for good.
    this.#closing.signal.throwIfAborted();
    this.#isHidden &&= !isPolled;
    if (!this.#isHidden) this.#server.watched.set(this, [...this.#playbacks.values()].flatMap(viewOf));
    if (errors.length > 0) throw errors[0];
    this.#emit({ type: 'polled', watching: this.#watching });
  }

  get #watching(): number {
    return [...this.#playbacks.values()].filter(({ scene }) => scene).length;
  }

  async #report(type: SceneEvent['type'], { scene, position, watched }: Playback): Promise<void> {
    if (!scene) return;
    const { item, pictured, ...about } = scene;
    const { signal } = this.#closing;
    do {
      signal.throwIfAborted();
      // Copied, because a flow may change its message.
      const copy = { ...structuredClone(item), ...copyOf(pictured), position, watched };
      this.#emit({ type, scene: copy, watching: this.#watching, ...about });
    } while (!(await this.#options.delivered()));
  }

  /**
   * Requests a scene as it is now: its title, tags or rating may be edited while it is watched. What is known of it stays if it was
   * removed, or cannot be requested again.
   */
  async #refresh(id: string, playback: Playback): Promise<void> {
    const { scene } = playback;
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

function viewOf({ scene, position }: Playback): WatchedView[] {
  if (!scene) return [];
  const { id, title, url, seconds } = scene.item;
  return [{ id, title: title ?? id, url, position, seconds: seconds ?? null }];
}

function copyOf({ picture }: WithPicture): WithPicture {
  if (picture === undefined) return {};
  return { picture: Buffer.isBuffer(picture) ? Buffer.from(picture) : picture };
}
