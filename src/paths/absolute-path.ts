// Paths of the server's machine and of this one, which may run different systems.
import path from 'node:path';
import { isAbsolutePath } from '../contract/server';

/** Longer than a path can be on any system, in UTF-16 units. */
const LONGEST_PATH = 32_768;

/** More names than a path of a library has. */
const MOST_NAMES = 256;

/** An absolute path of Windows or of any other system, without `.`, `..` and trailing slashes. */
export class AbsolutePath {
  readonly #system: path.PlatformPath;
  /** In the spelling of its system. */
  readonly #text: string;
  readonly #root: string;
  #names: readonly string[] | undefined;
  #prefix: string | undefined;

  private constructor(system: path.PlatformPath, root: string, text: string) {
    this.#system = system;
    this.#root = root;
    this.#text = text;
  }

  /** @returns undefined for a path that is relative, too long or too deep. */
  static parse(text: string): AbsolutePath | undefined {
    if (text.length > LONGEST_PATH) return undefined;
    if (!isAbsolutePath(text)) return undefined;
    const system = systemOf(text);
    const normal = system.normalize(text);
    const root = system === path.posix ? system.sep : system.parse(normal).root;
    const hasSlash = normal.length > root.length && normal.endsWith(system.sep);
    const parsed = new AbsolutePath(system, root, hasSlash ? normal.slice(0, -1) : normal);
    // A short text needs no count: a name and its separator take two characters.
    return text.length > MOST_NAMES && parsed.names.length > MOST_NAMES ? undefined : parsed;
  }

  /** Without the root. */
  get names(): readonly string[] {
    return (this.#names ??=
      this.#text.length === this.#root.length
        ? []
        : this.#text.slice(this.#root.length).split(this.#system.sep, MOST_NAMES + 1));
  }

  /** The names, the same for all spellings of the path. */
  get keys(): readonly string[] {
    return this.#system === path.win32 ? this.names.map((name) => name.toLowerCase()) : this.names;
  }

  /** The same for all spellings of the path. */
  get root(): string {
    return this.#system === path.win32 ? this.#root.toLowerCase() : this.#root;
  }

  /** The same for all spellings of the path; all paths below it begin with it. */
  get prefix(): string {
    if (this.#prefix === undefined) {
      const prefix = this.#text + (this.#text.length === this.#root.length ? '' : this.#system.sep);
      this.#prefix = this.#system === path.win32 ? prefix.toLowerCase() : prefix;
    }
    return this.#prefix;
  }

  /** Whether `other` is this path or below it. Windows ignores case. */
  contains(other: AbsolutePath): boolean {
    return this.root === other.root && other.prefix.startsWith(this.prefix);
  }

  join(names: readonly string[]): AbsolutePath {
    return this.#of([...this.names, ...names]);
  }

  /** Returns the path of its first names. */
  first(count: number): AbsolutePath {
    return this.#of(this.names.slice(0, count));
  }

  toString(): string {
    return this.#text;
  }

  #of(names: readonly string[]): AbsolutePath {
    return new AbsolutePath(this.#system, this.#root, this.#root + names.join(this.#system.sep));
  }
}

export function baseName(text: string): string {
  return systemOf(text).basename(text);
}

export function folderOf(text: string): string {
  return systemOf(text).dirname(text);
}

/** Windows paths begin with a drive letter or a backslash. */
function systemOf(text: string): path.PlatformPath {
  return /^([a-z]:|\\)/i.test(text) ? path.win32 : path.posix;
}
