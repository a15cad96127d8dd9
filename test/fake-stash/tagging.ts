import { type Step, type Task, TaskFailure } from './jobs';
import type { Entry, Kind, Studio } from './library';
import { isLike } from './criteria';
import { type DatabaseState, requireDatabase } from './maintenance';
import { elapsed } from './tasks';

/** The parts of the server that the tasks with names and scrapers use. */
export interface TaggingState extends DatabaseState {
  readonly studios: readonly Studio[];
}

type Ids = readonly string[] | null;

/** The input of `metadataAutoTag`. */
export interface AutoTagInput {
  paths?: Ids;
  performers?: Ids;
  studios?: Ids;
  tags?: Ids;
}

/** The input of `metadataIdentify`. */
export interface IdentifyInput {
  sources: readonly { source: Source }[];
  sceneIDs?: Ids;
  paths?: Ids;
}

interface Source {
  stash_box_index?: number | null;
  stash_box_endpoint?: string | null;
  scraper_id?: string | null;
}

/** Returns whether an item is below one of these folders; a file matches nothing. Without folders, all items are. */
function isInFolders(path: string, folders: Ids | undefined): boolean {
  if (!folders || folders.length === 0) return true;
  return folders.some((folder) => isLike(path, `${folder.replace(/\/?$/, '/')}%`));
}

const ALL = '*';
const KINDS: readonly Kind[] = ['scene', 'image', 'gallery'];
const NOT_IN_TRANSACTION =
  'error getting scene count: error querying aggregate fields: executing query: SELECT COUNT(DISTINCT temp.id) as total ' +
  'FROM (SELECT DISTINCT scenes.id FROM scenes WHERE (scenes.organized = 0)) as temp [[]]: not in transaction';
const AUTO_TAG_SCRAPER = 'builtin_autotag';

