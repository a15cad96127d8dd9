import nodePath from 'node:path';
import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, isRecord, isString, parsed } from '../guards';
import type { Schema, Server } from '../server';
import { insideOf } from './library';

/** What a library holds, with the root field that finds it and the type of one. */
const kinds = {
  scenes: { operation: 'findScenes', type: 'Scene' },
  images: { operation: 'findImages', type: 'Image' },
  galleries: { operation: 'findGalleries', type: 'Gallery' },
} as const;
type Kind = keyof typeof kinds;

export interface NewItem {
  id: string;
  /** Its file's name where it has no title, as with most that a scan has just found. */
  title: string | null;
  /** Null where it has no file. */
  path: string | null;
}

interface NewOfKind {
  count: number;
  /** The newest first. */
  first: NewItem[];
}

/** What came into the library, of each kind that the server can tell. */
export type NewContent = Partial<Record<Kind, NewOfKind>>;

/** Times as the server tells them. */
interface Period {
  start: string;
  end: string;
}

interface Dated extends NewItem {
  /** When it came into the library, in seconds. */
  created: number;
}

/** Some of a kind, the newest first, and how many there are in all. */
interface Page {
  count: number;
  items: Dated[];
}

/** Fetches a page of a kind; pages count from 1. */
type FetchPage = (page: number, size: number) => Promise<Page>;

/** How many are asked for at once: as many as most scans find. */
const PAGE = 100;

/** More are given at once by no release before v0.18, however many are asked for. */
const MOST_NEW = 1000;

/** Of so many pages of `MOST_NEW` the items of a folder are picked out. */
const MOST_PAGES = 100;

/**
 * What came into the library from the start to the end of a job. A server keeps the whole second only, so what another
 * job has found in the same second counts, too, unless that lies outside the folders.
 *
 * Ids only grow, so what is new is found from that end, and times are compared here: a server that is asked for a time
 * compares texts in its own time zone, which fails in the night when clocks are set back.
 * @param paths what the job was about: what lies elsewhere does not count, nor what is nowhere; null for everything.
 * @param wished how many of each kind are listed, up to `MOST_NEW`.
 * @throws {StashError} as `request`, but not UNSUPPORTED: a kind of which the server does not tell when things came is
 * absent, as all are before v0.8. TOO_LARGE where too much came to look at the path of each.
 */
export async function newContent(
  server: Server,
  { start, end }: Period,
  paths: readonly string[] | null,
  wished: number,
  call: Call,
): Promise<NewContent> {
  const most = Math.min(wished, MOST_NEW);
  const [from, to] = [secondOf(start), secondOf(end)];
  const isMeant = paths && insideOf(paths);
  const found = await Promise.all(
    (Object.keys(kinds) as Kind[]).map(async (kind) => {
      const pageAt: FetchPage = (page, size) => fetchPage(server, kind, page, size, call);
      const counting = isMeant
        ? newInFolders(isMeant, pageAt, from, to, most)
        : newInPeriod(pageAt, from, to, most);
      return [kind, await counting.catch(unlessUnsupported)] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, told]) => told !== undefined));
}

/** What came from the one second to the other. */
async function newInPeriod(pageAt: FetchPage, from: number, to: number, most: number): Promise<NewOfKind> {
  const newest = await pageAt(1, Math.max(PAGE, most));
  // A job that followed may have found something, too, before this was asked.
  const later = await countSince(to + 1, newest, pageAt);
  const since = await countSince(from, newest, pageAt);
  const last = Math.min(since, later + most);
  const { items } = last <= newest.items.length ? newest : await pageAt(1, last);
  return { count: since - later, first: items.slice(later, last).map(itemOf) };
}

/** Likewise, but only what is where it is meant to be, for which each has to be looked at. */
async function newInFolders(
  isMeant: (path: string) => boolean,
  pageAt: FetchPage,
  from: number,
  to: number,
  most: number,
): Promise<NewOfKind> {
  const found = new Map<string, NewItem>();
  for (let page = 0; page <= MOST_PAGES; page++) {
    // The newest are as many as most scans find. What comes meanwhile moves some to a page where they are seen again.
    const size = page === 0 ? PAGE : MOST_NEW;
    const { items } = await pageAt(Math.max(page, 1), size);
    for (const item of items) {
      const { id, created, path } = item;
      if (created >= from && created <= to && path !== null && isMeant(path)) found.set(id, itemOf(item));
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

/** How many came in that second or later: read from the page of the newest, or else by halving what remains. */
async function countSince(second: number, { count, items }: Page, pageAt: FetchPage): Promise<number> {
  const known = items.findIndex(({ created }) => created < second);
  if (known !== -1) return known;
  let some = items.length;
  // At most 31 questions, as GraphQL's integers have no more bits.
  let tooMany = Math.max(count, some) + 1;
  while (tooMany - some > 1) {
    const middle = Math.floor((some + tooMany) / 2);
    // The page of one is what stands at that place.
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

/** Where a release tells of a file: of several it has the first, and a gallery may be a folder. */
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
      title: isString(title) && title !== '' ? title : path && nameOf(path),
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

/** The last part of a path on the server's machine, which may be a Windows machine. */
function nameOf(path: string): string {
  return (/^([a-z]:|\\)/i.test(path) ? nodePath.win32 : nodePath.posix).basename(path);
}

function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function unlessUnsupported(error: unknown): undefined {
  if (!(error instanceof StashError && error.code === 'UNSUPPORTED')) throw error;
}
