import { aside, type Call } from '../../call';
import { type FileKind, fileKinds, kinds } from '../../contract/kinds';
import { StashError } from '../../errors';
import { arrayOf, isRecord, isString, parsed } from '../../guards';
import { insideOf } from '../../paths';
import type { Server } from '../../server';
import { namesOn, pathOf, selectItem, titleOf } from '../items';
import { largePages, SMALL_PAGE } from '../library';

/** A scene, image or gallery that is new in the library. */
interface NewItem {
  id: string;
  kind: FileKind;
  /** The name of its file if it has no title, as after most scans; null if it has neither. */
  title: string | null;
  /** The path of its first file, or of the folder that is the gallery; null if it has none. */
  path: string | null;
}

/** The new content of each kind, by the names of their lists. A kind for which the server gives no creation times is absent. */
export type NewContent = Partial<
  Record<
    (typeof kinds)[FileKind]['list'],
    {
      count: number;
      /** The newest items, newest first, up to the limit. */
      first: NewItem[];
      /** The ids of all of them, newest first, for the tasks after a scan. */
      ids: string[];
    }
  >
>;

interface Dated extends Omit<NewItem, 'kind'> {
  /** When it came into the library, in whole seconds since 1970. */
  created: number;
}

/** The most items of a kind to list. */
const MOST_LISTED = 1000;

/**
 * Finds what came into the library from the start to the end of a job. Servers store whole seconds, so content that another
 * job found in the same second counts as well, unless it is outside the folders.
 *
 * Sorts by id, because ids only grow, and compares times here: a server compares them as text in its own time zone, which
 * fails in the night when clocks are set back.
 * @param paths the folders and files of the job; content outside them or without a path does not count. Null for the whole
 * library.
 * @param listed how many items of each kind to list, up to `MOST_LISTED`.
 * @throws {StashError} as `Server.request`, except UNSUPPORTED; as `largePages`.
 */
export async function newContent(
  server: Server,
  { start, end }: { start: string; end: string },
  paths: readonly string[] | null,
  listed: number,
  call: Call,
): Promise<NewContent> {
  const [from, to] = [secondOf(start), secondOf(end)];
  const isInFolders = paths && insideOf(paths);
  const isNew = ({ created, path }: Dated) =>
    created >= from && created <= to && (!isInFolders || (path !== null && isInFolders(path)));
  const found = await Promise.all(
    fileKinds.map(async (kind) => {
      const items = await newestOf(server, kind, { from, isNew }, call).catch(unlessUnsupported);
      if (!items) return [];
      const first = [...items.values()].slice(0, Math.min(listed, MOST_LISTED));
      return [
        [
          kinds[kind].list,
          {
            count: items.size,
            first: first.map(({ id, title, path }) => ({ id, kind, title, path })),
            ids: [...items.keys()],
          },
        ] as const,
      ];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** Returns all new items of a kind by id, newest first. Reads pages until an item is older than the job. */
async function newestOf(
  server: Server,
  kind: FileKind,
  { from, isNew }: { from: number; isNew: (item: Dated) => boolean },
  call: Call,
): Promise<Map<string, Dated>> {
  const found = new Map<string, Dated>();
  /** Returns whether an older item is among them. */
  const add = (items: readonly Dated[]) => {
    for (const item of items) if (isNew(item)) found.set(item.id, item);
    return items.some(({ created }) => created < from);
  };
  const fetch = (page: number, size: number) => fetchDatedPage(server, kind, page, size, call);
  const first = await fetch(1, SMALL_PAGE);
  if (add(first) || first.length < SMALL_PAGE) return found;
  for await (const items of largePages(fetch, ({ id }) => Number(id))) if (add(items)) break;
  return found;
}

/** Fetches a page of a kind, newest first; pages count from 1. */
async function fetchDatedPage(
  server: Server,
  kind: FileKind,
  page: number,
  size: number,
  call: Call,
): Promise<Dated[]> {
  return await server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      const { all: operation, list, type } = namesOn(schema, kind);
      if (!schema.has(type, 'created_at')) throw schema.lacks(`${type}.created_at`);
      const fields = `id created_at ${selectItem(schema, kind, ['title', 'paths']).text}`;
      return {
        rootField: operation,
        document: `query ($filter: FindFilterType) { ${operation}(filter: $filter) { ${list} { ${fields} } } }`,
        variables: { filter: { sort: 'id', direction: 'DESC', page, per_page: size } },
        read: parsed(isRecord, ({ [list]: items }) => readItems(items).slice(0, size)),
      };
    },
  });
}

const readItems = parsed(arrayOf(isItem), (items): Dated[] =>
  items.map((item) => ({
    id: item.id,
    title: titleOf(item),
    path: pathOf(item),
    created: secondOf(item.created_at),
  })),
);

function isItem(value: unknown): value is Record<string, unknown> & { id: string; created_at: string } {
  return isRecord(value) && isString(value['id']) && isString(value['created_at']);
}

function secondOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

function unlessUnsupported(error: unknown): undefined {
  if (!(error instanceof StashError && error.code === 'UNSUPPORTED')) throw error;
}
