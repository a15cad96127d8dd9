import type { PathRow } from '../contract/server';
import { StashError } from '../errors';
import { AbsolutePath } from './absolute-path';

/** The folders that this machine and the server see at different paths, as in containers. */
export class PathMap {
  /** The longest `here` first. */
  readonly #rows: readonly { here: AbsolutePath; there: AbsolutePath }[];

  /** @throws {StashError} NO_SERVER for a row that is not two absolute paths. */
  constructor(rows: readonly PathRow[]) {
    this.#rows = rows
      .map(({ here, there }, index) => ({
        here: sidePath(here, index + 1),
        there: sidePath(there, index + 1),
      }))
      .sort((one, other) => other.here.names.length - one.here.names.length);
  }

  /** Translates a path of this machine by the longest row that contains it. Leaves any other path as it is. */
  toServer(text: string): string {
    if (this.#rows.length === 0) return text;
    const path = AbsolutePath.parse(text);
    const row = path && this.#rows.find(({ here }) => here.contains(path));
    return row ? row.there.join(path.names.slice(row.here.names.length)).toString() : text;
  }
}

/**
 * Returns the row that a path map probably lacks. Looks in the path for a folder with the name of a library folder, and
 * compares the folders above both. Ignores case.
 * @returns undefined if there is no such folder.
 */
export function missingRow(text: string, libraryFolders: readonly string[]): PathRow | undefined {
  const path = AbsolutePath.parse(text);
  if (!path) return undefined;
  const names = path.names.map((name) => name.toLowerCase());
  let best: PathRow | undefined;
  let most = 0;
  for (const there of libraryFolders) {
    const wanted = AbsolutePath.parse(there.toLowerCase())?.names ?? [];
    for (const index of names.keys()) {
      const count = commonEnd(wanted, names, index + 1);
      if (count <= most) continue;
      most = count;
      best = { here: path.first(index + 1).toString(), there };
    }
  }
  return best;
}

function commonEnd(names: readonly string[], others: readonly string[], end: number): number {
  const most = Math.min(names.length, end);
  let count = 0;
  while (count < most && names[names.length - 1 - count] === others[end - 1 - count]) count += 1;
  return count;
}

/**
 * @param row counted from 1.
 * @throws {StashError} NO_SERVER if the text is not an absolute path, or has an environment variable in it.
 */
function sidePath(text: string, row: number): AbsolutePath {
  if (text.includes('${')) throw new StashError('NO_SERVER.variableInPathMap', { details: { row } });
  const path = AbsolutePath.parse(text.trim());
  if (!path) throw new StashError('NO_SERVER.badPathMap', { details: { row } });
  return path;
}
