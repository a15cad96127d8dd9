import { StashError } from '../../errors';
import { arrayOf, isRecord, isString } from '../../guards';
import type { PageCriterion } from './criteria';

/** The path of a page of one item that has lists of others, such as `/studios/2/images`. Without a list, the page shows scenes. */
const ITEM_PAGE = /\/(studios|tags|performers|groups|movies)\/(\d+)(?:\/([a-z]+))?$/;

/** What a list page of Stash shows. */
export interface PageFilter {
  criteria: readonly PageCriterion[];
  search?: string | undefined;
  sort?: string | undefined;
  direction?: 'ASC' | 'DESC' | undefined;
}

/**
 * Reads the address of a list page, which has its criteria in its query, or of a list on the page of a studio and so on.
 * @param pages the paths of the pages that it may be.
 * @throws {StashError} BAD_INPUT for the address of anything else.
 */
export function filterInAddress(
  address: string,
  pages: readonly [{ page: string }, ...{ page: string }[]],
): PageFilter {
  const details = { page: pages[0].page };
  let url: URL;
  try {
    // People may copy what follows the host.
    url = new URL(address, 'http://stash');
  } catch {
    throw new StashError('BAD_INPUT.notListPage', { details });
  }
  const path = `/${url.pathname.split('/').filter(Boolean).join('/')}`;
  const [, owners, id, shown = 'scenes'] = ITEM_PAGE.exec(path) ?? [];
  const isList = owners
    ? // The list of markers is `/tags/3/markers` there, and `/scenes/markers` otherwise.
      pages.some(({ page }) => page.endsWith(`/${shown}`))
    : // Stash may be below a folder of a proxy, whose name is no page.
      pages.some(({ page }) => path.endsWith(page)) && !/\/\d+\/[a-z]+$/.test(path);
  if (!isList) throw new StashError('BAD_INPUT.notListPage', { details });
  const query = url.searchParams;
  const filter = filterOf({
    c: query.getAll('c').map((text) => withBraces(text)),
    q: query.get('q') ?? undefined,
    sortby: query.get('sortby') ?? undefined,
    sortdir: query.get('sortdir') ?? undefined,
  });
  return owners && id ? { ...filter, criteria: withOwner(filter.criteria, owners, id) } : filter;
}

/** The items that a page shows together with others of its filter. Of studios and groups, it shows its own one alone. */
const TOGETHER: readonly string[] = ['tags', 'performers'];

/**
 * Adds the item whose page it is to the criteria, as the pages do: `ui/v2.5/src/core/studios.ts`, `tags.ts`, `performers.ts` and
 * `groups.ts` of v0.20 to v0.31. Whether a page includes what is in studios or tags below (`depth`) is not in its address: that is a
 * switch, which is off by default.
 */
function withOwner(criteria: readonly PageCriterion[], owners: string, id: string): PageCriterion[] {
  // Any other one stays, so that the filter is refused: pages differ in what they make of it.
  const given = criteria.find(
    ({ type, modifier }) => type === owners && (modifier === 'INCLUDES' || modifier === 'INCLUDES_ALL'),
  );
  const value = isRecord(given?.value) ? given.value : { items: given?.value };
  const isTogether = TOGETHER.includes(owners);
  return [
    ...criteria.filter((one) => one !== given),
    {
      type: owners,
      modifier: isTogether ? 'INCLUDES_ALL' : 'INCLUDES',
      value: { ...value, items: [...(isTogether ? [value['items'] ?? []].flat() : []), { id }] },
    },
  ];
}

/**
 * Reads a saved filter of a server before v0.23: the query of an address as JSON.
 * @param usual the direction of a filter without one, if that is upwards for a date as well.
 * @throws {StashError} BAD_INPUT.
 */
export function filterInJson(json: string, usual?: 'asc'): PageFilter {
  const given = jsonIn(json);
  const { c = [], q, sortby, sortdir } = isRecord(given) ? given : { c: null };
  const optional = (value: unknown) => (isString(value) ? value : undefined);
  if (!arrayOf(isString)(c)) throw unreadable('?');
  return filterOf({ c, q: optional(q), sortby: optional(sortby), sortdir: optional(sortdir) ?? usual });
}

/** Reads a saved filter of a server since v0.23. */
export function filterInFields(findFilter: unknown, objectFilter: unknown): PageFilter {
  const { q, sort, direction } = isRecord(findFilter) ? findFilter : ({} as Record<string, unknown>);
  const criteria = Object.entries(isRecord(objectFilter) ? objectFilter : {});
  return {
    // Custom fields are a list.
    criteria: criteria.map(([type, given]) => ({ ...(isRecord(given) ? given : { value: given }), type })),
    ...(isString(q) && { search: q }),
    ...(isString(sort) && { sort }),
    ...((direction === 'ASC' || direction === 'DESC') && { direction }),
  };
}

/** Reads the query of an address, with each criterion as JSON. */
function filterOf({
  c,
  q,
  sortby,
  sortdir,
}: { c: readonly string[] } & Record<'q' | 'sortby' | 'sortdir', string | undefined>): PageFilter {
  return {
    criteria: c.map(criterionIn),
    search: q,
    sort: sortby,
    // Without a direction, the pages sort by date from the newest, and by anything else upwards.
    ...(sortby !== undefined && {
      direction: sortdir === 'desc' || (sortdir === undefined && sortby === 'date') ? 'DESC' : 'ASC',
    }),
  };
}

function criterionIn(json: string): PageCriterion {
  const given = jsonIn(json);
  if (!isRecord(given) || !isString(given['type'])) throw unreadable(json);
  return { ...given, type: given['type'] };
}

/** Parses JSON; undefined for any other text. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(text: string): StashError {
  return new StashError('BAD_INPUT.criterion', { details: { name: text.slice(0, 40) } });
}

const BRACES: ReadonlyMap<string, string> = new Map([
  ['(', '{'],
  [')', '}'],
]);

/** Returns the JSON of a criterion: in an address, round brackets outside of texts stand for braces. */
function withBraces(text: string): string {
  let json = '';
  let isInText = false;
  let isEscaped = false;
  // Not by a regular expression: for a text without an end, it would begin again at each quote.
  for (const character of text) {
    if (isInText) {
      isInText = isEscaped || character !== '"';
      isEscaped = character === '\\' && !isEscaped;
    } else isInText = character === '"';
    json += isInText ? character : (BRACES.get(character) ?? character);
  }
  return json;
}
