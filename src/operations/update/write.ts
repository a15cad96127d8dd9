import type { Call } from '../../call';
import type { UpdateKind } from '../../contract/update';
import { StashError } from '../../errors';
import { arrayOf, isRecord, parsed } from '../../guards';
import type { Operation, Schema, Server } from '../../server';
import { batchesOf, itemsById, kinds, type RawItem } from '../library';
import { checkLost } from '../lost-response';
import { type Counter, listOfKind, type Terms, termsOf } from './fields';
import type { Wish } from './wishes';

/** The items of an update, by id, and what is wanted in the terms of the server's release. */
export interface ItemsToUpdate {
  kind: UpdateKind;
  schema: Schema;
  terms: Terms;
  items: ReadonlyMap<string, RawItem>;
}

/**
 * Reads the items, those that are not there left out.
 * @throws {StashError} UNSUPPORTED if the release lacks a field, before anything is sent; as `Server.request`.
 */
export async function readItems(
  server: Server,
  kind: UpdateKind,
  ids: readonly string[],
  wishes: readonly Wish[],
  call: Call,
): Promise<ItemsToUpdate> {
  const items = new Map<string, RawItem>();
  let found: Pick<ItemsToUpdate, 'schema' | 'terms'> | undefined;
  const select = (schema: Schema) => {
    found = { schema, terms: termsOf(schema, kind, wishes) };
    return found.terms.selection;
  };
  for (const batch of batchesOf(ids)) {
    for (const [id, item] of await itemsById(server, listOfKind[kind], batch, select, call)) {
      items.set(id, item);
    }
  }
  if (!found) throw new Error('There are no items to read.');
  return { kind, ...found, items };
}

/** A mutation for some items. */
export interface Write {
  operation: string;
  /** The type of its input. */
  type: string;
  input: Readonly<Record<string, unknown>>;
  ids: readonly string[];
}

/**
 * Returns the mutations for the items that do not have what is wanted: one for many items to which the same is to be sent; one for a
 * single item if the mutation for several lacks a field.
 * @throws {StashError} UNSUPPORTED if the release cannot hold what is wanted.
 */
export function writesFor({ kind, terms, items }: ItemsToUpdate, wishes: readonly Wish[]): Write[] {
  const { type } = kinds[listOfKind[kind]];
  const bulk = { operation: `bulk${type}Update`, type: `Bulk${type}UpdateInput` };
  const one = { operation: `${kind}Update`, type: `${type}UpdateInput` };
  const writes: Write[] = [];
  const groups = new Map<string, string[]>();
  for (const [id, item] of items) {
    const changes = wishes.flatMap((wish) => {
      const field = terms.fields.get(wish.field);
      const change = field?.change(item, wish);
      return field && change ? [{ ...field, ...change }] : [];
    });
    if (changes.length === 0) continue;
    if (changes.every(({ isBulk }) => isBulk)) {
      const key = JSON.stringify(Object.fromEntries(changes.map((change) => [change.input, change.bulk])));
      const group = groups.get(key);
      if (group) group.push(id);
      else groups.set(key, [id]);
    } else {
      const input = Object.fromEntries(changes.map((change) => [change.input, change.one]));
      writes.push({ ...one, input: { id, ...input }, ids: [id] });
    }
  }
  for (const [key, ids] of groups) {
    const input = JSON.parse(key) as object;
    for (const batch of batchesOf(ids)) {
      writes.push({ ...bulk, input: { ids: batch, ...input }, ids: batch });
    }
  }
  return writes;
}

/**
 * Sends a mutation, which changes all of its items or none.
 * @throws {StashError} OUTCOME_UNKNOWN if the response was lost and not all items have what is wanted; as a mutation.
 */
export async function send(
  server: Server,
  kind: UpdateKind,
  { operation, type, input, ids }: Write,
  wishes: readonly Wish[],
  call: Call,
): Promise<void> {
  const mutation: Operation<void> = {
    rootField: operation,
    document: `mutation ($input: ${type}!) { ${operation}(input: $input) { id } }`,
    variables: { input },
    read: (answer) => {
      readItem([answer].flat());
    },
  };
  await mutate(server, mutation, call, async (check) => {
    const now = await readItems(server, kind, ids, wishes, check);
    return now.items.size === ids.length && writesFor(now, wishes).length === 0;
  });
}

const readItem = parsed(arrayOf(isRecord), () => undefined);

/**
 * Adds one to a counter of an item.
 * @param added how many have been added to it already.
 * @throws {StashError} OUTCOME_UNKNOWN if the response was lost and the counter has not grown by exactly one; as a mutation.
 */
export async function addOne(
  server: Server,
  { kind, items }: ItemsToUpdate,
  id: string,
  { name, mutation, selection }: Counter,
  added: number,
  call: Call,
): Promise<void> {
  const addition: Operation<void> = {
    rootField: mutation,
    document: `mutation ($id: ID!) { ${mutation}(id: $id) ${selection} }`,
    variables: { id },
    read: (answer) => {
      readCount(isRecord(answer) ? answer['count'] : answer);
    },
  };
  await mutate(server, addition, call, async (check) => {
    const [[, item] = []] = await itemsById(server, listOfKind[kind], [id], () => name, check);
    return countIn(item, name) === countIn(items.get(id), name) + added + 1;
  });
}

const readCount = parsed(
  (count): count is number => typeof count === 'number',
  () => undefined,
);

/** Returns a count; 0 where the server has null. */
function countIn(item: RawItem | undefined, name: string): number {
  return Number(item?.[name] ?? 0);
}

/**
 * Sends a mutation once.
 * @param hasRun finds out whether it has run, if its response was lost.
 */
async function mutate(
  server: Server,
  mutation: Operation<void>,
  call: Call,
  hasRun: (check: Call) => Promise<boolean>,
): Promise<void> {
  try {
    await server.request({ kind: 'mutation', call, build: () => mutation });
  } catch (error) {
    if (!(error instanceof StashError) || error.code !== 'OUTCOME_UNKNOWN') throw error;
    if (!(await checkLost(call, async (check) => (await hasRun(check)) || undefined))) throw error;
  }
}
