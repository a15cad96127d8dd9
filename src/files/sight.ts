import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { TemporaryNames } from './temporary-names';
import { NoAnswer, type Place, type Volume, type Volumes } from './volumes';

/** What a look at a file, or at a folder and all that is in it, has seen. */
export interface Sight {
  /** Whether there is anything. If not, something with a temporary name is to become it. */
  readonly isThere: boolean;
  /** Where it is, or is to come. */
  readonly volume: Volume;
  /** The same as long as no size and no time of change is another. */
  readonly state: string;
  /** When what still has a temporary name was changed last, in milliseconds since 1970; 0 if nothing has one. */
  readonly temporary: number;
  /** How long it took to go through folders, in milliseconds, without the wait for the list of temporary names. */
  readonly took: number;
}

interface Contents extends Omit<Sight, 'isThere'> {
  /** When it was changed last, in milliseconds since 1970. */
  readonly changed: number;
}

/** The temporary names in a folder. */
interface Siblings extends Pick<Sight, 'took'> {
  readonly byFinalName: ReadonlyMap<string, readonly string[]>;
}

/** A folder on the way through a folder. Names may have any bytes. */
interface Step {
  readonly path: Buffer;
  readonly volume: Volume;
  readonly isTemporary: boolean;
}

const SEPARATOR = Buffer.from(path.sep);

/** Looks at files and folders that are in one folder. Each question to the file system has the time limit of its volume. */
export class Sighting {
  readonly #folder: Place;
  readonly #names: TemporaryNames;
  readonly #volumes: Volumes;
  #siblings: Promise<Siblings> | undefined;

  constructor(folder: Place, names: TemporaryNames, volumes: Volumes) {
    this.#folder = folder;
    this.#names = names;
    this.#volumes = volumes;
  }

  /**
   * Looks at `name` in the folder.
   * @param isWanted whether somebody still wants to know. Otherwise a look at a large folder ends.
   * @returns undefined if it is missing and nothing is to become it.
   * @throws {NoAnswer} if a volume does not answer; any other error of the file system.
   */
  async of(name: string, isWanted: () => boolean): Promise<Sight | undefined> {
    // Before the look at the name itself: a temporary file may get this name meanwhile.
    const siblings = await (this.#siblings ??= this.#listSiblings());
    const own = await this.#contents(name, isWanted);
    const nothing = { volume: this.#folder.volume, state: '', temporary: 0, took: 0 };
    let { state, temporary, took } = own ?? nothing;
    const { volume } = own ?? nothing;
    if (own && this.#isTemporary(name)) temporary = own.changed;
    for (const sibling of siblings.byFinalName.get(name) ?? []) {
      const seen = await this.#contents(sibling, isWanted);
      if (!seen) continue;
      state += `\n${sibling} ${seen.state}`;
      temporary = Math.max(temporary, seen.changed);
      took += seen.took;
    }
    if (!own && temporary === 0) return undefined;
    return { isThere: own !== undefined, volume, state, temporary, took: Math.max(took, siblings.took) };
  }

  #isTemporary(name: string): boolean {
    // A download may also have a folder of its own until it is complete.
    return [name, path.basename(this.#folder.path)].some((one) => this.#names.finalName(one) !== undefined);
  }

  async #listSiblings(): Promise<Siblings> {
    const { path: folder, volume } = this.#folder;
    // A file may be in a folder that nobody may list.
    const names = await volume.ask(() => readdir(folder).catch(() => []));
    const begun = performance.now();
    const byFinalName = new Map<string, string[]>();
    for (const name of names) {
      const final = this.#names.finalName(name);
      if (final !== undefined) byFinalName.set(final, [...(byFinalName.get(final) ?? []), name]);
    }
    return { byFinalName, took: performance.now() - begun };
  }

  /** Returns undefined if there is nothing. */
  async #contents(name: string, isWanted: () => boolean): Promise<Contents | undefined> {
    const place = await this.#volumes.of(path.join(this.#folder.path, name));
    const stats = await place.volume.ask(() => stat(place.path)).catch(ignoreMissing);
    if (!stats) return undefined;
    if (stats.isDirectory()) return await this.#contentsOfFolder(place, stats, isWanted);
    return { volume: place.volume, state: stateOf(stats), changed: changeOf(stats), temporary: 0, took: 0 };
  }

  async #contentsOfFolder(
    { path: outermost, volume: own }: Place,
    stats: Stats,
    isWanted: () => boolean,
  ): Promise<Contents> {
    const begun = performance.now();
    const hash = createHash('sha1');
    let [changed, temporary] = [changeOf(stats), 0];
    // Links may lead in a circle.
    const visited = new Set([outermost]);
    const first: Step = { path: Buffer.from(outermost), volume: own, isTemporary: false };
    const steps = [first];
    for (let step = steps.pop(); step; step = steps.pop()) {
      const { path: folder, volume } = step;
      const listing = volume.ask(() => readdir(folder, { withFileTypes: true, encoding: 'buffer' }));
      // What cannot be read in the folder, such as lost+found, is not waited for.
      for (const entry of (await (step === first ? listing : listing.catch(ignoreErrorsBut(own)))) ?? []) {
        if (!isWanted()) throw new NoAnswer(own);
        const found = await this.#entry(step, entry.name, entry.isSymbolicLink()).catch(ignoreErrorsBut(own));
        if (!found) continue;
        const isTemporary = step.isTemporary || this.#names.finalName(String(entry.name)) !== undefined;
        hash.update(found.path).update(`\0${stateOf(found.stats)}\n`);
        const change = changeOf(found.stats);
        changed = Math.max(changed, change);
        if (isTemporary) temporary = Math.max(temporary, change);
        const key = found.path.toString('latin1');
        if (!found.stats.isDirectory() || visited.has(key)) continue;
        visited.add(key);
        steps.push({ path: found.path, volume: found.volume, isTemporary });
      }
    }
    const state = hash.digest('base64');
    return { volume: own, state, changed, temporary, took: performance.now() - begun };
  }

  /** Finds an entry of a folder, where a link leads. */
  async #entry(
    step: Step,
    name: Buffer,
    isLink: boolean,
  ): Promise<{ path: Buffer; volume: Volume; stats: Stats }> {
    const file = Buffer.concat([step.path, SEPARATOR, name]);
    if (!isLink) {
      const volume = await this.#volumes.volumeAt(String(file), step.volume);
      return { path: file, volume, stats: await volume.ask(() => lstat(file)) };
    }
    const { path: target, volume } = await this.#volumes.of(String(file));
    return { path: Buffer.from(target), volume, stats: await volume.ask(() => stat(target)) };
  }
}

/** Returns size and time of change. The size of a folder tells nothing. */
function stateOf(stats: Stats): string {
  return `${stats.isDirectory() ? '' : stats.size} ${stats.mtimeMs}`;
}

/** Returns when a file was changed or got its name, in milliseconds since 1970. Unpacked files have old times of change. */
function changeOf({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs);
}

function ignoreMissing(error: unknown): undefined {
  if (!isOfFileSystem(error) || !['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) throw error;
}

/** Returns a handler that ignores errors of the file system, but not that the volume `own` does not answer. */
function ignoreErrorsBut(own: Volume): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof NoAnswer ? error.volume === own : !isOfFileSystem(error)) throw error;
  };
}

/** Whether an error tells of a file or a folder. */
export function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
