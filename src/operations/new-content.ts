import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, isRecord, isString, parsed } from '../guards';
import { baseName, insideOf } from '../paths';
import type { Schema, Server } from '../server';

/** The kinds of content, each with the root field that finds it and its type. */
const kinds = {
  scenes: { operation: 'findScenes', type: 'Scene' },
  images: { operation: 'findImages', type: 'Image' },
  galleries: { operation: 'findGalleries', type: 'Gallery' },
} as const;
type Kind = keyof typeof kinds;

/** A scene, image or gallery that is new in the library. */
export interface NewItem {
  /** Its id on the server. */
  id: string;
  /** The name of its file if it has no title, as after most scans; null if it has neither. */
  title: string | null;
  /** The path of its first file, or of the folder that is the gallery; null if it has none. */
  path: string | null;
}

/** The new content of one kind. */
interface NewOfKind {
  /** How many items are new. */
  count: number;
  /** The newest items, newest first, up to the limit. */
  first: NewItem[];
}

/** The new content of each kind. A kind for which the server gives no creation times is absent. */
export type NewContent = Partial<Record<Kind, NewOfKind>>;

/** A period, in ISO 8601 as the server sends it. */
interface Period {
  start: string;
  end: string;
}

interface Dated extends NewItem {
  /** When it came into the library, in whole seconds since 1970. */
  created: number;
}

/** Some items of a kind, newest first, and the number of all items. */
interface Page {
  count: number;
  items: Dated[];
}

/** Fetches a page of a kind; pages count from 1. */
type FetchPage = (page: number, size: number) => Promise<Page>;

/** The size of the first page: as many items as most scans find. */
const PAGE = 100;

/** The largest page of all releases before v0.18. */
const MOST_NEW = 1000;

/** The most pages of `MOST_NEW` items that are searched for items in the folders. */
const MOST_PAGES = 100;

/**
 * Finds what came into the library from the start to the end of a job. Servers store whole seconds, so content that another
 * job found in the same second counts as well, unless it is outside the folders.
 *
 * Sorts by id, because ids only grow, and compares times here: a server compares them as text in its own time zone, which
 * fails in the night when clocks are set back.
 * @param paths the folders and files of the job; content outside them or without a path does not count. Null for the whole
 * library.
 * @param listed how many items of each kind to list, up to `MOST_NEW`.
 * @throws {StashError} as `Server.request`, except UNSUPPORTED; TOO_LARGE if there are too many items to check their paths.
 */
export async function newContent(
  server: Server,
  { start, end }: Period,
  paths: readonly string[] | null,
  listed: number,
  call: Call,
): Promise<NewContent> {
  const most = Math.min(listed, MOST_NEW);
  const [from, to] = [secondOf(start), secondOf(end)];
  const isInFolders = paths && insideOf(paths);
  const found = await Promise.all(
    (Object.keys(kinds) as Kind[]).map(async (kind) => {
      const pageAt: FetchPage = (page, size) => fetchPage(server, kind, page, size, call);
      const counting = isInFolders
        ? newInFolders(isInFolders, pageAt, from, to, most)
        : newInPeriod(pageAt, from, to, most);
      return [kind, await counting.catch(unlessUnsupported)] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, content]) => content !== undefined));
}

/** Counts and lists what came in the period. @param most how many items to list. */
async function newInPeriod(pageAt: FetchPage, from: number, to: number, most: number): Promise<NewOfKind> {
  const newest = await pageAt(1, Math.max(PAGE, most));
  // The next job may have found something already.
  const later = await countSince(to + 1, newest, pageAt);
  const since = await countSince(from, newest, pageAt);
  const last = Math.min(since, later + most);
  const { items } = last <= newest.items.length ? newest : await pageAt(1, last);
  return { count: since - later, first: items.slice(later, last).map(itemOf) };
}

