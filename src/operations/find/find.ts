import type { Call } from '../../call';
import type { Kind } from '../../contract/kinds';
import { StashError } from '../../errors';
import { isRecord, parsed } from '../../guards';
import { checkedInput, type Requirements, type Schema, type Server } from '../../server';
import {
  BATCH,
  batchesOf,
  fetchPicture,
  type FoundItem,
  itemReader,
  itemsById,
  listedNames,
  namesEver,
  type PicturedItem,
  type PictureFormat,
  type RawItem,
  readItems,
} from '../items';
import { translatedCriteria } from './criteria';
import { filterInAddress, type PageFilter } from './page-filter';
import { savedFilter } from './saved-filters';

/** Which items to find: all, those that a filter saved in Stash or a list page shows, or those that fit criteria of the API. */
export type FilterInput =
  | { by: 'none' }
  | { by: 'saved'; filter: string }
  | { by: 'url'; address: string }
  | { by: 'criteria'; criteria: Readonly<Record<string, unknown>> };

/** The sorts of the dialog that not every release has: they came with what the scenes are sorted by. */
export const findRequirements: Requirements = Object.fromEntries(
  ['play_count', 'last_played_at'].map((name) => [name, { anyOf: [['Scene', name]], since: 'v0.18.0' }]),
);

export interface FindInput {
  kind: Kind;
  filter: FilterInput;
  /** What to search for, instead of what the filter has; null for that. */
  search: string | null;
  /** Empty for what the filter has; `random` gives another order each time. */
  sort: string;
  /** Empty for what the filter has. */
  direction: '' | 'ASC' | 'DESC';
  /** The most items; Infinity for all. */
  limit: number;
  /** Whether each item is a result of its own. */
  each: boolean;
  picture: PictureFormat;
}

export interface Found {
  kind: Kind;
  /** The root field of the request. */
  operation: string;
  /** Those that were found; with `each`, one, or none if nothing was found at all. */
  items: PicturedItem[];
  /** How many items fit, also beyond the limit. */
  count: number;
  /** The fields that this server cannot give. */
  missing: readonly string[];
  /** With `each`, the place of the item. The last one has the number of all. */
  part?: { index: number; count?: number };
}

/** The largest list in one message, as JSON with its pictures, in bytes. */
const LARGEST_LIST = 64 * 1024 * 1024;

/**
 * Finds items of the library.
 * @throws {StashError} BAD_INPUT for a filter that is not there or cannot be translated; UNSUPPORTED; TOO_LARGE if a list is too large
 * for one message; as `Server.request`.
 */
export function find(
  server: Server,
  input: FindInput,
  call: Call,
): Promise<Found> | AsyncIterable<Found, void> {
  return input.each ? each(server, input, call) : list(server, input, call);
}

/** Finds items without their pictures. @throws {StashError} as `find`. */
export async function findItems(
  server: Server,
  input: FindInput,
  call: Call,
): Promise<Pick<Found, 'count' | 'missing'> & { items: FoundItem[] }> {
  const { items, ...about } = await search(server, input, call);
  const all: FoundItem[] = [];
  for await (const item of items) all.push(item);
  return { ...about, items: all };
}

async function list(server: Server, input: FindInput, call: Call): Promise<Found> {
  const { items, ...about } = await search(server, input, call);
  const all: PicturedItem[] = [];
  let bytes = 0;
  for await (const item of withPictures(server, items, input, call)) {
    const { picture, ...fields } = item;
    bytes += JSON.stringify(fields).length + (picture?.length ?? 0);
    if (bytes > LARGEST_LIST) throw new StashError('TOO_LARGE.items');
    all.push(item);
  }
  return { ...about, items: all };
}

/** Describes one item after the other, so that only some are in memory. */
async function* each(server: Server, input: FindInput, call: Call): AsyncGenerator<Found, void> {
  const { items, ...about } = await search(server, input, call);
  let last: PicturedItem[] = [];
  let index = 0;
  for await (const item of withPictures(server, items, input, call)) {
    if (last.length > 0) yield { ...about, items: last, part: { index: index++ } };
    last = [item];
  }
  // The last one has the number of all, which items that are removed meanwhile change.
  yield { ...about, items: last, part: { index, count: index + last.length } };
}

