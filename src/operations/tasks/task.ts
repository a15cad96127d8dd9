import type { Call, JobOptions } from '../../call';
import type { Server } from '../../server';
import { checkLibraryIsThere } from './clean-check';
import { type PackageType, type PluginTask, type TaskName, taskOf } from './kinds';
import { optionsOf, type TaskOptions } from './options';
import { checkOf, runTask, type TaskForItems } from './run-task';
import { type GivenScope, limitTo, scopeOf } from './scope';

/** Which task to run, with which options, and for which part of the library. */
export interface TaskInput extends Partial<JobOptions>, GivenScope {
  task: TaskName;
  /** What `runPluginTask` runs; null for other tasks. */
  pluginTask: PluginTask | null;
  /** What to update, for `updatePackages`. */
  packageType: PackageType;
  /** Whether a clean task only tells what it would remove. Other tasks ignore it. */
  dryRun: boolean;
  /** Whether to clean although a disk of the library seems to be missing. */
  cleanAnyway: boolean;
}

export interface TaskDone extends TaskForItems {
  /** Whether nothing was to change, because the server only tells what it would remove. */
  isDryRun: boolean;
  /** The folders that replace the given paths or items. */
  replacedBy?: readonly string[];
}

/** Placeholders for required fields, so that the other fields can be checked before these have a value. */
const REQUIRED: Partial<Record<TaskName, TaskOptions>> = {
  metadataIdentify: { sources: [] },
  metadataClean: { dryRun: false },
};

/**
 * Runs a task of the server's Tasks page.
 * @throws {StashError} as `runTask`, `taskPaths`, `optionsOf` and `checkLibraryIsThere`; BAD_INPUT for a part of the library
 * to which the task cannot be limited.
 */
export async function task(server: Server, input: TaskInput, call: Call): Promise<TaskDone> {
  const { task: name, cleanAnyway } = input;
  const { options, paths, items } = scopeOf(name, input);
  const withFields = (fields: TaskOptions) => taskOf({ ...input, name, options: fields });
  const check = checkOf(withFields({ ...REQUIRED[name], ...options }), call);
  const dryRun = input.dryRun && canRunDry(name) && { dryRun: true };
  const complete = { ...(await optionsOf(server, name, options, check, call)), ...dryRun };
  const isDryRun = canRunDry(name) && complete['dryRun'] === true;
  const toCheck = withFields({ ...complete, ...(paths && { paths }) });
  const { items: chosen, ...scope } = await limitTo(server, toCheck, { paths, items }, call);
  const { paths: folders } = scope;
  const about: Pick<TaskDone, 'isDryRun' | 'items' | 'replacedBy'> = {
    isDryRun,
    ...(chosen && { items: chosen }),
    ...(folders && folders.join() !== paths?.join() && { replacedBy: folders }),
  };
  // Without any, the task would be for the whole library.
  if ([scope.paths, scope.sceneIDs].some((list) => list?.length === 0)) {
    return { operation: name, job: { id: null, status: 'SKIPPED' }, ...about };
  }
  const runnable = withFields({ ...complete, ...scope });
  if (name === 'metadataClean' && !isDryRun && !cleanAnyway) {
    runnable.prepare = () => checkLibraryIsThere(server, scope.paths, check, call);
  }
  return { ...(await runTask(server, runnable, input, call)), ...about };
}

function canRunDry(name: TaskName): boolean {
  return name === 'metadataClean' || name === 'metadataCleanGenerated';
}
