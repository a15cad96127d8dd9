import { type Step, type Task, TaskFailure } from './jobs';
import type { Entry, Kind } from './library';
import { isLike } from './criteria';
import { type DatabaseState, requireDatabase } from './maintenance';
import { elapsed } from './tasks';

type Ids = readonly string[] | null;

/** The input of `metadataAutoTag`. */
export interface AutoTagInput {
  paths?: Ids;
}

/** The input of `metadataIdentify`. */
export interface IdentifyInput {
  sources: readonly { source: Source }[];
  sceneIDs?: Ids;
  paths?: Ids;
}

interface Source {
  stash_box_endpoint?: string | null;
  scraper_id?: string | null;
}

/** Returns whether an item is below one of these folders; a file matches nothing. Without folders, all items are. */
function isInFolders(path: string, folders: Ids | undefined): boolean {
  if (!folders || folders.length === 0) return true;
  return folders.some((folder) => isLike(path, `${folder.replace(/\/?$/, '/')}%`));
}

const KINDS: readonly Kind[] = ['scene', 'image', 'gallery'];
const NOT_IN_TRANSACTION =
  'error getting scene count: error querying aggregate fields: executing query: SELECT COUNT(DISTINCT temp.id) as total ' +
  'FROM (SELECT DISTINCT scenes.id FROM scenes WHERE (scenes.organized = 0)) as temp [[]]: not in transaction';

/** Returns a task that goes through all items, or those below the given folders, and recognizes nothing. */
export function autoTag(server: DatabaseState, { paths }: AutoTagInput): Task {
  const { serverLog, library } = server;
  return {
    description: 'Auto-tagging...',
    begin() {
      requireDatabase(server);
      const entries = KINDS.flatMap((kind) => library.all(kind)).filter(({ path }) =>
        isInFolders(path, paths),
      );
      serverLog.write('Info', `Starting auto-tag of ${entries.length} files`);
      return entries.map(() => ({}));
    },
    end(milliseconds, stopped) {
      if (stopped) serverLog.write('Info', 'Stopping auto-tag due to user request');
      serverLog.write('Info', `Finished auto-tag after ${elapsed(milliseconds)}`);
    },
  };
}

/** Returns a task that looks scenes up with scrapers, which find nothing. */
export function identify(server: DatabaseState, { sources, sceneIDs, paths }: IdentifyInput): Task {
  const { quirks, library } = server;

  function failure(reason: string): TaskFailure {
    return new TaskFailure(`error encountered while identifying scenes: ${reason}`, {
      line: `Error encountered while identifying scenes: ${reason}`,
    });
  }

  return {
    description: 'Identifying...',
    silent: sources.length === 0,
    begin() {
      for (const { source } of sources) checkSource(source);
      if (sources.length === 0) return [];
      if (server.status !== 'OK') {
        throw failure(quirks.noDatabase.startsWith('Internal') ? NOT_IN_TRANSACTION : quirks.noDatabase);
      }
      const all = library.all('scene');
      if (!sceneIDs || sceneIDs.length === 0) {
        return all.filter(({ path }) => isInFolders(path, paths)).map(stepOf);
      }
      return sceneIDs.map((id): Step => {
        const scene = all.find((each) => each.id === id);
        if (scene) return stepOf(scene);
        return {
          finish() {
            throw failure(`scene with id ${id} not found`);
          },
        };
      });
    },
  };
}

/** @throws {TaskFailure} if there is no such scraper; the server has no stash-box. */
function checkSource({ scraper_id, stash_box_endpoint }: Source): void {
  if (typeof scraper_id === 'string') {
    if (['builtin_autotag', 'builtin_freeones', 'localtest'].includes(scraper_id)) return;
    throw new TaskFailure(`not found: scraper with id "${scraper_id}"`);
  }
  throw new TaskFailure(`not found: stash-box with endpoint "${stash_box_endpoint ?? ''}"`);
}

function stepOf({ path }: Entry): Step {
  return { name: `Identifying ${path}` };
}
