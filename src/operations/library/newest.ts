import type { Call } from '../../call';
import type { FileKind } from '../../contract/kinds';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import type { Server } from '../../server';
import { type FoundItem, libraryItems, listedNames } from '../items';

/** How often to read all pages again if the number of items changed meanwhile. */
const MOST_PASSES = 3;

/** One page of ids, highest first. */
interface Page {
  ids: number[];
  /** How many items of the kind the library has. */
  count: number;
}

/**
 * Returns the ids above a cursor. Ids only grow: SQLite does not give that of a removed item to another one.
 * @param cursor undefined to find only the highest id.
 * @returns the highest id in the library, 0 if it is empty; and all ids above the cursor, lowest first.
 * @throws {StashError} as `Server.request`; UNSUPPORTED if the server lists no such items; SERVER_STATE if the library seems smaller than
 * before, or empty, because the server is not ready; TOO_LARGE if the server repeats a page.
 */
export async function newestIds(
  server: Server,
  kind: FileKind,
  cursor: number | undefined,
  call: Call,
): Promise<{ highest: number; above: number[] }> {
  let first = await fetchPage(server, kind, 1, SMALL_PAGE, call);
  if (cursor === undefined || highestOf(first) < cursor || first.ids.length === 0) {
    // Before its set-up, a server answers as if its library were empty.
    await server.client.checkReady(call);
    first = await fetchPage(server, kind, 1, SMALL_PAGE, call);
  }
  const highest = highestOf(first);
  if (cursor === undefined) return { highest, above: [] };
  const above = first.ids.filter((id) => id > cursor);
  if (above.length < SMALL_PAGE) return { highest, above: above.reverse() };
  return { highest, above: await allAbove(server, kind, cursor, call) };
}

/** Reads all pages down to a cursor. Reads them again if items were removed meanwhile, which moves others to earlier pages. */
async function allAbove(server: Server, kind: FileKind, cursor: number, call: Call): Promise<number[]> {
  const found = new Set<number>();
  for (let pass = 1; pass <= MOST_PASSES; pass++) {
    const counts = new Set<number>();
    const fetch = async (page: number, size: number) => {
      const { ids, count } = await fetchPage(server, kind, page, size, call);
      counts.add(count);
      return ids;
    };
    for await (const ids of largePages(fetch, Number)) {
      for (const id of ids) if (id > cursor) found.add(id);
      if (ids.some((id) => id <= cursor)) break;
    }
    if (counts.size === 1) break;
  }
  return [...found].sort((one, other) => one - other);
}

/** Fetches a page of ids, highest first; pages count from 1. */
async function fetchPage(
  server: Server,
  kind: FileKind,
  page: number,
  size: number,
  call: Call,
): Promise<Page> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      const { all, list } = listedNames(schema, kind);
      return {
        rootField: all,
        document: `query ($filter: FindFilterType) { ${all}(filter: $filter) { count ${list} { id } } }`,
        variables: { filter: { sort: 'id', direction: 'DESC', page, per_page: size } },
        read: parsed(isRecord, ({ count, [list]: items }) => ({
          count: Number(count),
          ids: readIds(items).slice(0, size),
        })),
      };
    },
  });
}

const readIds = parsed(arrayOf(hasString('id')), (items) => items.map(({ id }) => readId(id)));

/** Reads an id, which is a whole number on all releases. */
const readId = parsed(
  (id): id is string => /^\d{1,15}$/.test(String(id)),
  (id) => Number(id),
);

function highestOf({ ids }: Page): number {
  return ids[0] ?? 0;
}

/**
 * Returns the items that have come into the library last, of several kinds the latest one of each first, as `followNew` reports
 * them, but with no more of a picture than where it is. Changes no cursor.
 * @param most the most items, at most 100. @param picture whether to find out which image is the cover of a gallery.
 * @returns the items by kind, the latest of each first; how many items of the kinds the library has; and the fields that this server
 * cannot give.
 * @throws {StashError} as `newestIds` and `libraryItems`.
 */
export async function latestItems(
  server: Server,
  { kinds, most, picture }: { kinds: readonly FileKind[]; most: number; picture: boolean },
  call: Call,
): Promise<{ items: FoundItem[]; count: number; missing: string[] }> {
  const found: (Page & { kind: FileKind })[] = [];
  for (const kind of kinds) {
    const page = await fetchPage(server, kind, 1, most, call);
    // Before its set-up, a server answers as if its library were empty.
    if (page.ids.length === 0) await server.client.checkReady(call);
    found.push({ kind, ...page });
  }
  const inTurn = Array.from({ length: most }, (_, index) =>
    found.flatMap(({ kind, ids }) => ids.slice(index, index + 1).map((id) => ({ kind, id: String(id) }))),
  );
  const chosen = inTurn.flat().slice(0, most);
  const items: FoundItem[] = [];
  const missing = new Set<string>();
  for (const kind of kinds) {
    const ids = chosen.filter((one) => one.kind === kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    const described = await libraryItems(server, kind, ids, picture, call);
    items.push(...described.items);
    for (const field of described.missing) missing.add(field);
  }
  return { items, count: found.reduce((total, { count }) => total + count, 0), missing: [...missing] };
}

/** The size of a first page: as many items as most scans find. */
export const SMALL_PAGE = 100;

/** The largest page of all releases before v0.18. */
const LARGE_PAGE = 1000;

/**
 * Yields large pages of a list that is sorted by id, highest first, down to one that is not full. Items that come meanwhile
 * move others to a later page, where they appear again.
 * @param fetch fetches a page; pages count from 1.
 * @throws {StashError} TOO_LARGE if the server repeats a page; as `fetch`.
 */
export async function* largePages<Item>(
  fetch: (page: number, size: number) => Promise<readonly Item[]>,
  idOf: (item: Item) => number,
): AsyncGenerator<readonly Item[]> {
  let lowest = Infinity;
  for (let page = 1; ; page++) {
    const items = await fetch(page, LARGE_PAGE);
    yield items;
    const last = items.at(-1);
    if (items.length < LARGE_PAGE || last === undefined) return;
    // Otherwise the pages of a server that ignores their number would never end.
    if (!(idOf(last) < lowest)) throw new StashError('TOO_LARGE.answer');
    lowest = idOf(last);
  }
}
