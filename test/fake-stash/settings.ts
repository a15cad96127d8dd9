import { folderOf } from './disk';
import type { Library } from './library';
import type { Quirks } from './quirks';

/** The parts of the server that tell of its settings and its disk. */
export interface SettingsState {
  readonly quirks: Quirks;
  readonly library: Library;
  readonly defaults: TaskDefaults;
  readonly taskDefaults: object | undefined;
  readonly ui: object;
}

/** The options of tasks that the server saves in its `defaults`, as an answer has them. */
export interface TaskDefaults {
  readonly identify?: object;
  readonly autoTag?: object;
  readonly generate?: object;
}

const HOME = '/root';

/** Returns the saved options of tasks, as parts of `configuration`. A kind without any is null. */
export function savedOptions({ defaults, taskDefaults, ui }: SettingsState) {
  return {
    defaults: {
      identify: defaults.identify ?? null,
      autoTag: defaults.autoTag ?? null,
      generate: defaults.generate ?? null,
    },
    ui: { ...ui, ...(taskDefaults && { taskDefaults }) },
  };
}

/** Returns the result of `directory`. */
export function directory(server: SettingsState, path: string | null | undefined) {
  const folder = path || HOME;
  const isRoot = server.quirks.guessesFolder ? folder === '/' : folder.endsWith('/');
  return { path: folder, parent: isRoot ? null : parentOf(folder), directories: foldersIn(server, folder) };
}

/**
 * Returns the folders in a folder. If it is missing, returns those beside it, which is the folder itself if the path ends
 * with a slash.
 * @throws if the folder beside which it would be is missing, too, or a file.
 */
function foldersIn({ quirks, library }: SettingsState, path: string): string[] {
  const { disk } = library;
  const folder = path.replace(/(?!^)\/+$/, '');
  if (disk.isFolder(folder)) return disk.foldersIn(folder);
  const beside = folderOf(path);
  if (!disk.isFolder(beside)) {
    const isFile = library.filesBelow([beside]).includes(beside);
    throw new Error(`open ${beside}: ${isFile ? 'not a directory' : 'no such file or directory'}`);
  }
  const start = folder.slice(folder.lastIndexOf('/') + 1).toLowerCase();
  return disk
    .foldersIn(beside)
    .filter((each) => !quirks.guessesFolder || nameOf(each).toLowerCase().startsWith(start));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function parentOf(path: string): string {
  return folderOf(path.replace(/\/+$/, ''));
}
