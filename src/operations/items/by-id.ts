import type { Call } from '../../call';
import type { FileKind, Kind } from '../../contract/kinds';
import { StashError } from '../../errors';
import { isRecord, nullable, parsed } from '../../guards';
import type { Schema, Server } from '../../server';
import { selectItem } from './fields';
import { namesOn } from './kinds';
import { pathOf, type RawItem } from './values';

/** The errors for a scene that is not in the library, up to v0.17, and for a marker; they fail the whole request. */
const UNKNOWN = /no rows in result set|scene marker with id \d+ not found/;

/** What to request of each item, and how to read it. */
export interface Reader {
  readonly text: string;
  readonly read: (raw: RawItem) => unknown;
}

/** The items that were found, by their ids, and how they were read; undefined if there was nothing to request. */
interface FoundById<By extends Reader> {
  items: [id: string, item: ReturnType<By['read']>][];
  by: By | undefined;
}

/**
 * Returns those of the items that are in the library, in the given order.
 * @param readerOf returns what to request of each, and how to read it.
 * @param ids without repetitions.
 * @throws {StashError} as `Server.request`.
 */
export async function itemsById<By extends Reader>(
  server: Server,
  kind: Kind,
  ids: readonly string[],
  readerOf: (schema: Schema) => By,
  call: Call,
): Promise<FoundById<By>> {
  const found: FoundById<By> = { items: [], by: undefined };
  for (const batch of batchesOf(ids)) {
    const { items, by } = await requestBatch(server, kind, batch, readerOf, call);
    found.items.push(...items);
    found.by = by ?? found.by;
  }
  return found;
}

/** Requests each item in a field of its own, because `findScenes` fails if one of its ids is unknown. */
async function requestBatch<By extends Reader>(
  server: Server,
  kind: Kind,
  ids: readonly string[],
  readerOf: (schema: Schema) => By,
  call: Call,
): Promise<FoundById<By>> {
  // Known also after the error for an unknown scene.
  let by: By | undefined;
  try {
    return await server.request({
      kind: 'query',
      call,
      build: (schema) => {
        const { type, one, all, list } = namesOn(schema, kind);
        const hasOne = schema.has('Query', one);
        // Markers are only in a list, in newer releases by their IDs.
        if (!hasOne && !schema.hasArgument('Query', all, 'ids')) throw schema.lacks(one);
        const reader = (by = readerOf(schema));
        const declared = ids.map((_, index) => `$id${index}: ID!`).join(', ');
        const field = (id: string) =>
          hasOne ? `${one}(id: ${id}) { ...Item }` : `${all}(ids: [${id}]) { ${list} { ...Item } }`;
        const fields = ids.map((_, index) => `item${index}: ${field(`$id${index}`)}`).join(' ');
        return {
          rootField: one,
          document: `query (${declared}) { ${fields} } fragment Item on ${type} { ${reader.text} }`,
          variables: Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
          isWhole: true,
          read: parsed(isRecord, (items) => ({
            by: reader,
            items: ids.flatMap((id, index): FoundById<By>['items'] => {
              const found = items[`item${index}`];
              const item = readItem(hasOne || !isRecord(found) ? found : [found[list]].flat()[0]);
              return item ? [[id, reader.read(item) as ReturnType<By['read']>]] : [];
            }),
          })),
        };
      },
    });
  } catch (error) {
    if (!(error instanceof StashError && UNKNOWN.test(String(error.details['text'])))) throw error;
    if (ids.length === 1) return { items: [], by };
    // Halves the list until each unknown scene is alone.
    const middle = Math.ceil(ids.length / 2);
    const first = await requestBatch(server, kind, ids.slice(0, middle), readerOf, call);
    const second = await requestBatch(server, kind, ids.slice(middle), readerOf, call);
    return { items: [...first.items, ...second.items], by: second.by ?? first.by };
  }
}

/** Reads an item; null for an unknown one. */
const readItem = parsed(nullable(isRecord), (item): RawItem | null => item);

/** Returns a reader that leaves items as the response has them. */
export function rawItems(text: string): { text: string; read: (raw: RawItem) => RawItem } {
  return { text, read: (raw) => raw };
}

/** The longest title in a sentence, in UTF-16 units. */
const LONGEST_TITLE = 80;

/** Returns the title for a sentence; the id of an item without title and file. */
export function shortTitle({ title, id }: { title?: string | null; id: string }): string {
  const whole = title ?? `#${id}`;
  return whole.length > LONGEST_TITLE ? `${whole.slice(0, LONGEST_TITLE - 1)}…` : whole;
}

/** How many items to request by their ids at a time: a server needs a tenth of a second for them. */
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
export async function existingItems(
  server: Server,
  kind: FileKind,
  ids: readonly string[],
  call: Call,
  check?: (schema: Schema) => void,
): Promise<Map<string, string | null>> {
  const readerOf = (schema: Schema) => {
    check?.(schema);
    return { text: `id ${selectItem(schema, kind, ['paths']).text}`, read: pathOf };
  };
  return new Map((await itemsById(server, kind, ids, readerOf, call)).items);
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
  kind: FileKind,
  given: readonly string[],
  call: Call,
  check?: (schema: Schema) => void,
): Promise<Chosen> {
  const ids = [...new Set(given)];
  if (ids.length > MOST_CHECKED) return { known: ids, unknown: 0 };
  try {
    const known = [...(await existingItems(server, kind, ids, call, check)).keys()];
    return { known, unknown: ids.length - known.length };
  } catch (error) {
    if (!(error instanceof StashError && ['UNSUPPORTED', 'GRAPHQL'].includes(error.code))) throw error;
    return { known: ids, unknown: 0 };
  }
}
