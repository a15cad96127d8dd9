// Paths of the server's machine and of this one, which may run different systems.
import path from 'node:path';

/** Longer than a path can be on any system, in UTF-16 units. */
const LONGEST_PATH = 32_768;

/** More names than a path of a library has. */
const MOST_NAMES = 256;

/** An absolute path of Windows or of any other system, without `.`, `..` and trailing slashes. */
export class AbsolutePath {
  readonly #system: path.PlatformPath;
  /** In the spelling of its system. */
  readonly #root: string;
  /** The names of its folders and its own, without the root. */
  readonly names: readonly string[];

  private constructor(system: path.PlatformPath, root: string, names: readonly string[]) {
    this.#system = system;
    this.#root = root;
    this.names = names;
  }

  /** Parses a path; undefined if it is relative, too long or too deep. */
  static parse(text: string): AbsolutePath | undefined {
    if (text.length > LONGEST_PATH) return undefined;
    const system = systemOf(text);
    if (!system.isAbsolute(text)) return undefined;
    const normal = system.normalize(text);
    const root = system === path.posix ? system.sep : system.parse(normal).root;
    const rest = normal.slice(root.length, normal.endsWith(system.sep) ? -1 : undefined);
    const names = rest === '' ? [] : rest.split(system.sep, MOST_NAMES + 1);
    return names.length > MOST_NAMES ? undefined : new AbsolutePath(system, root, names);
  }

  /** Its names, in the same spelling for all spellings of the path. */
  get keys(): readonly string[] {
    return this.#system === path.win32 ? this.names.map((name) => name.toLowerCase()) : this.names;
  }

  /** Its root, in the same spelling for all spellings of the path. */
  get root(): string {
    return this.#system === path.win32 ? this.#root.toLowerCase() : this.#root;
  }

  /** Whether `other` is this path or below it. Windows ignores case. */
  contains(other: AbsolutePath): boolean {
    if (this.#system !== other.#system || !this.#isSame(this.#root, other.#root)) return false;
    return this.names.every((name, index) => this.#isSame(name, other.names[index]));
  }

  /** Returns the path of these names below this one. */
  join(names: readonly string[]): AbsolutePath {
    return new AbsolutePath(this.#system, this.#root, [...this.names, ...names]);
  }

  /** Returns the path of its first folders. */
  first(count: number): AbsolutePath {
    return new AbsolutePath(this.#system, this.#root, this.names.slice(0, count));
  }

  /** Returns the path as its system writes it. */
  toString(): string {
    return this.#root + this.names.join(this.#system.sep);
  }

  /** Returns a text that is the same for all spellings of the path, and with which all paths below it begin. */
  get prefix(): string {
    const prefix = this.names.length === 0 ? this.#root : this.toString() + this.#system.sep;
    return this.#system === path.win32 ? prefix.toLowerCase() : prefix;
  }

  #isSame(one: string, other: string | undefined): boolean {
    return one === other || (this.#system === path.win32 && one.toLowerCase() === other?.toLowerCase());
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
