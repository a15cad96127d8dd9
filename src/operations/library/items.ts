import type { Call } from '../../call';
import { StashError } from '../../errors';
import { isRecord, isString, nullable, parsed } from '../../guards';
import { baseName } from '../../paths';
import type { Schema, Server } from '../../server';

/**
 * The kinds of items, by the names of their lists. Each has the word for one in flow files and messages, its type, the field with its
 * name, and the root field that finds all.
 */
export const kinds = {
  scenes: { item: 'scene', type: 'Scene', name: 'title', all: 'findScenes' },
  images: { item: 'image', type: 'Image', name: 'title', all: 'findImages' },
  galleries: { item: 'gallery', type: 'Gallery', name: 'title', all: 'findGalleries' },
  performers: { item: 'performer', type: 'Performer', name: 'name', all: 'findPerformers' },
  studios: { item: 'studio', type: 'Studio', name: 'name', all: 'findStudios' },
  tags: { item: 'tag', type: 'Tag', name: 'name', all: 'findTags' },
  scene_markers: { item: 'marker', type: 'SceneMarker', name: 'title', all: 'findSceneMarkers' },
  groups: { item: 'group', type: 'Group', name: 'name', all: 'findGroups' },
  // The name of groups before v0.27.
  movies: { item: 'group', type: 'Movie', name: 'name', all: 'findMovies' },
} as const;
/** Any kind of items, by the name of its list. */
export type AnyKind = keyof typeof kinds;
/** The kinds of items that have files. */
export const itemKinds = ['scenes', 'images', 'galleries'] as const satisfies readonly AnyKind[];
export type ItemKind = (typeof itemKinds)[number];

/** Returns the root field that finds an item of a kind by its id. No release has one for markers. */
export function oneOf(kind: AnyKind): string {
  return `find${kinds[kind].type}`;
}

/** Returns the argument for criteria of the root field that finds all items of a kind, and its type. */
export function criteriaOf(kind: AnyKind): { argument: string; criteria: string } {
  const { type } = kinds[kind];
  const argument = type === 'SceneMarker' ? 'scene_marker' : type.toLowerCase();
  return { argument: `${argument}_filter`, criteria: `${type}FilterType` };
}

/** The error of servers up to v0.17 for a scene that is not in the library; it fails the whole request. */
const UNKNOWN = 'no rows in result set';

/** An item as the response has it. */
export type RawItem = Readonly<Record<string, unknown>>;

/**
 * Requests items by their ids in one request, and returns those that are in the library, in the given order.
 * @param select returns the selection of an item's fields.
 * @param ids without repetitions. A server needs a tenth of a second for two hundred.
 * @throws {StashError} as `Server.request`.
 */
export async function itemsById(
  server: Server,
  kind: AnyKind,
  ids: readonly string[],
  select: (schema: Schema) => string,
  call: Call,
): Promise<[string, RawItem][]> {
  if (ids.length === 0) return [];
  try {
    return await requestItems(server, kind, ids, select, call);
  } catch (error) {
    if (!(error instanceof StashError && String(error.details['text']).includes(UNKNOWN))) throw error;
    if (ids.length === 1) return [];
    // Halves the list until each unknown scene is alone.
    const middle = Math.ceil(ids.length / 2);
    const first = await itemsById(server, kind, ids.slice(0, middle), select, call);
    return [...first, ...(await itemsById(server, kind, ids.slice(middle), select, call))];
  }
}

/** Requests each item in a field of its own, because `findScenes` fails if one of its ids is unknown. */
async function requestItems(
  server: Server,
  kind: AnyKind,
  ids: readonly string[],
  select: (schema: Schema) => string,
  call: Call,
): Promise<[string, RawItem][]> {
  const { type } = kinds[kind];
  const one = oneOf(kind);
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', one)) throw schema.lacks(one);
      const declared = ids.map((_, index) => `$id${index}: ID!`).join(', ');
      const fields = ids.map((_, index) => `item${index}: ${one}(id: $id${index}) { ...Item }`).join(' ');
      return {
        rootField: one,
        document: `query (${declared}) { ${fields} } fragment Item on ${type} { ${select(schema)} }`,
        variables: Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
        isWhole: true,
        read: parsed(isRecord, (items) =>
          ids.flatMap((id, index): [string, RawItem][] => {
            const item = readItem(items[`item${index}`]);
            return item ? [[id, item]] : [];
          }),
        ),
      };
    },
  });
}

