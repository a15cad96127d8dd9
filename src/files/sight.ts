import { createHash } from 'node:crypto';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { TemporaryNames } from './temporary-names';
import type { Volume } from './volumes';

/** What a look at a file, or at a folder and all that is in it, has seen. */
export interface Sight {
  /** The same as long as no size and no time of change is another. */
  readonly state: string;
  /** When what still has a temporary name was changed last, in milliseconds since 1970; 0 if nothing has one. */
  readonly temporary: number;
}

interface Contents extends Sight {
  /** When it was changed last, in milliseconds since 1970. */
  readonly changed: number;
}

/** Looks at files and folders that are in one folder. Each question to the file system has the time limit of the volume. */
export class Sighting {
  readonly #folder: string;
  readonly #names: TemporaryNames;
  readonly #volume: Volume;
  #listed: Promise<readonly string[]> | undefined;
  /** The temporary names in the folder by the final name. */
  #siblings: Promise<ReadonlyMap<string, readonly string[]>> | undefined;

  constructor(folder: string, names: TemporaryNames, volume: Volume) {
    this.#folder = folder;
    this.#names = names;
    this.#volume = volume;
  }

  /**
   * Looks at `name` in the folder.
   * @returns undefined if it is missing and nothing is to become it.
   * @throws {NoAnswer} if the volume does not answer; any other error of the file system.
   */
  async of(name: string): Promise<Sight | undefined> {
    const own = await this.#contents(path.join(this.#folder, name));
    let temporary = own?.temporary ?? 0;
    if (own && this.#isTemporary(name)) temporary = own.changed;
    for (const sibling of (await this.#temporarySiblings()).get(name) ?? []) {
      const seen = await this.#contents(path.join(this.#folder, sibling));
      temporary = Math.max(temporary, seen?.changed ?? 0);
    }
    return own || temporary > 0 ? { state: own?.state ?? '', temporary } : undefined;
  }

  /** Whether there is nothing in the folder, or no folder. */
  async isEmpty(): Promise<boolean> {
    return (await this.#list()).length === 0;
  }

  #isTemporary(name: string): boolean {
    // A download may also have a folder of its own until it is complete.
    return [name, path.basename(this.#folder)].some((one) => this.#names.finalName(one) !== undefined);
  }

  #temporarySiblings(): Promise<ReadonlyMap<string, readonly string[]>> {
    return (this.#siblings ??= this.#listSiblings());
  }

  async #listSiblings(): Promise<ReadonlyMap<string, readonly string[]>> {
    const siblings = new Map<string, string[]>();
    for (const name of await this.#list()) {
      const final = this.#names.finalName(name);
      if (final !== undefined) siblings.set(final, [...(siblings.get(final) ?? []), name]);
    }
    return siblings;
  }

  /** Returns all names in the folder; none if it may not be listed. */
  #list(): Promise<readonly string[]> {
    return (this.#listed ??= this.#volume.ask(() => readdir(this.#folder).catch(() => [])));
  }

  /** Returns undefined if the file is missing. */
  async #contents(file: string): Promise<Contents | undefined> {
    const stats = await this.#volume.ask(() => stat(file)).catch(unlessMissing);
    if (!stats) return undefined;
    const { size, mtimeMs } = stats;
    if (stats.isDirectory()) return this.#contentsOfFolder(file);
    return { state: `${size} ${mtimeMs}`, changed: mtimeMs, temporary: 0 };
  }

  async #contentsOfFolder(outermost: string): Promise<Contents> {
    const hash = createHash('sha1');
    let [changed, temporary] = [0, 0];
    const folders = [{ folder: outermost, isTemporary: false }];
    for (let next = folders.pop(); next; next = folders.pop()) {
      const { folder } = next;
      const entries = this.#volume.ask(() => readdir(folder, { withFileTypes: true }));
      // What is in a folder that nobody may list is not waited for, such as lost+found.
      for (const entry of (await (folder === outermost ? entries : entries.catch(unlessHidden))) ?? []) {
        const file = path.join(folder, entry.name);
        const isTemporary = next.isTemporary || this.#names.finalName(entry.name) !== undefined;
        if (entry.isDirectory()) folders.push({ folder: file, isTemporary });
        const stats = await this.#volume.ask(() => lstat(file)).catch(unlessMissing);
        if (!stats) continue;
        hash.update(`${file}\0${entry.isDirectory() ? '' : stats.size} ${stats.mtimeMs}\n`);
        changed = Math.max(changed, stats.mtimeMs);
        if (isTemporary) temporary = Math.max(temporary, stats.mtimeMs);
      }
    }
    return { state: hash.digest('base64'), changed, temporary };
  }
}

function unlessMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw error;
}

function unlessHidden(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(codeOf(error))) throw error;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
