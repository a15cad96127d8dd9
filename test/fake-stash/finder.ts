import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from './clock';
import { matches, type TextCriterion } from './criteria';
import { describeItem } from './items';
import { type Entry, type Kind, type Library, pathsOf } from './library';
import type { Quirks } from './quirks';
import { fitsSearch, pageOf } from './search';
import { fitsScene, playedAt, type SceneCriteria } from './scene-changes';

/** The parts of the server that the resolvers of content use. */
export interface FinderState {
  readonly quirks: Quirks;
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  readonly clock: Clock;
  readonly library: Library;
}

interface Filter {
  q?: string | null;
  page?: number | null;
  per_page?: number | null;
  sort?: string | null;
  direction?: 'ASC' | 'DESC' | null;
}

interface Criteria extends SceneCriteria {
  path?: TextCriterion | null;
  NOT?: { path?: TextCriterion | null } | null;
  title?: TextCriterion | null;
}

/** The seed of `random`, for as long as the process runs. */
const UNSEEDED = randomUUID();

const KINDS = ['scene', 'image', 'gallery'] as const;

/** Returns the resolvers that find scenes, images, galleries and folders. */
export function finderResolvers(server: FinderState) {
  const { quirks, library } = server;

  function find(kind: Kind, filter: Filter | null | undefined, criteria: Criteria | null | undefined) {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
    const { q, sort, direction } = filter ?? {};
    const { path: wanted, NOT: excluded, title: named } = criteria ?? {};
    const isWanted = (path: string) =>
      (!wanted || matches(path, wanted)) && !(excluded?.path && matches(path, excluded.path));
    const found = library
      .all(kind)
      .filter(({ title, path }) => fitsSearch([title ?? '', path], q ?? '', quirks))
      .filter((entry) => fitsScene(entry, criteria ?? {}, library))
      .filter((entry) => pathsOf(entry).some(isWanted))
      .filter(({ title }) => !named || (title !== null && matches(title, named)))
      .sort((one, other) => compare(one, other, sort ?? 'path', direction === 'DESC', server));
    const shown = pageOf(found, filter ?? {});
    return { count: found.length, entries: shown.map((entry) => describeItem(entry, library, quirks)) };
  }

  const [findScene, findImage, findGallery] = KINDS.map((kind) => ({ id }: { id?: string | null }) => {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
    const found = library.all(kind).find((entry) => entry.id === id);
    if (!found && quirks.unknownIsError)
      throw new Error(`getting ${kind} by id ${String(id)}: sql: no rows in result set`);
    return found ? describeItem(found, library, quirks) : null;
  });

  return {
    findScene,
    findImage,
    findGallery,
    findScenes({ filter, scene_filter }: { filter?: Filter; scene_filter?: Criteria }) {
      const { count, entries } = find('scene', filter, scene_filter);
      return { count, scenes: entries };
    },
    findImages({ filter, image_filter }: { filter?: Filter; image_filter?: Criteria }) {
      const { count, entries } = find('image', filter, image_filter);
      return { count, images: entries };
    },
    findGalleries({ filter, gallery_filter }: { filter?: Filter; gallery_filter?: Criteria }) {
      const { count, entries } = find('gallery', filter, gallery_filter);
      return { count, galleries: entries };
    },
    findFolders({ folder_filter }: { folder_filter?: { path?: TextCriterion | null } }) {
      if (server.status !== 'OK') throw new Error(quirks.noDatabase);
      const { path: wanted } = folder_filter ?? {};
      const found = [...library.folders].filter((path) => !wanted || matches(path, wanted));
      const folders = found.map((path, index) => ({ id: String(index + 1), path }));
      return { count: folders.length, folders };
    },
  };
}

// Equal values keep the order of their ids in both directions.
function compare(
  one: Entry,
  other: Entry,
  sort: string,
  descending: boolean,
  { library, quirks }: FinderState,
): number {
  const titleOf = ({ title, path }: Entry) => title ?? (quirks.sortsByFile ? path.replace(/^.*\//, '') : '');
  const byId = Number(one.id) - Number(other.id);
  const found = {
    id: byId,
    path: order(one.path, other.path),
    title: order(titleOf(one), titleOf(other)),
    created_at: order(one.createdAt, other.createdAt),
    // Never is before any time.
    last_played_at: order(playedAt(one, library), playedAt(other, library)),
  }[sort];
  if (found === undefined && sort.startsWith('random')) return shuffled(one, sort) - shuffled(other, sort);
  if (found === undefined) throw new Error(`invalid sort: ${sort}`);
  return (descending ? -found : found) || byId;
}

/** Returns the place of an item in a random order, which `random_` and digits repeats. */
function shuffled({ id }: Entry, sort: string): number {
  const [, seed] = /^random_(\d+)$/.exec(sort) ?? [];
  if (seed === undefined && sort !== 'random') throw new Error(`invalid random seed: ${sort.slice(7)}`);
  return createHash('md5')
    .update(`${seed ?? UNSEEDED} ${id}`)
    .digest()
    .readUInt32BE();
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