/** Reads an item; null for an unknown one. */
const readItem = parsed(nullable(isRecord), (item): RawItem | null => item);

/**
 * Returns the selection for the paths of an item, which depends on the release. A gallery may be a folder.
 * @param field another field of each file, such as its size.
 */
export function selectionOfPath(schema: Schema, type: 'Scene' | 'Image' | 'Gallery', field = ''): string {
  const file = `{ path ${field} }`;
  const folder = schema.has(type, 'folder') ? ' folder { path }' : '';
  if (schema.has(type, 'visual_files')) {
    return `visual_files { ... on VideoFile ${file} ... on ImageFile ${file} }${folder}`;
  }
  if (schema.has(type, 'files')) return `files ${file}${folder}`;
  return field === '' ? 'path' : `path file { ${field} }`;
}

/** Returns the path of an item's first file, or of the folder that is the gallery; null if it has none. */
export function pathOf({
  visual_files,
  files,
  folder,
  path,
}: Readonly<Record<string, unknown>>): string | null {
  const places = [visual_files, files, folder].flat().filter(isRecord);
  return [...places.map((place) => place['path']), path].find(isString) ?? null;
}

/** Returns the title of an item; the name of its file if it has none, as after most scans; null if it has neither. */
export function titleOr(title: unknown, path: string | null): string | null {
  return isString(title) && title !== '' ? title : path && baseName(path);
}

/** The longest title in a sentence, in UTF-16 units. */
const LONGEST_TITLE = 80;

/** Returns the title for a sentence; the id of an item without title and file. */
export function shortTitle({ title, id }: { title: string | null; id: string }): string {
  const whole = title ?? `#${id}`;
  return whole.length > LONGEST_TITLE ? `${whole.slice(0, LONGEST_TITLE - 1)}…` : whole;
}

/** How many items to request by their ids at a time. */
export const BATCH = 200;

/** Returns a list in parts, each small enough for one request. */
export function batchesOf<T>(all: readonly T[], size = BATCH): T[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size));
}

/**
 * Returns those of the items that are in the library, in the given order, each with its path.
 * @param ids without repetitions.
 * @throws {StashError} as `Server.request`.
 */
export async function knownItems(
  server: Server,
  kind: ItemKind,
  ids: readonly string[],
  call: Call,
  check?: (schema: Schema) => void,
): Promise<Map<string, string | null>> {
  const known = new Map<string, string | null>();
  const { type } = kinds[kind];
  for (const batch of batchesOf(ids)) {
    const found = await itemsById(
      server,
      kind,
      batch,
      (schema) => {
        check?.(schema);
        return `id ${selectionOfPath(schema, type)}`;
      },
      call,
    );
    for (const [id, item] of found) known.set(id, pathOf(item));
  }
  return known;
}

/** A longer list is not checked: all of its scenes count as known. */
const MOST_CHECKED = 100_000;

/** Items of the library that the user chose by their ids. */
export interface Chosen {
  /** The ids of those in the library, each once, in the given order. */
  known: readonly string[];
  /** How many others there are. */
  unknown: number;
}

/**
 * Finds out which items are in the library: of an unknown or repeated one, tasks fail or do nothing at all. All of them count
 * as known if the server does not tell.
 * @param check of the task. What it throws is left for the task to throw.
 * @throws {StashError} as `Server.request`, except UNSUPPORTED and GRAPHQL.
 */
export async function chosenItems(
  server: Server,
  kind: ItemKind,
  given: readonly string[],
  call: Call,
  check?: (schema: Schema) => void,
): Promise<Chosen> {
  const ids = [...new Set(given)];
  if (ids.length > MOST_CHECKED) return { known: ids, unknown: 0 };
  try {
    const known = [...(await knownItems(server, kind, ids, call, check)).keys()];
    return { known, unknown: ids.length - known.length };
  } catch (error) {
    if (!(error instanceof StashError && ['UNSUPPORTED', 'GRAPHQL'].includes(error.code))) throw error;
    return { known: ids, unknown: 0 };
  }
}
