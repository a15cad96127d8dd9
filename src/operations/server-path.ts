// Paths on the server's machine, which may run another system than this one.
import path from 'node:path';

/** Longer than a path can be on any system, in UTF-16 units. */
const LONGEST_PATH = 32_768;

/** Returns the last part of a path. */
export function baseName(serverPath: string): string {
  return systemOf(serverPath).basename(serverPath);
}

/**
 * Returns a function that tells whether a path is one of the folders or below one of them. Its time hardly grows with the
 * number of folders. Relative paths are in no folder.
 */
export function insideOf(folders: readonly string[]): (serverPath: string) => boolean {
  const prefixes = [...new Set(folders.map(prefixOf).filter((prefix) => prefix !== ''))].sort();
  // Sorted, a folder comes right before all folders below it.
  const outermost: string[] = [];
  for (const prefix of prefixes) {
    const last = outermost.at(-1);
    if (last === undefined || !prefix.startsWith(last)) outermost.push(prefix);
  }
  return (serverPath) => {
    const own = prefixOf(serverPath);
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

/**
 * Returns the text that all paths below an absolute path begin with, in lower case for Windows, which ignores case. Empty
 * for a path that is relative or too long.
 */
function prefixOf(serverPath: string): string {
  if (serverPath.length > LONGEST_PATH) return '';
  const system = systemOf(serverPath);
  if (!system.isAbsolute(serverPath)) return '';
  const prefix = system.normalize(serverPath + system.sep);
  return system === path.win32 ? prefix.toLowerCase() : prefix;
}

/** Windows paths begin with a drive letter or a backslash. */
function systemOf(serverPath: string): path.PlatformPath {
  return /^([a-z]:|\\)/i.test(serverPath) ? path.win32 : path.posix;
}
