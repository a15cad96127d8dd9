import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, parsed } from '../guards';
import type { Server } from '../server';
import { pathOf, selectionOfPath } from './item-paths';

/** The kinds of items, each with the root field that finds one by its id, and its type. */
const kinds = {
  scenes: { operation: 'findScene', type: 'Scene' },
  images: { operation: 'findImage', type: 'Image' },
  galleries: { operation: 'findGallery', type: 'Gallery' },
} as const;
/** A kind of items. */
export type ItemKind = keyof typeof kinds;

/** Items in one request, which takes a server a tenth of a second. */
const BATCH = 200;
/** The error of servers up to v0.17 for a scene that is not in the library; it fails the whole request. */
const UNKNOWN = 'no rows in result set';

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
): Promise<Map<string, string | null>> {
  const known: [string, string | null][] = [];
  for (let start = 0; start < ids.length; start += BATCH) {
    known.push(...(await knownOf(server, kind, ids.slice(start, start + BATCH), call)));
  }
  return new Map(known);
}

/** Halves a list that fails because of an unknown scene until each unknown scene is alone. */
async function knownOf(
  server: Server,
  kind: ItemKind,
  ids: readonly string[],
  call: Call,
): Promise<[string, string | null][]> {
  try {
    return await findKnown(server, kind, ids, call);
  } catch (error) {
    if (!(error instanceof StashError && String(error.details['text']).includes(UNKNOWN))) throw error;
    if (ids.length === 1) return [];
    const middle = Math.ceil(ids.length / 2);
    const first = await knownOf(server, kind, ids.slice(0, middle), call);
    return [...first, ...(await knownOf(server, kind, ids.slice(middle), call))];
  }
}

/** Requests each item in a field of its own, because `findScenes` fails if one of its ids is unknown. */
async function findKnown(
  server: Server,
  kind: ItemKind,
  ids: readonly string[],
  call: Call,
): Promise<[string, string | null][]> {
  const { operation, type } = kinds[kind];
  return server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', operation)) throw schema.lacks(operation, null);
      const declared = ids.map((_, index) => `$id${index}: ID!`).join(', ');
      const fields = ids
        .map((_, index) => `item${index}: ${operation}(id: $id${index}) { ...Item }`)
        .join(' ');
      return {
        rootField: operation,
        document: `query (${declared}) { ${fields} } fragment Item on ${type} { id ${selectionOfPath(schema, type)} }`,
        variables: Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
        isWhole: true,
        read: parsed(isRecord, (items) =>
          ids.flatMap((id, index): [string, string | null][] => {
            const item = items[`item${index}`];
            return isRecord(item) ? [[id, pathOf(item)]] : [];
          }),
        ),
      };
    },
  });
}
