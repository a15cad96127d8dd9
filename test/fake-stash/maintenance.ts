import { isLike } from './criteria';
import { runHook } from './hooks';
import { type Step, type Task, TaskFailure } from './jobs';
import { type Entry, isFolder, type Kind, pathsOf, stashOf } from './library';
import { elapsed, type TaskState } from './tasks';

/** The parts of the server that the tasks on its database use. */
export interface DatabaseState extends TaskState {
  /** A migration changes it. */
  status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
}

/** The input of `metadataClean`, and of `verifyPaths`, which keeps what is missing unless it is to purge that. */
export interface CleanInput {
  paths?: readonly string[] | null;
  dryRun?: boolean | null;
  purgeMissing?: boolean | null;
}

/** Something that a clean looks at. */
interface Suspect {
  /** The subtask. */
  name: string;
  /** The line in the log if it has to go. */
  reason: string | undefined;
  remove: () => void;
}

/** Things that a clean removes in one go, when it has looked at all of them. */
interface Group {
  label: string;
  suspects: readonly Suspect[];
}

const KINDS: readonly Kind[] = ['scene', 'image', 'gallery'];

/**
 * Checks that the database is open, before a task uses it.
 * @throws {TaskFailure} in SETUP and NEEDS_MIGRATION.
 */
export function requireDatabase({ status, quirks }: DatabaseState): void {
  if (status === 'OK') return;
  throw quirks.noDatabase.startsWith('Internal') ? TaskFailure.panic() : new TaskFailure(quirks.noDatabase);
}

/** Returns whether a clean of these folders covers something; a file matches nothing. Without folders, it covers all. */
function isCovered(path: string, folders: readonly string[] | null | undefined): boolean {
  return !folders || folders.length === 0 || folders.some((folder) => isLike(path, `${folder}/%`));
}

/** Returns a task that removes from the library what has gone from the disk. */
export function clean(server: DatabaseState, { paths, dryRun, purgeMissing = true }: CleanInput): Task {
  const { quirks, serverLog, library } = server;
  const { cleans } = quirks;
  const verifies = cleans === 'verifying';
  const looksAtFiles = verifies || cleans === 'files and folders';
  const marking = verifies ? 'Marking as missing' : cleans === 'at once' ? 'Cleaning' : 'Marking to clean';
  const info = (message: string) => {
    serverLog.write('Info', message);
  };

  /** Returns why a file or a folder has to go. */
  function reasonOf(what: 'File' | 'Folder', path: string): string | undefined {
    const reason = (why: string) => `${what} ${why}. ${marking}: "${path}"`;
    const stash = stashOf(path);
    if (!library.disk.has(path) || (!stash && !looksAtFiles)) return reason('not found');
    if (!stash) return reason('not in any stash library directories');
    return undefined;
  }

  /** Returns why an item has to go. */
  function verdict(entry: Entry): string | undefined {
    const { kind, path } = entry;
    // Since v0.17, an item stays as long as it has a file.
    if (
      looksAtFiles &&
      pathsOf(entry)
        .slice(1)
        .some((copy) => library.disk.has(copy))
    ) {
      return undefined;
    }
    const excluded = kind === 'scene' ? 'video' : 'images';
    const stash = stashOf(path);
    const isExcluded = kind === 'scene' ? stash?.excludeVideo : stash?.excludeImage;
    const why = isExcluded
      ? `File in stash library that excludes ${excluded}. ${marking}: "${path}"`
      : undefined;
    return reasonOf('File', path) ?? why;
  }

  function suspect(name: string, entry: Entry): Suspect {
    const shown = JSON.stringify(entry.title || entry.path);
    return {
      name,
      reason: verdict(entry),
      remove() {
        library.remove(entry);
        runHook(server, `${entry.kind}.Destroy`, entry.id);
        if (!looksAtFiles) return;
        info(`Deleting ${entry.kind} ${shown} since it has no other related files`);
      },
    };
  }

  const subtask = (what: string, path: string) =>
    verifies ? `Verifying ${what} ${path}` : `Assessing ${what} ${path} for clean`;

  /** Since v0.17, Stash looks at files and folders. */
  function filesAndFolders(): Group {
    const items = KINDS.flatMap((kind) => library.all(kind));
    const galleries = items.filter(({ path }) => isFolder(path));
    const folders = [...new Set([...library.folders, ...galleries.map(({ path }) => path)])];
    return {
      label: 'files and folders',
      suspects: [
        ...items
          .filter((entry) => !galleries.includes(entry) && isCovered(entry.path, paths))
          .map((entry) => suspect(subtask('file', entry.path), entry)),
        ...folders
          .filter((folder) => isCovered(folder, paths) || paths?.includes(folder))
          .map((folder) => ({
            name: subtask('folder', folder),
            reason: reasonOf('Folder', folder),
            remove() {
              library.folders.delete(folder);
              for (const gallery of galleries.filter(({ path }) => path === folder)) {
                info(
                  `Deleting folder-based gallery ${JSON.stringify(folder)} since the folder no longer exists`,
                );
                library.remove(gallery);
                runHook(server, 'gallery.Destroy', gallery.id);
              }
            },
          })),
      ],
    };
  }

  /** Before v0.17, Stash looked at items, and never at galleries that are folders. */
  function itemsOf(kind: Kind): Group {
    const items = library.all(kind).filter(({ path }) => !isFolder(path));
    return {
      label: { scene: 'scenes', image: 'images', gallery: 'galleries' }[kind],
      suspects: items.map((entry) => suspect(`Assessing ${kind} ${entry.path} for clean`, entry)),
    };
  }

  return {
    description: verifies ? 'Verifying paths...' : 'Cleaning...',
    begin() {
      info(`Starting ${verifies ? 'verification' : 'cleaning'} of tracked files`);
      if (dryRun) info('Running in Dry Mode');
      requireDatabase(server);
      const groups = looksAtFiles ? [filesAndFolders()] : KINDS.map(itemsOf);
      return cleaning(groups, {
        dryRun: dryRun === true || !purgeMissing,
        atOnce: cleans === 'at once',
        info,
      });
    },
    end(milliseconds, stopped) {
      if (stopped) {
        info('Stopping due to user request');
        return;
      }
      const time = looksAtFiles ? ` (${elapsed(milliseconds)})` : '';
      info(`Finished ${verifies ? 'verifying' : 'Cleaning'}${time}`);
    },
  };
}

