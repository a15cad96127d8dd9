import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, parsed } from '../guards';
import type { Schema, Server } from '../server';

/** The kinds of items, each with the root fields that find one by its id and all of them, and its type. */
export const kinds = {
  scenes: { one: 'findScene', all: 'findScenes', type: 'Scene' },
  images: { one: 'findImage', all: 'findImages', type: 'Image' },
  galleries: { one: 'findGallery', all: 'findGalleries', type: 'Gallery' },
} as const;
/** A kind of items. */
export type ItemKind = keyof typeof kinds;

/** How to find an item of any type by its id: the root field, and the type. */
export interface Finder {
  readonly one: string;
  readonly type: string;
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
  kind: ItemKind,
  ids: readonly string[],
  select: (schema: Schema) => string,
  call: Call,
): Promise<[string, RawItem][]> {
  return await findById(server, kinds[kind], ids, select, call);
}

/** Like `itemsById`, for items of any type. */
export async function findById(
  server: Server,
  finder: Finder,
  ids: readonly string[],
  select: (schema: Schema) => string,
  call: Call,
): Promise<[string, RawItem][]> {
  try {
    return await find(server, finder, ids, select, call);
  } catch (error) {
    if (!(error instanceof StashError && String(error.details['text']).includes(UNKNOWN))) throw error;
    if (ids.length === 1) return [];
    // Halves the list until each unknown scene is alone.
    const middle = Math.ceil(ids.length / 2);
    const first = await findById(server, finder, ids.slice(0, middle), select, call);
    return [...first, ...(await findById(server, finder, ids.slice(middle), select, call))];
  }
}

/** Requests each item in a field of its own, because `findScenes` fails if one of its ids is unknown. */
async function find(
  server: Server,
  { one, type }: Finder,
  ids: readonly string[],
  select: (schema: Schema) => string,
  call: Call,
): Promise<[string, RawItem][]> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', one)) throw schema.lacks(one, null);
      const declared = ids.map((_, index) => `$id${index}: ID!`).join(', ');
      const fields = ids.map((_, index) => `item${index}: ${one}(id: $id${index}) { ...Item }`).join(' ');
      return {
        rootField: one,
        document: `query (${declared}) { ${fields} } fragment Item on ${type} { ${select(schema)} }`,
        variables: Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
        isWhole: true,
        read: parsed(isRecord, (items) =>
          ids.flatMap((id, index): [string, RawItem][] => {
            const item = items[`item${index}`];
            return isRecord(item) ? [[id, item]] : [];
          }),
        ),
      };
    },
  });
}