async function* withPictures(
  server: Server,
  items: Iterable<FoundItem> | AsyncIterable<FoundItem>,
  { picture }: FindInput,
  call: Call,
): AsyncGenerator<PicturedItem, void> {
  for await (const found of items) {
    yield { ...found.item, ...(await fetchPicture(server, found, picture, call)) };
  }
}

/**
 * Requests the items of a short list, or the ids of a long one, in one request: what is added or removed later doubles no item and
 * leaves none out. The items of a long list follow by their ids, some at a time.
 */
async function search(server: Server, input: FindInput, call: Call) {
  const { kind, limit } = input;
  const page = await pageFilterOf(server, input, call);
  const { raw, reader, isById, ...about } = await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      const { all: operation, list, one, filter, filterType } = listedNames(schema, kind);
      const reader = itemReader(server, schema, kind, input.picture !== 'none');
      const criteria = criteriaIn(schema, filterType, input.filter, page);
      // No release finds markers by their ids.
      const isById = limit > BATCH && schema.has('Query', one);
      const { missing } = reader;
      return {
        rootField: operation,
        document: `query ($filter: FindFilterType, $criteria: ${filterType}) {
          ${operation}(filter: $filter, ${filter}: $criteria) { count ${list} { ${isById ? 'id' : reader.text} } }
        }`,
        variables: { filter: findFilter(input, page), ...(criteria && { criteria }) },
        read: parsed(isRecord, ({ count: given, [list]: items }) => {
          return { kind, operation, missing, count: Number(given), raw: readItems(items), reader, isById };
        }),
      };
    },
  });
  // Before its set-up, a server answers as if its library were empty.
  if (about.count === 0) await server.client.checkReady(call);
  const found = raw.slice(0, limit);
  const items = isById ? describedById(server, input, found, call) : found.map((item) => reader.read(item));
  return { ...about, items };
}

async function* describedById(
  server: Server,
  { kind, picture }: FindInput,
  found: readonly RawItem[],
  call: Call,
): AsyncGenerator<FoundItem, void> {
  const ids = found.map(({ id }) => String(id));
  const readerOf = (schema: Schema) => itemReader(server, schema, kind, picture !== 'none');
  for (const batch of batchesOf(ids)) {
    const { items } = await itemsById(server, kind, batch, readerOf, call);
    for (const [, item] of items) yield item;
  }
}

async function pageFilterOf(server: Server, { kind, filter }: FindInput, call: Call): Promise<PageFilter> {
  if (filter.by === 'saved') return await savedFilter(server, kind, filter.filter, call);
  return filter.by === 'url' ? filterInAddress(filter.address, namesEver(kind)) : { criteria: [] };
}

/** Returns the criteria as the server takes them; undefined without any. */
function criteriaIn(schema: Schema, type: string, filter: FilterInput, page: PageFilter): object | undefined {
  if (filter.by === 'criteria') return checkedInput(schema, type, '', filter.criteria) as object;
  return page.criteria.length > 0 ? translatedCriteria(schema, type, page.criteria) : undefined;
}

/** The largest page of a number of items before v0.20. All releases take -1 for all items. */
const LARGEST_PAGE = 1000;

function findFilter({ search, sort: wanted, direction, limit }: FindInput, page: PageFilter) {
  const sort = wanted || page.sort;
  const q = search ?? page.search;
  // The direction of a filter belongs to its sort.
  const ownDirection = direction || (wanted ? undefined : page.direction);
  return {
    page: 1,
    per_page: limit > LARGEST_PAGE ? -1 : limit,
    ...(q && { q }),
    ...(sort && { sort: sort.startsWith('random') ? randomOrder() : sort }),
    ...(ownDirection && { direction: ownDirection }),
  };
}

/** Returns a random order other than the last one. Its seed has eight digits, as those of Stash's pages. */
function randomOrder(): string {
  return `random_${1e7 + Math.floor(Math.random() * 9e7)}`;
}
