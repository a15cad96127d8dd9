import { AbsolutePath } from './absolute-path';

/**
 * Returns a function that tells whether a path is one of the folders or below one of them. Its time hardly grows with the
 * number of folders. Relative paths are in no folder.
 */
export function insideOf(folders: readonly string[]): (text: string) => boolean {
  const prefixes = [...new Set(folders.map(prefixOf).filter((prefix) => prefix !== ''))].sort();
  // Sorted, a folder comes right before all folders below it.
  const outermost: string[] = [];
  for (const prefix of prefixes) {
    const last = outermost.at(-1);
    if (last === undefined || !prefix.startsWith(last)) outermost.push(prefix);
  }
  return (text) => {
    const own = prefixOf(text);
    let [low, high] = [0, outermost.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((outermost[middle] ?? '') <= own) low = middle + 1;
      else high = middle;
    }
    const nearest = outermost[low - 1];
    return nearest !== undefined && own.startsWith(nearest);
  };
}

/** Returns a function that tells whether one of the paths is a folder or below it. Its time hardly grows with their number. */
export function containingOf(paths: readonly string[]): (folder: string) => boolean {
  const prefixes = paths.map(prefixOf).sort();
  return (folder) => {
    const own = prefixOf(folder);
    let [low, high] = [0, prefixes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((prefixes[middle] ?? '') < own) low = middle + 1;
      else high = middle;
    }
    return own !== '' && (prefixes[low]?.startsWith(own) ?? false);
  };
}

/** Returns a function that tells whether a path is one of the folders. Relative paths are none. */
export function oneOf(folders: readonly string[]): (text: string) => boolean {
  const prefixes = new Set(folders.map(prefixOf));
  prefixes.delete('');
  return (text) => prefixes.has(prefixOf(text));
}

/** Returns the prefix of an absolute path; empty for a path that is relative or too long. */
function prefixOf(text: string): string {
  return AbsolutePath.parse(text)?.prefix ?? '';
}
