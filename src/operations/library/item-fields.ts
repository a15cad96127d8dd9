import type { Call } from '../../call';
import type { Pictured } from '../../contract/pictures';
import { isRecord, isString } from '../../guards';
import type { Schema, Server } from '../../server';
import { type ItemKind, itemsById, kinds, oneOf, type RawItem, titleOr } from './items';
import { listOf, nameIn, namesOf, numberOrNull, ratingOf, textOrNull } from './raw-values';

/** A scene, an image or a gallery. A field that the server lacks is absent; one without a value is null. */
export interface LibraryItem {
  id: string;
  kind: (typeof kinds)[ItemKind]['item'];
  /** The name of its file if it has no title. */
  title: string | null;
  /** The paths of its files, or of the folder that is the gallery. */
  paths: string[];
  date?: string | null;
  details?: string | null;
  /** The duration of a scene, in seconds. */
  seconds?: number | null;
  /** The size of its first file. */
  bytes?: number | null;
  width?: number | null;
  height?: number | null;
  /** How many images a gallery has. */
  images?: number | null;
  studio?: string | null;
  performers?: string[];
  tags?: string[];
  /** From 0 to 100. */
  rating?: number | null;
  organized?: boolean | null;
  playCount?: number | null;
  oCounter?: number | null;
  /** Its page in the web interface, at the configured address. */
  url: string;
}

/** A field that a server may lack. */
type Optional = Exclude<keyof LibraryItem, 'id' | 'kind' | 'title' | 'paths' | 'url'> | 'picture';

/** An item and where its picture is. */
export interface FoundItem<Item = LibraryItem> {
  item: Item;
  /** What has its picture: the item itself or, for a gallery, its cover. Null if nothing has. */
  pictured: Pictured | null;
}

/** How the items of a kind are requested and described. */
export interface ItemReader<Item> {
  /** Returns the selection of the fields that the schema has. */
  select: (schema: Schema) => string;
  /** Returns the fields that the schema of the last selection lacks. */
  missing: () => string[];
  read: (raw: RawItem) => FoundItem<Item>;
}

/** The fields of each kind in the order of a message. */
const fields = {
  scenes: [
    ...['date', 'details', 'seconds', 'bytes', 'width', 'height', 'studio', 'performers', 'tags'],
    ...['rating', 'organized', 'playCount', 'oCounter'],
  ],
  images: [
    'date',
    'bytes',
    'width',
    'height',
    'studio',
    'performers',
    'tags',
    'rating',
    'organized',
    'oCounter',
  ],
  galleries: ['date', 'images', 'studio', 'performers', 'tags', 'rating', 'organized'],
} as const satisfies Record<ItemKind, readonly Optional[]>;

/** The values of a file, by the names of their fields since v0.17. */
const FILE_FIELDS = { seconds: 'duration', bytes: 'size', width: 'width', height: 'height' } as const;

/**
 * Returns those of the items that are in the library, in the given order.
 * @param withPicture whether to find out where the picture of a gallery is.
 * @throws {StashError} as `Server.request`.
 */
export async function libraryItems(
  server: Server,
  kind: ItemKind,
  ids: readonly string[],
  withPicture: boolean,
  call: Call,
): Promise<{
  /** The root field of the request. */
  operation: string;
  items: FoundItem[];
  /** The fields that this server cannot give. */
  missing: string[];
}> {
  const reader = libraryItemReader(server, kind, withPicture);
  const found = await itemsById(server, kind, ids, reader.select, call);
  const items = found.map(([, raw]) => reader.read(raw));
  return { operation: oneOf(kind), items, missing: reader.missing() };
}

/**
 * Describes scenes, images and galleries.
 * @param withPicture whether to find out where the picture of a gallery is.
 */
export function libraryItemReader(
  server: Server,
  kind: ItemKind,
  withPicture: boolean,
): ItemReader<LibraryItem> {
  // From the schema with which the request is sent in the end.
  let parts: Parts = { text: '', missing: [] };
  return {
    select: (schema) => {
      parts = selectedParts(schema, kind, withPicture);
      return parts.text;
    },
    missing: () => parts.missing,
    read: (raw) => {
      const id = String(raw['id']);
      return {
        item: libraryItem(server, kind, id, raw, parts.missing),
        pictured: picturedOf(kind, id, raw),
      };
    },
  };
}

interface Parts {
  text: string;
  missing: Optional[];
}

