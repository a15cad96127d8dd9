import type { Call } from '../call';
import { fewestPaths, folderOf } from '../paths';
import type { Server } from '../server';
import type { Chosen } from './chosen-scenes';
import { type ItemKind, knownItems } from './known-items';
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
  const folders = new Set<string>();
  let given = 0;
  for (const kind of Object.keys(items) as ItemKind[]) {
    const ids = [...new Set(items[kind])];
    given += ids.length;
    for (const [id, path] of await knownItems(server, kind, ids, call)) {
      known.push(id);
      if (path !== null) folders.add(folderOf(path));
    }
  }
  if (folders.size === 0) return { known, unknown: given - known.length, folders: [] };
  const { paths } = await fewestPaths(folders, await libraryFolders(server, call));
  return { known, unknown: given - known.length, folders: paths };
}
