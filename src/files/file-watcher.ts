import path from 'node:path';
import type { Forget } from '../async';
import { Sighting } from './sight';
import { TemporaryNames } from './temporary-names';
import { NoAnswer, Volumes } from './volumes';
import { type Ended, WatchedPath, type WatchTimes } from './watched-path';

/** How to watch a path. */
export interface WatchOptions {
  /** How long its sizes and times of change have to stay the same, in milliseconds. */
  settle: number;
  /** Patterns for names that are not final, as for `TemporaryNames`. */
  temporaryNames: string;
}

/** Watches paths until what is there is complete. */
export class FileWatcher {
  readonly #times: WatchTimes;
  readonly #volumes: Volumes;
  readonly #names = new Map<string, TemporaryNames>();
  readonly #watched = new Map<WatchedPath, (ended: Ended) => void>();
  /** The paths that are being looked at. */
  readonly #inSight = new Set<WatchedPath>();
  #timer: NodeJS.Timeout | undefined;

  constructor(times: WatchTimes) {
    this.#times = times;
    this.#volumes = new Volumes(times.answer);
  }

  /** Watches an absolute path. @param onEnd called once, unless the watch is forgotten. */
  watch(given: string, { settle, temporaryNames }: WatchOptions, onEnd: (ended: Ended) => void): Forget {
    const names = this.#names.get(temporaryNames) ?? new TemporaryNames(temporaryNames);
    this.#names.set(temporaryNames, names);
    const watched = new WatchedPath(given, settle, names, this.#times);
    this.#watched.set(watched, onEnd);
    this.#lookIn(0);
    return () => {
      this.#watched.delete(watched);
    };
  }

  #lookIn(wait: number): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
      if (this.#watched.size > 0) this.#lookIn(this.#times.interval / 4);
    }, wait);
  }

  /** Looks at all paths that are due, at those of one folder one after the other. */
  #look(): void {
    const now = performance.now();
    const groups = new Map<string, WatchedPath[]>();
    for (const watched of this.#watched.keys()) {
      if (watched.due > now || this.#inSight.has(watched)) continue;
      this.#inSight.add(watched);
      const folder = path.dirname(watched.path);
      const group = groups.get(folder) ?? [];
      if (group.push(watched) === 1) groups.set(folder, group);
    }
    for (const [folder, group] of groups) void this.#lookInto(folder, group);
  }

  async #lookInto(folder: string, group: readonly WatchedPath[]): Promise<void> {
    const volume = await this.#volumes.of(folder).catch(unlessOfFileSystem);
    const sightings = new Map<TemporaryNames, Sighting>();
    for (const watched of group) {
      if (this.#watched.has(watched)) {
        const { names } = watched;
        if (volume) {
          const sighting = sightings.get(names) ?? new Sighting(folder, names, volume);
          sightings.set(names, sighting);
          await lookAt(watched, sighting);
        } else watched.failed();
      }
      this.#inSight.delete(watched);
      if (watched.ended) {
        this.#watched.get(watched)?.(watched.ended);
        this.#watched.delete(watched);
      }
    }
  }
}

async function lookAt(watched: WatchedPath, sighting: Sighting): Promise<void> {
  const begun = performance.now();
  try {
    const sight = await sighting.of(path.basename(watched.path));
    if (sight) watched.saw(sight, begun);
    else watched.missed(await sighting.isEmpty());
  } catch (error) {
    unlessOfFileSystem(error);
    watched.failed();
  }
}

/** @throws the error unless it tells of a file, a folder or a volume. */
function unlessOfFileSystem(error: unknown): undefined {
  if (!(error instanceof NoAnswer) && !(error instanceof Error && 'syscall' in error)) throw error;
}
