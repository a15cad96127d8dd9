import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { CheckedDocument } from '../../server';

interface PagesInput {
  variables: Readonly<Record<string, unknown>>;
  /** The items of a page, at least 1. */
  perPage: number;
}

export type SendValues<Answer> = (values: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** After so many pages without a new item, a server repeats itself. */
const MOST_BARREN = 100;

const FILTER = 'FindFilterType';

/**
 * Requests page by page, each when the last one was taken. Reads one page ahead, because only the next page tells whether a full
 * one is the last. So no page is empty, unless nothing was found at all, and two pages are in memory. If a page fails, those
 * before it have left.
 *
 * Orders by id, unless the filter has another order: IDs only grow, so what is added or removed meanwhile repeats no item.
 * @throws {StashError} BAD_INPUT for a document without a filter for pages; what `send` throws.
 */
export async function* pagesOf<Answer extends { data: Readonly<Record<string, unknown>> }>(
  document: CheckedDocument,
  { variables, perPage }: PagesInput,
  send: SendValues<Answer>,
): AsyncGenerator<Answer & { part: { index: number; count?: number } }, void> {
  const { filters, fields, given } = pagingOf(document, variables);
  const orders = new Set(filters.map((name) => orderOf(given[name])));
  const [order] = orders;
  const repeated = new RepeatedItems(orders.size === 1 ? order : undefined);

  let sent = 0;
  let barren = 0;
  /** Returns the next page with items, or an empty one after the last. */
  const next = async (): Promise<{ answer: Answer; size: number; isLast: boolean }> => {
    for (;;) {
      sent += 1;
      const answer = await send({ ...variables, ...pageIn(filters, given, sent, perPage) });
      const lists = listsIn(answer.data, fields);
      const isLast = lists.every(({ items }) => items.length < perPage) || repeated.isRepeated(lists);
      const size = repeated.remove(lists);
      barren = size > 0 ? 0 : barren + 1;
      if (size > 0 || isLast || barren > MOST_BARREN) return { answer, size, isLast };
    }
  };

  let current = await next();
  for (let index = 0; ; index++) {
    let following: typeof current | undefined;
    try {
      following = current.isLast ? undefined : await next();
    } catch (error) {
      // What has arrived is not lost.
      yield { ...current.answer, part: { index } };
      throw error;
    }
    const isLast = !following || following.size === 0;
    yield { ...current.answer, part: { index, ...(isLast && { count: index + 1 }) } };
    if (!following || isLast) return;
    current = following;
  }
}

/**
 * Requests the first page alone.
 * @throws {StashError} BAD_INPUT for a document without a filter for pages; what `send` throws.
 */
export async function firstPageOf<Answer>(
  document: CheckedDocument,
  { variables, perPage }: PagesInput,
  send: SendValues<Answer>,
): Promise<Answer> {
  const { filters, given } = pagingOf(document, variables);
  return await send({ ...variables, ...pageIn(filters, given, 1, perPage) });
}

/**
 * Returns the variables for the filters, the names in the response of the root fields that have pages, and the values of all variables,
 * with the defaults of those that are not given.
 * @throws {StashError} BAD_INPUT for a document without a filter for pages.
 */
function pagingOf(document: CheckedDocument, variables: Readonly<Record<string, unknown>>) {
  const filters = document.variables.filter(({ namedType }) => namedType === FILTER).map(({ name }) => name);
  const fields = fieldsWithPages(document, filters);
  if (fields.length === 0) throw new StashError('BAD_INPUT.noPages');
  const given: Readonly<Record<string, unknown>> = { ...document.presets, ...variables };
  return { filters, fields, given };
}

/** Returns the values of the filters for a page, counted from 1. Each keeps its other fields. */
function pageIn(
  filters: readonly string[],
  variables: Readonly<Record<string, unknown>>,
  page: number,
  perPage: number,
): Record<string, unknown> {
  const values = filters.map((name) => {
    const given = isRecord(variables[name]) ? variables[name] : {};
    const sorted = isSorted(given) ? given : { ...given, sort: 'id', direction: given['direction'] ?? 'ASC' };
    return [name, { ...sorted, page, per_page: perPage }];
  });
  return Object.fromEntries(values) as Record<string, unknown>;
}

function isSorted({ sort }: Readonly<Record<string, unknown>>): boolean {
  return sort !== undefined && sort !== null && sort !== '';
}

/** Returns the order of a filter's items; undefined unless that is by id. One text for each order, to compare them. */
function orderOf(filter: unknown): 'ascending' | 'descending' | undefined {
  const { sort, direction }: Record<string, unknown> = isRecord(filter) ? filter : {};
  if (isSorted({ sort }) && sort !== 'id') return undefined;
  return direction === 'DESC' ? 'descending' : 'ascending';
}

/** A list of items in the response, and where it is. */
interface List {
  name: string;
  owner: Record<string, unknown>;
  key: string;
  items: readonly unknown[];
}

/** Returns the names in the response of the root fields that one of the filters is given to. */
function fieldsWithPages(document: CheckedDocument, filters: readonly string[]): string[] {
  if (document.type !== 'query') return [];
  const marks = filters.map((name) => [name, {}] as const);
  const values = Object.fromEntries(marks);
  const isFilter = (value: unknown) => marks.some(([, mark]) => mark === value);
  return document.rootFields
    .filter((field) => Object.values(document.argumentsOf(field, values)).some(isFilter))
    .map(({ responseName }) => responseName);
}

/** Returns the lists of the results that have pages, such as that of the scenes in a field `findScenes`. */
function listsIn(data: Readonly<Record<string, unknown>>, fields: readonly string[]): List[] {
  return fields.flatMap((field) => {
    const result = data[field];
    if (!isRecord(result)) return [];
    return Object.entries(result).flatMap(([key, items]) =>
      Array.isArray(items) ? [{ name: `${field}.${key}`, owner: result, key, items }] : [],
    );
  });
}

/** Removes items that an earlier page had: in the order of ids, they are those on its side of the last one. */
class RepeatedItems {
  readonly #order: 'ascending' | 'descending' | undefined;
  readonly #last = new Map<string, number>();
  /** The ends of each list of each page. */
  readonly #ends = new Set<string>();

  constructor(order: 'ascending' | 'descending' | undefined) {
    this.#order = order;
  }

  /** Whether a page is the same as an earlier one: a server that ignores the number of the page would never end. */
  isRepeated(lists: readonly List[]): boolean {
    const ends = JSON.stringify(lists.map(({ items }) => [numericId(items[0]), numericId(items.at(-1))]));
    // In a random order, pages of one item may be the same by chance.
    const isTelling =
      /\d/.test(ends) && (this.#order !== undefined || lists.some(({ items }) => items.length > 1));
    const isRepeated = isTelling && this.#ends.has(ends);
    this.#ends.add(ends);
    return isRepeated;
  }

  /** Removes from the lists what an earlier page had. @returns how many items are left. */
  remove(lists: readonly List[]): number {
    return lists.reduce((total, list) => total + this.#removeFrom(list), 0);
  }

  #removeFrom({ name, owner, key, items }: List): number {
    const last = this.#last.get(name);
    const isNew = (item: unknown) => {
      const id = numericId(item);
      return id === undefined || last === undefined || (this.#order === 'ascending' ? id > last : id < last);
    };
    const kept = this.#order === undefined ? items : items.filter(isNew);
    if (kept.length < items.length) owner[key] = kept;
    const ids = kept.flatMap((item) => numericId(item) ?? []);
    const end = this.#order === 'ascending' ? Math.max(...ids) : Math.min(...ids);
    if (ids.length > 0) this.#last.set(name, end);
    return kept.length;
  }
}

function numericId(item: unknown): number | undefined {
  const id = isRecord(item) ? item['id'] : undefined;
  return isString(id) && /^\d+$/.test(id) ? Number(id) : undefined;
}
