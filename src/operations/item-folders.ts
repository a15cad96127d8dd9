import type { Call } from '../call';
import { fewestPaths, folderOf, insideOf } from '../paths';
import type { Server } from '../server';
import type { Chosen } from './chosen-scenes';
import type { ItemKind } from './items-by-id';
import { knownItems } from './known-items';
import { libraryFolders } from './library';

/** Items of the library, by their ids. */
export type Items = Readonly<Record<ItemKind, readonly string[]>>;

/**
 * Returns the folders of the items that are in the library. They cover all of them; common folders stand in for very many.
 * @throws {StashError} as `libraryFolders` and `knownItems`.
 */
export async function itemFolders(
  server: Server,
  items: Items,
  call: Call,
): Promise<Chosen & { folders: readonly string[] }> {
  const known: string[] = [];
  const found = new Set<string>();
  let given = 0;
  for (const kind of Object.keys(items) as ItemKind[]) {
    const ids = [...new Set(items[kind])];
    given += ids.length;
    for (const [id, path] of await knownItems(server, kind, ids, call)) {
      known.push(id);
      if (path !== null) found.add(path);
    }
  }
  const chosen = { known, unknown: given - known.length };
  if (found.size === 0) return { ...chosen, folders: [] };
  const library = await libraryFolders(server, call);
  const isInLibrary = insideOf(library);
  // A gallery may be a folder of the library itself.
  const folders = [...found].map((path) => (isInLibrary(folderOf(path)) ? folderOf(path) : path));
  const { paths } = await fewestPaths(new Set(folders), library);
  return { ...chosen, folders: paths };
}