/** Counts and lists what came in the period and is in the folders, which takes a look at the path of each item. */
async function newInFolders(
  isInFolders: (path: string) => boolean,
  pageAt: FetchPage,
  from: number,
  to: number,
  most: number,
): Promise<NewOfKind> {
  const found = new Map<string, NewItem>();
  for (let page = 0; page <= MOST_PAGES; page++) {
    // A small page first, which is enough for most scans. New content may move items to a page where they appear again.
    const size = page === 0 ? PAGE : MOST_NEW;
    const { items } = await pageAt(Math.max(page, 1), size);
    for (const item of items) {
      const { id, created, path } = item;
      if (created >= from && created <= to && path !== null && isInFolders(path)) found.set(id, itemOf(item));
    }
    if (items.length < size || items.some(({ created }) => created < from)) {
      return { count: found.size, first: [...found.values()].slice(0, most) };
    }
  }
  throw new StashError('TOO_LARGE.answer');
}

function itemOf({ id, title, path }: Dated): NewItem {
  return { id, title, path };
}

/** Counts the items of this second or later: on the first page, or else by binary search over pages of one item. */
async function countSince(second: number, { count, items }: Page, pageAt: FetchPage): Promise<number> {
  const known = items.findIndex(({ created }) => created < second);
  if (known !== -1) return known;
  let some = items.length;
  // At most 31 requests, because GraphQL integers have 31 bits for positive numbers.
  let tooMany = Math.max(count, some) + 1;
  while (tooMany - some > 1) {
    const middle = Math.floor((some + tooMany) / 2);
    const [item] = (await pageAt(middle, 1)).items;
    if (item && item.created >= second) some = middle;
    else tooMany = middle;
  }
  return some;
}

async function fetchPage(server: Server, kind: Kind, page: number, size: number, call: Call): Promise<Page> {
  const { operation, type } = kinds[kind];
  return server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      if (!schema.has(type, 'created_at')) throw schema.lacks(`${type}.created_at`, null);
      const fields = ['id', 'title', 'created_at', ...pathsOf(schema, type)].join(' ');
      return {
        rootField: operation,
        document: `query ($filter: FindFilterType) { ${operation}(filter: $filter) { count ${kind} { ${fields} } } }`,
        variables: { filter: { sort: 'id', direction: 'DESC', page, per_page: size } },
        read: parsed(isPage, ({ count, [kind]: items }) => ({
          count,
          items: readItems(items).slice(0, size),
        })),
      };
    },
  });
}

/** Returns the selection for the path of an item, which depends on the release. A gallery may be a folder. */
function pathsOf(schema: Schema, type: string): string[] {
  const folder = schema.has(type, 'folder') ? ['folder { path }'] : [];
  if (schema.has(type, 'visual_files'))
    return ['visual_files { ... on VideoFile { path } ... on ImageFile { path } }', ...folder];
  if (schema.has(type, 'files')) return ['files { path }', ...folder];
  return ['path'];
}

const readItems = parsed(arrayOf(isItem), (items): Dated[] =>
  items.map(({ id, title, created_at, ...item }) => {
    const path = pathOf(item);
    return {
      id,
      title: isString(title) && title !== '' ? title : path && baseName(path),
      path,
      created: secondOf(created_at),
    };
  }),
);

function isPage(value: unknown): value is { count: number } & Record<string, unknown> {
  if (!isRecord(value)) return false;
  const { count } = value;
  return Number.isInteger(count) && Number(count) >= 0 && Number(count) < 2 ** 31;
}

function isItem(value: unknown): value is Record<string, unknown> & { id: string; created_at: string } {
  return isRecord(value) && isString(value['id']) && isString(value['created_at']);
}

function pathOf({ visual_files, files, folder, path }: Readonly<Record<string, unknown>>): string | null {
  const places = [visual_files, files, folder].flat().filter(isRecord);
  return [...places.map((place) => place['path']), path].find(isString) ?? null;
}

function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function unlessUnsupported(error: unknown): undefined {
  if (!(error instanceof StashError && error.code === 'UNSUPPORTED')) throw error;
}
