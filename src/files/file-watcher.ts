import path from 'node:path';
import { isOfFileSystem, Sighting } from './sight';
import { TemporaryNames } from './temporary-names';
import { NoAnswer, type Volume, Volumes } from './volumes';
import { type Ended, WatchedPath, type WatchTimes } from './watched-path';

/** How to watch a path. */
export interface WatchOptions {
  /** How long its sizes and times of change have to stay the same, in milliseconds. */
  settle: number;
  /** Patterns for names that are not final, as for `TemporaryNames`. */
  temporaryNames: string;
}

/** The watch of a path. */
export interface Watch {
  /** Ignores looks that have already begun. Call it when another message waits for the path. */
  renew: () => void;
  /** Ends the watch. Nobody is told. */
  forget: () => void;
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
  watch(given: string, { settle, temporaryNames }: WatchOptions, onEnd: (ended: Ended) => void): Watch {
    const names = this.#names.get(temporaryNames) ?? new TemporaryNames(temporaryNames);
    this.#names.set(temporaryNames, names);
    const watched = new WatchedPath(given, settle, names, this.#times);
    this.#watched.set(watched, onEnd);
    this.#lookIn(0);
    return {
      renew: () => {
        watched.renew();
      },
      forget: () => {
        this.#watched.delete(watched);
      },
    };
  }

  /** How many questions to disks and shares are late. Each blocks a thread until it is answered. */
  get late(): number {
    return this.#volumes.late;
  }

  #lookIn(wait: number): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
      if (this.#watched.size > 0) this.#lookIn(this.#times.interval / 4);
    }, wait);
  }

  /** Looks at all paths that are due. Those of one folder share the list of its temporary names. */
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
    const begun = performance.now();
    const place = await this.#volumes.of(folder).catch(ignoreFileErrors);
    const sightings = new Map<TemporaryNames, Sighting>();
    for (const watched of group) {
      const { names } = watched;
      const sighting = sightings.get(names) ?? (place && new Sighting(place, names, this.#volumes));
      if (sighting) sightings.set(names, sighting);
      void this.#lookAt(watched, sighting, begun);
    }
  }

  async #lookAt(watched: WatchedPath, sighting: Sighting | undefined, begun: number): Promise<void> {
    const isWanted = () => this.#watched.has(watched);
    if (isWanted()) {
      try {
        const sight = await sighting?.of(path.basename(watched.path), isWanted);
        if (!sighting || (await this.#hasLost(watched, sight?.volume, begun))) watched.failed(begun);
        else if (sight) watched.saw(sight, begun);
        else watched.missed(begun);
      } catch (error) {
        ignoreFileErrors(error);
        watched.failed(begun);
      }
    }
    this.#inSight.delete(watched);
    if (!watched.ended) return;
    this.#watched.get(watched)?.(watched.ended);
    this.#watched.delete(watched);
  }

  /** Whether the volume where a path was seen before is not mounted any more. @param now where it is seen now. */
  async #hasLost({ volume }: WatchedPath, now: Volume | undefined, since: number): Promise<boolean> {
    return volume !== undefined && volume !== now && (await this.#volumes.hasLost(volume, since));
  }
}

/** @throws the error unless it tells of a file, a folder or a volume. */
function ignoreFileErrors(error: unknown): undefined {
  if (!(error instanceof NoAnswer) && !isOfFileSystem(error)) throw error;
}