interface HowToClean {
  dryRun: boolean;
  /** Whether each thing is removed as soon as it was looked at. */
  atOnce: boolean;
  info: (line: string) => void;
}

/** Returns the steps that look at groups of things and remove what has to go. */
function cleaning(groups: readonly Group[], { dryRun, atOnce, info }: HowToClean): Step[] {
  const total = groups.reduce((sum, { suspects }) => sum + suspects.length, 0);
  const steps: Step[] = [];
  let processed = 0;
  for (const { label, suspects } of groups) {
    const doomed = suspects.filter(({ reason }) => reason !== undefined);
    for (const { name, reason, remove } of suspects) {
      if (atOnce || reason === undefined) processed += 1;
      const finish = () => {
        if (reason === undefined) return;
        info(reason);
        if (atOnce && !dryRun) remove();
      };
      steps.push({ name, progress: processed / total, finish });
    }
    if (atOnce || doomed.length === 0) continue;
    if (dryRun) {
      // A defect of Stash: what would go replaces what was counted before, so that the job ends below 1.
      processed = doomed.length;
      steps.push({ ...steps.pop(), progress: processed / total });
      continue;
    }
    for (const { remove } of doomed) {
      processed += 1;
      steps.push({
        name: `Cleaning ${doomed.length} ${label}`,
        progress: processed / total,
        finish: remove,
      });
    }
  }
  return steps;
}

/** The input of `metadataCleanGenerated`. */
export type CleanGeneratedInput = Readonly<Record<string, boolean | null>>;

/** The kinds of generated files, in the order in which they are cleaned. */
const GENERATED = {
  blobFiles: 'blob',
  sprites: 'sprite',
  screenshots: 'screenshot',
  transcodes: 'transcode',
  markers: 'marker',
  imageThumbnails: 'image thumbnail',
} as const;

/** Returns a task that cleans generated files, of which none is unused. */
export function cleanGenerated({ serverLog, status }: DatabaseState, input: CleanGeneratedInput): Task {
  const prefix = input['dryRun'] ? '[dry run] ' : '';
  const chosen = Object.entries(GENERATED).filter(([name]) => input[name]);
  return {
    description: 'Cleaning generated files...',
    silent: chosen.length === 0,
    begin() {
      serverLog.write('Info', `Cleaning generated files ${prefix}`);
      return chosen.map(([name, kind]) => ({
        name: `Cleaning ${name === 'imageThumbnails' ? 'thumbnail' : kind} files`,
        finish() {
          serverLog.write('Info', `Cleaning ${kind} files`);
          if (status === 'SETUP') throw TaskFailure.panic();
        },
      }));
    },
    end(_, stopped) {
      serverLog.write('Info', stopped ? 'Stopping due to user request' : 'Finished cleaning generated files');
    },
  };
}

/** Returns a task that optimises the database. */
export function optimise(server: DatabaseState): Task {
  const { serverLog } = server;
  return {
    description: 'Optimising database...',
    begin() {
      serverLog.write('Info', 'Optimising database');
      requireDatabase(server);
      return [{ name: 'Analyzing database' }, { name: 'Vacuuming database' }];
    },
    end(milliseconds, stopped) {
      const finished = `Finished optimising database after ${elapsed(milliseconds)}`;
      serverLog.write('Info', stopped ? 'Stopping due to user request' : finished);
    },
  };
}

/** Returns a task that migrates the database. */
export function migrate(server: DatabaseState): Task {
  const { serverLog, quirks } = server;
  const { oldSchema, appSchema } = quirks;
  const info = (line: string) => {
    serverLog.write('Info', line);
  };
  return {
    description: 'Migrating database...',
    begin() {
      if (server.status === 'OK') {
        info('database is already at the latest schema version');
        return [];
      }
      info(`Migrating database from ${oldSchema} to ${appSchema}`);
      info('Running migrations');
      const versions = Array.from({ length: appSchema - oldSchema }, (_, index) => oldSchema + index + 1);
      return [
        { name: 'Backing up database' },
        ...versions.map((version) => ({ name: `Migrating database to schema version ${version}` })),
        {
          name: 'Optimising database',
          finish() {
            server.status = 'OK';
            info('Database migration complete');
          },
        },
      ];
    },
  };
}

/** Returns a task that writes the library into files on the server. */
export function exportAll(server: DatabaseState): Task {
  const { serverLog, library } = server;
  return {
    description: 'Exporting...',
    silent: true,
    begin() {
      requireDatabase(server);
      return KINDS.map((kind) => ({
        finish() {
          const name = `${kind === 'gallery' ? 'gallerie' : kind}s`;
          const count = library.all(kind).length;
          serverLog.write('Info', `[${name}] exporting`);
          for (let done = 1; done <= count; done++)
            serverLog.write('Progress', `[${name}] ${done} of ${count}`);
          serverLog.write('Info', `[${name}] export complete in 10ms. 2 workers used.`);
        },
      }));
    },
    end(milliseconds) {
      serverLog.write('Info', `Export complete in ${elapsed(milliseconds)}.`);
    },
  };
}
