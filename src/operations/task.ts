import type { Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, isString } from '../guards';
import type { Server } from '../server';
import { type Chosen, chosenScenes } from './chosen-scenes';
import { itemFolders, type Items } from './item-folders';
import { checkOf, type JobOptions, runTask, type Task, type TaskForItems, taskPaths } from './job';
import { checkLibraryIsThere } from './library-check';
import { type PackageType, taskKinds, type TaskName, taskOf } from './task-kinds';
import { type Options, optionsOf } from './task-options';

/** Which task to run, with which options, and for which part of the library. */
export interface TaskInput extends JobOptions {
  task: TaskName;
  /** The id of the plugin and the name of its task, for `runPluginTask`. */
  plugin: string;
  pluginTask: string;
  /** What to update, for `updatePackages`. */
  packageType: PackageType;
  /** The fields of the task's input, or the arguments of the plugin's task; null: as on the server's Tasks page. */
  options: Options | null;
  /** Whether a clean task only tells what it would remove. Other tasks ignore it. */
  dryRun: boolean;
  /** Folders, as this machine sees them; null for the whole library. */
  paths: readonly string[] | null;
  /** Items by their ids; null for all. */
  items: Items | null;
  /** Whether to clean although a folder of the library is missing or empty. */
  cleanAnyway: boolean;
}

/** The result of a task. */
export interface TaskDone extends TaskForItems {
  /** Whether nothing was to change, because the server only tells what it would remove. */
  isDryRun: boolean;
  /** The folders that stand in for the given paths, if they are others. */
  instead?: readonly string[];
}

/** Fields that the server requires, for the check of the others before these are known. */
const REQUIRED: Partial<Record<TaskName, Options>> = {
  metadataIdentify: { sources: [] },
  metadataClean: { dryRun: false },
};

/** The part of the library for a task, as the server names it; empty for the whole library. */
interface Scope {
  /** Folders and files, all of which are in the library. */
  paths?: readonly string[];
  sceneIDs?: readonly string[];
}

/**
 * Runs a task of the server's Tasks page.
 * @throws {StashError} as `runTask`, `taskPaths`, `optionsOf` and `checkLibraryIsThere`; BAD_INPUT for a part of the library
 * to which the task cannot be limited.
 */
export async function task(server: Server, input: TaskInput, call: Call): Promise<TaskDone> {
  const { task: name, cleanAnyway } = input;
  const { options, paths, items } = scopeOf(input);
  const withFields = (fields: Options) => taskOf({ ...input, name, options: fields });
  const check = checkOf(withFields({ ...REQUIRED[name], ...options }), call);
  const dryRun = input.dryRun && canRunDry(name) && { dryRun: true };
  const complete = { ...(await optionsOf(server, name, options, check, call)), ...dryRun };
  const isDryRun = canRunDry(name) && complete['dryRun'] === true;
  const toCheck = withFields({ ...complete, ...(paths && { paths }) });
  const { items: chosen, ...scope } = await limitTo(server, { ...input, paths, items }, toCheck, call);
  const { paths: folders } = scope;
  const about = {
    isDryRun,
    ...(chosen && { items: chosen }),
    ...(paths && folders && folders.join() !== paths.join() && { instead: folders }),
  };
  // Without any, the task would be for the whole library.
  if ([scope.paths, scope.sceneIDs].some((list) => list?.length === 0)) {
    return { operation: name, job: { id: null, status: 'SKIPPED' }, ...about };
  }
  if (name === 'metadataClean' && !isDryRun && !cleanAnyway) {
    await checkLibraryIsThere(server, scope.paths, check, call);
  }
  return { ...(await runTask(server, withFields({ ...complete, ...scope }), input, call)), ...about };
}

/**
 * Takes the folders and the scenes from the options, if they are given there: the folders are paths of this machine as well, and
 * an empty list would mean the whole library.
 * @throws {StashError} BAD_INPUT for a part of the library to which the task cannot be limited, and for an empty list.
 */
function scopeOf({ task, options, paths, items }: TaskInput): Pick<TaskInput, 'options' | 'paths' | 'items'> {
  const { scopes } = taskKinds[task];
  for (const [property, scope, value] of [
    ['paths', 'paths', paths],
    ['sceneIDs', 'items', items],
  ] as const) {
    if (value && !(scope in scopes)) throw new StashError('BAD_INPUT.notForTask', { details: { property } });
  }
  if (!options || !('paths' in scopes) || paths || items) return { options, paths, items };
  const { paths: folders, sceneIDs, ...others } = options;
  if (sceneIDs !== undefined && task === 'metadataIdentify') {
    const scenes = idsIn(sceneIDs);
    return { options: others, paths: null, items: { scenes, images: [], galleries: [] } };
  }
  if (folders === undefined) return { options, paths, items };
  const isList = arrayOf(isString)(folders) && folders.length > 0;
  if (!isList) throw wrongList('paths', '[String!]');
  return { options: { ...others, ...(sceneIDs !== undefined && { sceneIDs }) }, paths: folders, items };
}

/** Reads IDs of scenes as the server takes them. @throws {StashError} BAD_INPUT for anything else, and for an empty list. */
function idsIn(list: unknown): string[] {
  const ids = Array.isArray(list) ? list.map(String).filter((id) => /^\d{1,18}$/.test(id)) : [];
  if (!Array.isArray(list) || ids.length === 0 || ids.length < list.length)
    throw wrongList('sceneIDs', '[ID!]');
  return ids;
}

function wrongList(name: string, type: string): StashError {
  return new StashError('BAD_INPUT.wrongType', { details: { name, type } });
}

function canRunDry(name: TaskName): boolean {
  return name === 'metadataClean' || name === 'metadataCleanGenerated';
}

/** Returns the chosen part of the library, which is checked, and the chosen items. */
async function limitTo(
  server: Server,
  { task: name, paths, items }: TaskInput,
  task: Task,
  call: Call,
): Promise<Scope & { items?: Chosen }> {
  if (items && name === 'metadataAutoTag') {
    const { folders, ...chosen } = await itemFolders(server, items, call);
    return { paths: folders, items: chosen };
  }
  if (items) {
    const chosen = await chosenScenes(server, items.scenes, call);
    return { sceneIDs: chosen.known, items: chosen };
  }
  const checked = await taskPaths(server, task, paths, call);
  if (!checked) return {};
  if (name !== 'metadataAutoTag') return { paths: checked.paths };
  // Stash tags whole folders: of the path of a file, it tags nothing.
  const folders = checked.paths.map((path) => checked.library.folderOfFile(path) ?? path);
  return { paths: [...new Set(folders)] };
}
