import { hasString, isRecord, isString } from '../../guards';
import type { Schema, Server } from '../../server';
import { aliasesIn } from './by-name';
import type { FoundItem, ItemReader } from './item-fields';
import { type AnyKind, type ItemKind, kinds, pathOf, type RawItem, selectionOfPath, titleOr } from './items';
import { nameIn, numberOrNull, ratingOf, textOrNull } from './raw-values';

/** A performer, studio, tag, marker or group, with the fields of its kind. One that the server lacks is absent. */
export interface NamedItem {
  id: string;
  kind: string;
  /** The name; the title of a marker. */
  name?: string | null;
  title?: string | null;
  /** Its page in the web interface, at the configured address. */
  url: string;
  [field: string]: unknown;
}

/** A kind of items that have no files. */
type NamedKind = Exclude<AnyKind, ItemKind>;

/** One way in which releases have a field. */
interface Source {
  /** Its name in the type. */
  of: string;
  /** Its selection; by default the name. */
  select?: (schema: Schema) => string;
  read: (value: unknown, item: RawItem) => unknown;
}

/** The fields in the order of a message, each with its names in the releases, newest first. */
type Fields = Readonly<Record<string, readonly Source[]>>;

const text = (of: string): Source => ({ of, read: textOrNull });
const number = (of: string): Source => ({ of, read: numberOrNull });
const texts = (of: string): Source => ({
  of,
  read: (value) => (Array.isArray(value) ? value.filter(isString) : []),
});

const tagFields: Fields = {
  name: [text('name')],
  aliases: [texts('aliases')],
  scenes: [number('scene_count')],
};

const groupFields: Fields = {
  name: [text('name')],
  date: [text('date')],
  seconds: [number('duration')],
  scenes: [number('scene_count')],
};

const fields: Readonly<Record<NamedKind, Fields>> = {
  performers: {
    name: [text('name')],
    disambiguation: [text('disambiguation')],
    // Before v0.19, they were one text.
    aliases: [texts('alias_list'), { of: 'aliases', read: (_, item) => aliasesIn(item) }],
    birthdate: [text('birthdate')],
    gender: [text('gender')],
    country: [text('country')],
    rating: ['rating100', 'rating'].map((of) => ({ of, read: (_, item) => ratingOf(item) })),
    favorite: [{ of: 'favorite', read: (value) => value === true }],
    scenes: [number('scene_count')],
  },
  studios: { ...tagFields, organized: [{ of: 'organized', read: (value) => value === true }] },
  tags: tagFields,
  scene_markers: {
    title: [text('title')],
    tag: [{ of: 'primary_tag', select: () => 'primary_tag { name }', read: nameIn }],
    seconds: [number('seconds')],
    scene: [
      {
        of: 'scene',
        select: (schema) => `scene { id title ${selectionOfPath(schema, 'Scene')} }`,
        read: (scene) =>
          isRecord(scene)
            ? { id: String(scene['id']), kind: 'scene', title: titleOr(scene['title'], pathOf(scene)) }
            : null,
      },
    ],
  },
  groups: groupFields,
  movies: groupFields,
};

/**
 * Describes performers, studios, tags, markers and groups.
 * @param withPicture whether to find out which of them have pictures.
 */
export function namedItemReader(
  server: Server,
  kind: NamedKind,
  withPicture: boolean,
): ItemReader<NamedItem> {
  const { type, item } = kinds[kind];
  // Those of the schema with which the request is sent in the end.
  let given: [name: string, source: Source][] = [];
  let missing: string[] = [];
  return {
    select: (schema) => {
      const found = Object.entries(fields[kind]).map(
        ([name, sources]) => [name, sources.find(({ of }) => schema.has(type, of))] as const,
      );
      given = found.flatMap(([name, source]): typeof given => (source ? [[name, source]] : []));
      missing = found.filter(([, source]) => !source).map(([name]) => name);
      const own = pictureFields.filter((name) => withPicture && schema.has(type, name));
      return ['id', ...given.map(([, { of, select }]) => select?.(schema) ?? of), ...own].join(' ');
    },
    missing: () => missing,
    read: (raw) => {
      const id = String(raw['id']);
      return {
        item: {
          id,
          kind: item,
          ...Object.fromEntries(given.map(([name, { of, read }]) => [name, read(raw[of], raw)])),
          url: server.url + pageOf(kind, id, raw),
        },
        pictured: picturedOf(kind, id, raw),
      };
    },
  };
}

/** Returns the address of an item's page. That of a marker is its scene's, at its time. */
function pageOf(kind: NamedKind, id: string, { scene, seconds }: RawItem): string {
  if (kind !== 'scene_markers') return `/${kind}/${id}`;
  if (!hasString('id')(scene)) return '/scenes/markers';
  const time = numberOrNull(seconds);
  return `/scenes/${scene.id}${time === null ? '' : `?t=${time}`}`;
}

/** The addresses of pictures. */
const pictureFields = ['image_path', 'front_image_path'] as const;

/** Returns what has the picture of an item. A marker has none of its own before Stash has generated it, so its scene has. */
function picturedOf(kind: NamedKind, id: string, item: RawItem): FoundItem['pictured'] {
  const { scene } = item;
  // Otherwise a performer without a picture would have a silhouette (since v0.20).
  if (pictureFields.some((name) => String(item[name]).includes('default=true'))) return null;
  switch (kind) {
    case 'performers':
      return { kind: 'performer', id };
    case 'studios':
      return { kind: 'studio', id };
    case 'tags':
      return { kind: 'tag', id };
    case 'groups':
      return { kind: 'group', id };
    case 'movies':
      return { kind: 'movie', id };
    case 'scene_markers':
      // It becomes a part of an address.
      return isRecord(scene) && /^\d+$/.test(String(scene['id']))
        ? { kind: 'scene', id: String(scene['id']) }
        : null;
  }
}