/** Returns the selection for a kind, and the fields that the schema lacks. */
function selectedParts(schema: Schema, kind: ItemKind, withPicture: boolean): Parts {
  const { type } = kinds[kind];
  const has = (field: string) => schema.has(type, field);
  const files = fileSelection(schema, kind);
  const isGallery = kind === 'galleries';
  const own: Partial<Record<Optional, string>> = {
    ...(has('date') && { date: 'date' }),
    ...(has('image_count') && { images: 'image_count' }),
    ...(has('studio') && { studio: 'studio { name }' }),
    ...(has('performers') && { performers: 'performers { name }' }),
    ...(has('tags') && { tags: 'tags { name }' }),
    ...(has('details') && { details: 'details' }),
    ...(has('organized') && { organized: 'organized' }),
    ...(has('play_count') && { playCount: 'play_count' }),
    ...(has('o_counter') && { oCounter: 'o_counter' }),
    // Before v0.18, it was from 1 to 5.
    ...(has('rating100') ? { rating: 'rating100' } : has('rating') && { rating: 'rating' }),
  };
  const hasFile = has('files') || has('file');
  const lacks = (field: Optional) => (field in FILE_FIELDS ? !hasFile : !(field in own));
  const wanted: readonly Optional[] = fields[kind];
  const lacksCover = isGallery && withPicture && !has('cover');
  return {
    text: [
      'id title',
      ...wanted.flatMap((field) => own[field] ?? []),
      files,
      ...(isGallery && withPicture && has('cover') ? ['cover { id }'] : []),
    ].join(' '),
    missing: [...wanted.filter(lacks), ...(lacksCover ? (['picture'] as const) : [])],
  };
}

/** Returns the selection of the files, which depends on the release. An image may be a video since v0.21. */
function fileSelection(schema: Schema, kind: ItemKind): string {
  const { type } = kinds[kind];
  const has = (field: string) => schema.has(type, field);
  if (kind === 'galleries') return has('folder') ? 'files { path } folder { path }' : 'path';
  const values = kind === 'scenes' ? 'size width height duration' : 'size width height';
  if (has('visual_files')) {
    return `visual_files { ... on VideoFile { path ${values} } ... on ImageFile { path ${values} } }`;
  }
  if (has('files')) return `files { path ${values} }`;
  return has('file') ? `path file { ${values} }` : 'path';
}

function libraryItem(
  { url }: Server,
  kind: ItemKind,
  id: string,
  raw: RawItem,
  missing: readonly Optional[],
): LibraryItem {
  const paths = pathsOf(raw);
  const values: Record<string, unknown> = {
    date: textOrNull(raw['date']),
    images: numberOrNull(raw['image_count']),
    studio: nameIn(raw['studio']),
    performers: namesOf(raw['performers']),
    tags: namesOf(raw['tags']),
    details: textOrNull(raw['details']),
    rating: ratingOf(raw),
    organized: typeof raw['organized'] === 'boolean' ? raw['organized'] : null,
    playCount: numberOrNull(raw['play_count']),
    oCounter: numberOrNull(raw['o_counter']),
  };
  const [file = {}] = [...listOf(raw['visual_files']), ...listOf(raw['files']), ...listOf(raw['file'])];
  for (const [field, name] of Object.entries(FILE_FIELDS)) values[field] = numberOrNull(file[name]);
  const given = fields[kind].filter((field) => !missing.includes(field));
  return {
    id,
    kind: kinds[kind].item,
    title: titleOr(raw['title'], paths[0] ?? null),
    paths,
    ...Object.fromEntries(given.map((field) => [field, values[field]])),
    url: `${url}/${kind}/${id}`,
  };
}

function picturedOf(kind: ItemKind, id: string, raw: RawItem): FoundItem['pictured'] {
  if (kind === 'scenes') return { kind: 'scene', id };
  if (kind === 'images') return { kind: 'image', id };
  const cover = isRecord(raw['cover']) ? raw['cover']['id'] : undefined;
  // It becomes a part of an address.
  return isString(cover) && /^\d+$/.test(cover) ? { kind: 'image', id: cover } : null;
}

function pathsOf({ visual_files, files, folder, path }: RawItem): string[] {
  const places = [visual_files, files, folder].flatMap(listOf).map((place) => place['path']);
  const paths = [...places, path].filter(isString).filter((one) => one !== '');
  // Before v0.17, a zero byte was in front of the path in a zip file (seen on v0.11.0).
  return paths.map((one) => one.replaceAll('\0', '/'));
}
