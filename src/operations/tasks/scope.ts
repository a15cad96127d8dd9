import type { Call } from '../../call';
import { type FileKind, fileKinds } from '../../contract/kinds';
import { StashError } from '../../errors';
import { arrayOf, isString } from '../../guards';
import { fewestPaths, folderOf, insideOf } from '../../paths';
import type { Server } from '../../server';
import { type Chosen, chosenItems, existingItems } from '../items';
import { foldersOfFiles, kindOnDisk, libraryFolders } from '../library';
import { taskKinds, type TaskName } from './kinds';
import type { TaskOptions } from './options';
import { type Task, taskPaths } from './run-task';

/** The options of a task, and the part of the library for it, as a user gives them. */
export interface GivenScope {
  /** The fields of the task's input, or the arguments of the plugin's task; null: as on the server's Tasks page. */
  options: TaskOptions | null;
  /** Folders, as this machine sees them; null for the whole library. */
  paths: readonly string[] | null;
  /** Items by their ids; null for all. */
  items: ItemsByKind | null;
}

/**
 * Takes the folders and the scenes from the options, if they are given there: the folders are paths of this machine as well, and
 * an empty list would mean the whole library.
 * @throws {StashError} BAD_INPUT for a part of the library to which the task cannot be limited, and for an empty list.
 */
export function scopeOf(task: TaskName, { options, paths, items }: GivenScope): GivenScope {
  const { scopes } = taskKinds[task];
  if (paths && !('paths' in scopes)) throw notForTask('paths');
  if (items && !('items' in scopes)) throw notForTask('sceneIDs');
  if (!options || !('paths' in scopes)) return { options, paths, items };
  const { paths: folders, ...withScenes } = options;
  const { sceneIDs, ...others } = withScenes;
  // The scope of the dialog counts: an identify task with both would be for the scenes alone.
  if (paths || items) return { options: task === 'metadataIdentify' ? others : options, paths, items };
  if (sceneIDs !== undefined && task === 'metadataIdentify') {
    const scenes = sceneIdsIn(sceneIDs);
    return { options: others, paths: null, items: { scene: scenes, image: [], gallery: [] } };
  }
  if (folders === undefined) return { options, paths, items };
  const isList = arrayOf(isString)(folders) && folders.length > 0;
  if (!isList) throw wrongList('paths', '[String!]');
  return { options: withScenes, paths: folders, items };
}

/** Reads IDs of scenes as the server takes them. @throws {StashError} BAD_INPUT for anything else, and for an empty list. */
function sceneIdsIn(list: unknown): string[] {
  const ids = Array.isArray(list) ? list.map(String) : [];
  if (ids.length === 0 || !ids.every((id) => /^\d{1,18}$/.test(id))) throw wrongList('sceneIDs', '[ID!]');
  return ids;
}

function notForTask(property: string): StashError {
  return new StashError('BAD_INPUT.notForTask', { details: { property } });
}

function wrongList(name: string, type: string): StashError {
  return new StashError('BAD_INPUT.wrongType', { details: { name, type } });
}

/**
 * Returns the chosen part of the library, all of which is there, as the server names it, and the chosen items; nothing for the whole library.
 * @throws {StashError} as `taskPaths`, `chosenItems` and `itemFolders`.
 */
export async function limitTo(
  server: Server,
  task: Task,
  { paths, items }: Pick<GivenScope, 'paths' | 'items'>,
  call: Call,
): Promise<{ paths?: readonly string[]; sceneIDs?: readonly string[]; items?: Chosen }> {
  if (items && task.operation === 'metadataAutoTag') {
    const { folders, ...chosen } = await itemFolders(server, items, call);
    return { paths: folders, items: chosen };
  }
  if (items) {
    const chosen = await chosenItems(server, 'scene', items.scene, call);
    return { sceneIDs: chosen.known, items: chosen };
  }
  const checked = await taskPaths(server, task, paths, call);
  if (!checked) return {};
  const there = checked.paths.map((path) => path.there);
  if (task.operation !== 'metadataAutoTag') return { paths: there };
  // Stash tags whole folders: of the path of a file, it tags nothing.
  const folderOfFile = await foldersOfFiles(checked.library, there, (path) => kindOnDisk(server, path, call));
  const folders = there.map((path) => folderOfFile(path) ?? path);
  return { paths: [...new Set(folders)] };
}

/** Items of the library, by their ids. */
export type ItemsByKind = Readonly<Record<FileKind, readonly string[]>>;

/**
 * Returns the folders of the items that are in the library. They cover all of them; library folders stand in for very many.
 * @throws {StashError} as `libraryFolders` and `existingItems`.
 */
export async function itemFolders(
  server: Server,
  items: ItemsByKind,
  call: Call,
): Promise<Chosen & { folders: readonly string[] }> {
  const known: string[] = [];
  const found = new Set<string>();
  let given = 0;
  for (const kind of fileKinds) {
    const ids = [...new Set(items[kind])];
    given += ids.length;
    for (const [id, path] of await existingItems(server, kind, ids, call)) {
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
  const { paths } = fewestPaths(new Set(folders), library);
  return { ...chosen, folders: paths };
}
