import type { Call } from '../../call';
import type { Kind } from '../../contract/kinds';
import type { Pictured } from '../../contract/pictures';
import { isRecord, isString } from '../../guards';
import type { Schema, Server } from '../../server';
import { itemsById } from './by-id';
import { messageFields, selectItem, variantsOf } from './fields';
import { namesOf, namesOn, type ReleaseNames } from './kinds';
import { numberOrNull, type RawItem } from './values';

/** An item as a message has it. A field that the server lacks is absent; one without a value is null. */
export interface Item {
  id: string;
  kind: Kind;
  /** Its page in the web interface, at the configured address. */
  url: string;
  /** Of scenes, images and galleries without a title, the name of the file. */
  title?: string | null;
  /** The duration of a scene, or a group; the time of a marker. */
  seconds?: number | null;
  /** How many images a gallery has. */
  images?: number | null;
  [field: string]: unknown;
}

/** What the numbers of an item count. */
export const itemUnits = { seconds: 'seconds', bytes: 'bytes' } as const;

/** An item and where its picture is. */
export interface FoundItem {
  item: Item;
  /** What has its picture: the item itself, the cover of a gallery, or the scene of a marker. Null if nothing has. */
  pictured: Pictured | null;
}

/** How the items of a kind are requested and described. */
export interface ItemReader {
  text: string;
  /** The fields that the server lacks. */
  missing: string[];
  read: (raw: RawItem) => FoundItem;
}

/**
 * Describes the items of a kind.
 * @param withPicture whether to find out what has the picture of each.
 */
export function itemReader({ url }: Server, schema: Schema, kind: Kind, withPicture: boolean): ItemReader {
  const names = namesOn(schema, kind);
  const hasPicture = withPicture && variantsOf(kind, 'picture').length > 0;
  const fields = [...messageFields(kind), ...(hasPicture ? ['picture'] : [])];
  const { text, missing, read } = selectItem(schema, kind, fields);
  return {
    text: `id ${text}`,
    // Only the picture of a gallery depends on a field; that of any other item has an address in all releases.
    missing: missing.filter((field) => field !== 'picture' || kind === 'gallery'),
    read: (raw) => {
      const id = String(raw['id']);
      const { picture, ...values } = read(raw) as Record<string, unknown>;
      return {
        item: { id, kind, ...values, url: url + pageOf(names, id, raw) },
        pictured: picturedOf(kind, names, id, picture, raw),
      };
    },
  };
}

/** Returns the path of an item's page. That of a marker is its scene's, at its time. */
function pageOf({ type, page }: ReleaseNames, id: string, { scene, seconds }: RawItem): string {
  if (type !== 'SceneMarker') return `${page}/${id}`;
  if (!isRecord(scene) || !isString(scene['id'])) return page;
  const time = numberOrNull(seconds);
  return `/scenes/${scene['id']}${time === null ? '' : `?t=${time}`}`;
}

/** Returns what has the picture of an item. A marker has none of its own before Stash has generated it, so its scene has. */
function picturedOf(
  kind: Kind,
  { type }: ReleaseNames,
  id: string,
  picture: unknown,
  { scene }: RawItem,
): Pictured | null {
  // They become a part of an address.
  const isId = (value: unknown) => /^\d+$/.test(String(value));
  switch (kind) {
    case 'gallery':
      return isId(picture) ? { kind: 'image', id: String(picture) } : null;
    case 'marker':
      return isRecord(scene) && isId(scene['id']) ? { kind: 'scene', id: String(scene['id']) } : null;
    default:
      // Otherwise a performer without a picture would have a silhouette (since v0.20).
      if (String(picture).includes('default=true')) return null;
      return { kind: type.toLowerCase() as Pictured['kind'], id };
  }
}

/**
 * Returns those of the items that are in the library, in the given order.
 * @param withPicture whether to find out where the picture of a gallery is.
 * @returns also the root field of the request, and the fields that this server cannot give.
 * @throws {StashError} as `Server.request`.
 */
export async function libraryItems(
  server: Server,
  kind: Kind,
  ids: readonly string[],
  withPicture: boolean,
  call: Call,
): Promise<{ operation: string; items: FoundItem[]; missing: string[] }> {
  const readerOf = (schema: Schema) => {
    const { one, all } = namesOn(schema, kind);
    const operation = schema.has('Query', one) ? one : all;
    return { ...itemReader(server, schema, kind, withPicture), operation };
  };
  const { items, by } = await itemsById(server, kind, ids, readerOf, call);
  const { operation = namesOf(kind).one, missing = [] } = by ?? {};
  return { operation, items: items.map(([, item]) => item), missing };
}
