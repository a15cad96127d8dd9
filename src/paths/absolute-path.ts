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
  /** In the spelling of its system, like the root that it begins with. */
  readonly #text: string;
  readonly #root: string;
  #names: readonly string[] | undefined;
  #prefix: string | undefined;

  private constructor(system: path.PlatformPath, root: string, text: string) {
    this.#system = system;
    this.#root = root;
    this.#text = text;
  }

  /** Parses a path; undefined if it is relative, too long or too deep. */
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

  /** The names of its folders and its own, without the root. */
  get names(): readonly string[] {
    return (this.#names ??=
      this.#text.length === this.#root.length
        ? []
        : this.#text.slice(this.#root.length).split(this.#system.sep, MOST_NAMES + 1));
  }

  /** Its names, in the same spelling for all spellings of the path. */
  get keys(): readonly string[] {
    return this.#system === path.win32 ? this.names.map((name) => name.toLowerCase()) : this.names;
  }

  /** Its root, in the same spelling for all spellings of the path. */
  get root(): string {
    return this.#system === path.win32 ? this.#root.toLowerCase() : this.#root;
  }

  /** A text that is the same for all spellings of the path, and with which all paths below it begin. */
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

  /** Returns the path of these names below this one. */
  join(names: readonly string[]): AbsolutePath {
    return this.#of([...this.names, ...names]);
  }

  /** Returns the path of its first folders. */
  first(count: number): AbsolutePath {
    return this.#of(this.names.slice(0, count));
  }

  /** Returns the path as its system writes it. */
  toString(): string {
    return this.#text;
  }

  #of(names: readonly string[]): AbsolutePath {
    return new AbsolutePath(this.#system, this.#root, this.#root + names.join(this.#system.sep));
  }
}

/** Returns the last part of a path. */
export function baseName(text: string): string {
  return systemOf(text).basename(text);
}

/** Returns the folder that a path is in. */
export function folderOf(text: string): string {
  return systemOf(text).dirname(text);
}

/** Windows paths begin with a drive letter or a backslash. */
function systemOf(text: string): path.PlatformPath {
  return /^([a-z]:|\\)/i.test(text) ? path.win32 : path.posix;
}
