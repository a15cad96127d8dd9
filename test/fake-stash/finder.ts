import { createHash, randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { criteriaOf, type Fact, type Facts, matches, type TextCriterion, type World } from './criteria';
import type { KindsState } from './facts';
import { type ItemKind, kinds } from './kinds';
import { pathsOf } from './library';
import { fitsSearch, pageOf } from './search';

/** The parts of the server that the resolvers of items use. */
export interface FinderState extends KindsState {
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
}

interface Filter {
  q?: string | null;
  page?: number | null;
  per_page?: number | null;
  sort?: string | null;
  direction?: 'ASC' | 'DESC' | null;
}

type Type = keyof typeof kinds;
type Item = Readonly<{ id: string }>;
type Arguments = Readonly<Record<string, unknown>>;
interface FolderFilter {
  path?: TextCriterion | null;
  basename?: TextCriterion | null;
}
interface Origin {
  origin: string;
}
type Resolver = (given: Arguments, context: Origin, info: GraphQLResolveInfo) => object | null;

/** The seed of `random`, for as long as the process runs. */
const UNSEEDED = randomUUID();

/** Returns the resolvers that find items of all kinds, one by its id or many, and folders. */
export function finderResolvers(server: FinderState) {
  const { quirks, library } = server;
  const open = () => {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
  };

  function kindOf(type: Type): ItemKind<Item> & { list: string } {
    return kinds[type] as unknown as ItemKind<Item> & { list: string };
  }

  /** Returns the facts of an item: of one with several files, once for each. */
  function rowsOf(kind: ItemKind<Item>, item: Item): Facts[] {
    const facts = kind.facts(item, server);
    return 'path' in facts ? pathsOf(item as never).map((path) => ({ ...facts, path })) : [facts];
  }

  function worldOf(filter: string, schema: GraphQLSchema): World {
    const kind = kindOf(filter.replace('FilterType', '') as Type);
    return {
      schema,
      table: kind.list,
      of: (other) => worldOf(other, schema),
      factsOf: (id) => {
        const item = kind.all(server).find((each) => each.id === id);
        return item && kind.facts(item, server);
      },
    };
  }

  function find(type: Type, given: Arguments, { origin }: Origin, { schema }: GraphQLResolveInfo) {
    open();
    const kind = kindOf(type);
    const filter = (given['filter'] ?? {}) as Filter;
    const criteria = Object.entries(given).find(([name]) => name.endsWith('_filter'))?.[1] ?? {};
    const fits = criteriaOf(criteria as Arguments, `${type}FilterType`, worldOf(`${type}FilterType`, schema));
    const order = orderOf(kind, filter);
    const found = kind
      .all(server)
      .map((item) => ({ item, rows: rowsOf(kind, item) }))
      .filter(({ rows }) => rows.some(fits))
      .filter(({ rows }) => {
        const texts = rows.flatMap((row) => kind.searched.flatMap((name) => row[name] ?? []));
        return fitsSearch(texts.map(String), filter.q ?? '', quirks);
      })
      .sort((one, other) => order(one.rows[0] ?? {}, other.rows[0] ?? {}));
    const shown = pageOf(found, filter, quirks);
    return { count: found.length, [kind.list]: shown.map(({ item }) => kind.describe(item, server, origin)) };
  }

  function findOne(type: Type, id: string, { origin }: Origin) {
    open();
    const kind = kindOf(type);
    if (type === 'Performer' && !/^[+-]?\d+$/.test(id))
      throw new Error(`strconv.Atoi: parsing "${id}": invalid syntax`);
    const found = kind.all(server).find((item) => item.id === id);
    if (!found && quirks.unknownIsError && 'Scene Image Gallery'.includes(type))
      throw new Error(`getting ${type.toLowerCase()} by id ${id}: sql: no rows in result set`);
    return found ? kind.describe(found, server, origin) : null;
  }

  /** Returns the order of a list. Equal items are in the same order in both directions. */
  function orderOf(kind: ItemKind<Item> & { list: string }, { sort, direction }: Filter) {
    const [oldest, current] = kind.sort;
    const usual = quirks.minor < 17 ? oldest : current;
    // Unsorted, the database chooses an order.
    const isUnsorted = usual === 'id' && (sort ?? '') === '';
    const own = valueOf(kind, isUnsorted ? usual : (sort ?? usual));
    const sign = direction === 'DESC' && !isUnsorted ? -1 : 1;
    const hasTies = !isUnsorted && (quirks.sortsTies || kind.list === 'scene_markers');
    const ties = [...(hasTies ? kind.ties : []), 'id'].map((name) => (facts: Facts) => facts[name] ?? null);
    return (one: Facts, other: Facts) =>
      sign * compare(own(one), own(other)) ||
      ties.reduce((found, value) => found || compare(value(one), value(other)), 0);
  }

  function valueOf({ list, sorts }: ItemKind<Item> & { list: string }, sort: string) {
    if (sort.startsWith('random')) {
      const [, seed] = /^random_(\d+)$/.exec(sort) ?? [];
      if (seed === undefined && sort !== 'random') throw new Error(`invalid random seed: ${sort.slice(7)}`);
      return ({ id }: Facts) => shuffled(String(id), seed ?? UNSEEDED);
    }
    if (sort !== 'id' && !sorts.includes(sort)) {
      throw new Error(quirks.minor < 26 ? `no such column: ${list}.${sort}` : `invalid sort: ${sort}`);
    }
    return (facts: Facts) => facts[`sort_${sort}`] ?? facts[sort] ?? null;
  }

  const resolvers: Record<string, Resolver> = {};
  for (const type of Object.keys(kinds) as Type[]) {
    resolvers[`find${type}`] = ({ id }, context) => findOne(type, String(id), context);
    resolvers[`find${type.replace(/y$/, 'ie')}s`] = (given, context, info) =>
      find(type, given, context, info);
  }
  return {
    ...resolvers,
    findDuplicateScenes(_: Arguments, context: Origin) {
      open();
      return library.duplicates.map((ids) => ids.map((id) => findOne('Scene', id, context)));
    },
    findFolders({ folder_filter }: { folder_filter?: FolderFilter | null }) {
      open();
      const criteria = Object.entries(folder_filter ?? {}) as [keyof FolderFilter, TextCriterion | null][];
      const folders = [...library.folders]
        .map((path) => ({ path, basename: posix.basename(path) }))
        .filter((folder) => criteria.every(([name, wanted]) => !wanted || matches(folder[name], wanted)))
        .map((folder, index) => ({ id: String(index + 1), ...folder }));
      return { count: folders.length, folders };
    },
  };
}

/** A natural order, in which 10 is after 9. */
const TEXTS = new Intl.Collator('en', { numeric: true });

/** Compares two values; null is before all others. */
function compare(one: Fact, other: Fact): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'string' && typeof other === 'string') return TEXTS.compare(one, other);
  return one < other ? -1 : Number(one > other);
}

/** Returns the place of an item in a random order, which a seed repeats. */
function shuffled(id: string, seed: string): number {
  return createHash('md5').update(`${seed} ${id}`).digest().readUInt32BE();
}
