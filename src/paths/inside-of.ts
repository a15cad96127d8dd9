import { AbsolutePath } from './absolute-path';

/**
 * Returns a test for paths that are one of the folders or below one. Its time hardly grows with the number of folders. Relative
 * paths are in no folder.
 */
export function insideOf(folders: readonly string[]): (text: string) => boolean {
  const folderOf = outermostOf(folders);
  return (text) => folderOf(AbsolutePath.parse(text)) !== undefined;
}

/**
 * Like `insideOf`, but the test returns the path as the folder is spelled, and without `.`, `..` and repeated slashes: Windows
 * ignores case, but Stash up to v0.29 does not. Undefined for a path in no folder.
 */
export function spelledAsIn(folders: readonly string[]): (text: string) => string | undefined {
  const folderOf = outermostOf(folders);
  return (text) => {
    const path = AbsolutePath.parse(text);
    const folder = folderOf(path);
    return path && folder?.join(path.names.slice(folder.names.length)).toString();
  };
}

/** Returns a function that finds the outermost folder that contains a path. */
function outermostOf(
  folders: readonly string[],
): (path: AbsolutePath | undefined) => AbsolutePath | undefined {
  const paths = folders.flatMap((folder) => AbsolutePath.parse(folder) ?? []);
  // Sorted, a folder comes right before all folders below it.
  paths.sort((one, other) => (one.prefix < other.prefix ? -1 : 1));
  const outermost: AbsolutePath[] = [];
  for (const path of paths) if (!outermost.at(-1)?.contains(path)) outermost.push(path);
  const prefixes = outermost.map(({ prefix }) => prefix);
  return (path) => {
    if (!path) return undefined;
    const nearest = outermost[countOf(prefixes, (prefix) => prefix <= path.prefix) - 1];
    return nearest?.contains(path) ? nearest : undefined;
  };
}

/** Returns a test for folders that are or contain one of the paths. Its time hardly grows with their number. */
export function containingOf(paths: readonly string[]): (folder: string) => boolean {
  const prefixes = paths.map(prefixOf).sort();
  return (folder) => {
    const own = prefixOf(folder);
    const first = prefixes[countOf(prefixes, (prefix) => prefix < own)];
    return own !== '' && (first?.startsWith(own) ?? false);
  };
}

/** Returns a test for paths that are one of the folders. Relative paths are none. */
export function oneOf(folders: readonly string[]): (text: string) => boolean {
  const prefixes = new Set(folders.map(prefixOf));
  prefixes.delete('');
  return (text) => prefixes.has(prefixOf(text));
}

/** Returns the subfolder through which a path lies in a folder; the folder itself for a path directly in it. */
export function subfolderOf(folder: string, path: string): string {
  const { names } = AbsolutePath.parse(folder) ?? { names: [] };
  const inside = AbsolutePath.parse(path);
  return inside && inside.names.length > names.length + 1
    ? inside.first(names.length + 1).toString()
    : folder;
}

/** By binary search. */
function countOf(sorted: readonly string[], isBefore: (text: string) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(sorted[middle] ?? '')) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Empty for a path that is relative or too long. */
function prefixOf(text: string): string {
  return AbsolutePath.parse(text)?.prefix ?? '';
}

/**
 * Returns a regular expression, for Go and JavaScript, for all paths below a folder in any spelling of it.
 * @returns undefined for a path that is relative or too long.
 */
export function patternBelow(folder: string): string | undefined {
  const path = AbsolutePath.parse(folder);
  if (!path) return undefined;
  const isWindows = !path.prefix.startsWith('/');
  const separator = isWindows ? '[/\\\\]+' : '/+';
  const names = path.prefix
    .split(isWindows ? /[/\\]+/ : /\/+/)
    .filter((name, index) => name !== '' || index === 0);
  const start = names.map(escaped).join(separator);
  return `${isWindows ? '(?i)' : ''}^${start}${separator}`;
}

/** Escapes a text for a regular expression of Go and JavaScript. */
export function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