/** Returns a task that gives items the studios whose names are in their paths. */
export function autoTag(server: TaggingState, input: AutoTagInput): Task {
  const { quirks, serverLog, library } = server;
  const { autoTagLog } = quirks;
  const word = autoTagLog === 'auto-tag' ? 'auto-tag' : 'autotag';
  const info = (message: string) => {
    serverLog.write('Info', message);
  };
  const lists = { performer: input.performers ?? [], studio: input.studios ?? [], tag: input.tags ?? [] };
  const known = {
    performer: library.performerIds,
    studio: server.studios.map(({ id }) => id),
    tag: library.tagIds,
  };

  function tag(entry: Entry, studios: readonly Studio[], isByFile: boolean): void {
    const studio = studios.find(({ name }) => entry.path.includes(`/${name}/`));
    if (!studio || library.studioOf.has(entry)) return;
    library.studioOf.set(entry, studio.id);
    const shown = autoTagLog === 'brief' ? entry.path.replace(/^.*\//, '') : entry.path;
    const [what, whom] = [`studio '${studio.name}'`, `${entry.kind} '${shown}'`];
    info(isByFile ? `Added ${what} to ${whom}` : `Added ${whom} to ${what}`);
  }

  /** Goes through the files, with all studios. */
  function byFile(): Step[] {
    const entries = KINDS.flatMap((kind) => library.all(kind)).filter(({ path }) =>
      isInFolders(path, input.paths),
    );
    info(`Starting ${word} of ${entries.length} files`);
    const studios = lists.studio.length > 0 ? server.studios : [];
    return entries.map((entry, index) => ({
      finish() {
        const isFirst = entries.findIndex(({ kind }) => kind === entry.kind) === index;
        const plural = `${entry.kind === 'gallery' ? 'gallerie' : entry.kind}s`;
        const beginning = autoTagLog === 'auto-tag' ? 'Auto-tagging' : 'Autotagging';
        if (isFirst && autoTagLog !== 'brief') info(`${beginning} ${plural}...`);
        tag(entry, studios, true);
      },
    }));
  }

  /** Goes through performers, studios and tags. */
  function byName(): Step[] {
    const counts = Object.entries(lists).map(([kind, ids]) =>
      ids.length === 1 && ids[0] === ALL ? known[kind as keyof typeof known].length : ids.length,
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    info(`Starting ${word} of ${counts[0]} performers, ${counts[1]} studios, ${counts[2]} tags`);
    const wanted = Object.entries(lists).flatMap(([kind, ids]) =>
      ids
        .flatMap((id) => (id === ALL ? known[kind as keyof typeof known] : [id]))
        .map((id) => ({ kind, id, isKnown: known[kind as keyof typeof known].includes(id) })),
    );
    let done = 0;
    return wanted.map(({ kind, id, isKnown }) => ({
      progress: (isKnown ? ++done : done) / total,
      finish() {
        if (!isKnown) serverLog.write('Error', unknownId(kind, id));
        if (kind !== 'studio') return;
        const studios = server.studios.filter((studio) => studio.id === id);
        for (const entry of KINDS.flatMap((each) => library.all(each))) {
          if (isInFolders(entry.path, input.paths)) tag(entry, studios, false);
        }
      },
    }));
  }

  function unknownId(kind: string, id: string): string {
    const prefix = autoTagLog === 'auto-tag' ? 'auto-tag error: ' : '';
    return /^\d+$/.test(id)
      ? `${prefix}${kind} with id ${id} not found`
      : `${prefix || 'error '}parsing ${kind} id ${id}: strconv.Atoi: parsing "${id}": invalid syntax`;
  }

  return {
    description: 'Auto-tagging...',
    begin() {
      requireDatabase(server);
      const isByFile = Object.values(lists).every((ids) => ids.length === 0 || ids[0] === ALL);
      return isByFile ? byFile() : byName();
    },
    end(milliseconds, stopped) {
      if (stopped) info(`Stopping ${autoTagLog === 'auto-tag' ? 'auto-tag ' : ''}due to user request`);
      info(`Finished ${word}${autoTagLog === 'brief' ? '' : ` after ${elapsed(milliseconds)}`}`);
    },
  };
}

/** Returns a task that looks scenes up with scrapers. Only the built-in auto tag finds something: studios by path. */
export function identify(server: TaggingState, input: IdentifyInput): Task {
  const { quirks, serverLog, library } = server;
  const { sources, sceneIDs, paths } = input;

  function lookUp(scene: Entry): void {
    const minor = quirks.tellsUnidentified ? 'Info' : 'Debug';
    for (const { source } of sources) {
      if (source.scraper_id !== AUTO_TAG_SCRAPER) {
        const id = source.scraper_id ?? '';
        const error = `error scraping from scraper ${id}: ${unsupported(id)}`;
        const inScene = `Error encountered identifying ${scene.path}: ${error}`;
        serverLog.write('Error', quirks.skipsSources ? error : inScene);
        if (quirks.skipsSources) continue;
        return;
      }
      const studio = server.studios.find(({ name }) => scene.path.includes(`/${name}/`));
      if (!studio) continue;
      const isKnown = library.studioOf.get(scene) === studio.id;
      library.studioOf.set(scene, studio.id);
      if (isKnown) serverLog.write(minor, `Nothing to set for ${scene.path}`);
      else serverLog.write('Info', `Successfully identified ${scene.path} using Auto Tag`);
      return;
    }
    serverLog.write(minor, `Unable to identify ${scene.path}`);
  }

  function unsupported(id: string): string {
    if (!quirks.tellsScraper) return `Scraper with ID ${id} not found`;
    return `scraper operation not supported: cannot use scraper ${id} to scrape SCENE content`;
  }

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
      const strange = sceneIDs?.find((id) => !/^[+-]?\d+$/.test(id));
      if (strange !== undefined) {
        throw failure(`invalid scene IDs: strconv.Atoi: parsing "${strange}": invalid syntax`);
      }
      if (sceneIDs && sceneIDs.length > 0) {
        return sceneIDs.map((id): Step => {
          const scene = all.find((each) => each.id === id);
          if (scene) return lookUpStep(scene);
          return {
            finish() {
              throw failure(unknownScene(id));
            },
          };
        });
      }
      return all
        .filter(({ path }) => isInFolders(path, paths))
        .sort((one, other) => (one.path < other.path ? -1 : 1))
        .map(lookUpStep);
    },
  };

  /** @throws {TaskFailure} if there is no such scraper; the server has no stash-box. */
  function checkSource({ scraper_id, stash_box_endpoint, stash_box_index }: Source): void {
    if (typeof scraper_id === 'string') {
      const isSetUp = server.status !== 'SETUP';
      if (!isSetUp && !quirks.scrapersInSetup) throw TaskFailure.panic();
      if (isSetUp && [AUTO_TAG_SCRAPER, 'builtin_freeones', 'localtest'].includes(scraper_id)) return;
      throw new TaskFailure(`not found: scraper with id "${scraper_id}"`);
    }
    // A defect of Stash: it reports where the number is in its memory.
    if (typeof stash_box_index === 'number') {
      throw new TaskFailure('invalid ScraperSource: invalid stash_box_index: 48224441684536');
    }
    if (typeof stash_box_endpoint === 'string') {
      throw new TaskFailure(`not found: stash-box with endpoint "${stash_box_endpoint}"`);
    }
    throw new TaskFailure(
      'invalid request input: stash_box_index or stash_box_endpoint or scraper_id must be set',
    );
  }

  function lookUpStep(scene: Entry): Step {
    return {
      name: `Identifying ${scene.path}`,
      finish() {
        lookUp(scene);
      },
    };
  }

  function unknownScene(id: string): string {
    if (quirks.unknownIsError) {
      return `error finding scene with id ${id}: getting scene by id ${id}: sql: no rows in result set`;
    }
    return quirks.namesUnknownScene ? `scene with id ${id} not found` : `not found: scene with id ${id}`;
  }
}
