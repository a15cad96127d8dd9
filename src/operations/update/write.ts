import { isDeepStrictEqual } from 'node:util';
import { aside, type Call } from '../../call';
import type { UpdateKind } from '../../contract/update';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import type { Operation, Schema, Server } from '../../server';
import { batchesOf, itemsById, namesOf, type RawItem, rawItems, selectItem } from '../items';
import { checkLost } from '../lost-response';
import { type Counter, type ReleaseField, type FieldMapping, mappingOf } from './fields';
import type { FieldEdit, WantedFieldEdit } from './field-edits';

/** The items of an update, by id, and what is wanted as the server's release has it. */
export interface ItemsToUpdate {
  kind: UpdateKind;
  schema: Schema;
  mapping: FieldMapping;
  items: ReadonlyMap<string, RawItem>;
}

/**
 * Reads the items, those that are not there left out.
 * @param more further fields to read, by their names in messages.
 * @throws {StashError} UNSUPPORTED if the release lacks a field, before anything is sent; as `Server.request`.
 */
export async function readItems(
  server: Server,
  kind: UpdateKind,
  ids: readonly string[],
  fieldEdits: readonly WantedFieldEdit[],
  call: Call,
  more: readonly string[] = [],
): Promise<ItemsToUpdate> {
  const readerOf = (schema: Schema) => {
    const mapping = mappingOf(schema, kind, fieldEdits);
    const { text, missing } = selectItem(schema, kind, more);
    if (missing[0] !== undefined) throw schema.lacksName(`${kind}.${missing[0]}`);
    return {
      schema,
      mapping,
      ...rawItems(more.length > 0 ? `${mapping.selection} ${text}` : mapping.selection),
    };
  };
  const { by, items } = await itemsById(server, kind, ids, readerOf, call);
  if (!by) throw new Error('There are no items to read.');
  return { kind, schema: by.schema, mapping: by.mapping, items: new Map(items) };
}

export interface Write {
  operation: string;
  /** The type of its input. */
  type: string;
  /** Whether it is the one for several items. */
  isBulk: boolean;
  /** The changes, as the release names them. */
  input: Readonly<Record<string, unknown>>;
  ids: readonly string[];
}

/** A field, and the values to send for an item, each in a mutation of its own; none if it has what is wanted. */
interface FieldChange extends ReleaseField {
  values: readonly unknown[];
}

/**
 * Returns the mutations for the items that do not have what is wanted, in the order in which to send them: those for a single item, if
 * that for several lacks a field; then those for many items to which the same is to be sent.
 * @throws {StashError} UNSUPPORTED if the release cannot hold what is wanted.
 */
export function writesFor(
  { kind, mapping, items }: ItemsToUpdate,
  fieldEdits: readonly FieldEdit[],
): Write[] {
  const { type } = namesOf(kind);
  const bulk = { operation: `bulk${type}Update`, type: `Bulk${type}UpdateInput`, isBulk: true };
  const one = { operation: `${kind}Update`, type: `${type}UpdateInput`, isBulk: false };
  const writes: Write[] = [];
  const groups = new Map<string, string[]>();
  for (const [id, item] of items) {
    const changes = changesOf(item, mapping, fieldEdits);
    const inputs = (isBulk: boolean) => inputsOf(changes.filter((change) => change.isBulk === isBulk));
    for (const input of inputs(false)) writes.push({ ...one, input, ids: [id] });
    const key = JSON.stringify(inputs(true));
    const group = groups.get(key);
    if (group) group.push(id);
    else groups.set(key, [id]);
  }
  for (const [key, ids] of groups) {
    const inputs = JSON.parse(key) as Write['input'][];
    for (const batch of batchesOf(ids)) {
      for (const input of inputs) writes.push({ ...bulk, input, ids: batch });
    }
  }
  return writes;
}

function changesOf(item: RawItem, { fields }: FieldMapping, fieldEdits: readonly FieldEdit[]): FieldChange[] {
  return fieldEdits.flatMap((fieldEdit) => {
    const field = fields.get(fieldEdit.field);
    return field ? [{ ...field, values: field.change(item, fieldEdit) }] : [];
  });
}

/** Returns the inputs of the mutations for some changes. */
function inputsOf(changes: readonly FieldChange[]): Write['input'][] {
  const count = Math.max(0, ...changes.map(({ values }) => values.length));
  return Array.from({ length: count }, (_, index) => {
    const sent = changes.filter(({ values }) => index < values.length);
    return Object.fromEntries(sent.map(({ input, values }) => [input, values[index]]));
  });
}

/** What became of the items of a mutation. Those that are in no list were changed. */
interface WriteOutcome {
  /** The ids of those that somebody has removed since they were read. */
  gone: readonly string[];
  /** Those that were not changed. */
  unchanged: readonly string[];
  /** Those of which it is unknown. */
  uncertain: readonly string[];
  /** Why not all were changed or are gone. */
  error?: unknown;
}

/**
 * Sends a mutation. Servers run one for several items in a single transaction, which an item that is gone ends for all of them (source
 * v0.8.0 to v0.30.1): then it is sent again for the others. Its error is no proof that nothing was changed, because servers read the
 * items once more after the transaction. So after any error the node looks at the items.
 */
export async function send(
  server: Server,
  { kind }: ItemsToUpdate,
  write: Write,
  fieldEdits: readonly FieldEdit[],
  call: Call,
): Promise<WriteOutcome> {
  const gone: string[] = [];
  for (let { ids } = write; ids.length > 0;) {
    const read = async (check: Call) => {
      const { mapping, items } = await readItems(server, kind, ids, fieldEdits, check);
      const lacks = (item: RawItem) => isLacking(changesOf(item, mapping, fieldEdits), write);
      return {
        gone: ids.filter((id) => !items.has(id)),
        lacking: [...items].filter(([, item]) => lacks(item)).map(([id]) => id),
      };
    };
    try {
      await server.request({ kind: 'mutation', call, build: () => mutationFor(write, ids) });
      break;
    } catch (error) {
      const before = { gone: [] as string[], lacking: [...ids] };
      const found = await stateAfter(error, call, before, read, (now) => now.lacking.length === 0);
      if (!found) return { gone, unchanged: [], uncertain: ids, error };
      gone.push(...found.gone);
      const isRefused = found.gone.length > 0 && error instanceof StashError && error.code === 'GRAPHQL';
      if (found.lacking.length > 0 && !isRefused)
        return { gone, unchanged: found.lacking, uncertain: [], error };
      ids = found.lacking;
    }
  }
  return { gone, unchanged: [], uncertain: [] };
}

function mutationFor({ operation, type, isBulk, input }: Write, ids: readonly string[]): Operation<void> {
  return {
    rootField: operation,
    document: `mutation ($input: ${type}!) { ${operation}(input: $input) { id } }`,
    variables: { input: { ...(isBulk ? { ids } : { id: ids[0] }), ...input } },
    read: (answer) => {
      const changed = new Set(readIds([answer].flat()));
      // An answer without an item is no proof that it was changed.
      if (!ids.every((id) => changed.has(id))) throw new StashError('NOT_STASH.notGraphQL');
    },
  };
}

const readIds = parsed(arrayOf(hasString('id')), (items) => items.map(({ id }) => id));

/** Whether an item with these changes to make does not have what a mutation was to write. */
function isLacking(changes: readonly FieldChange[], { input: sent }: Write): boolean {
  return changes.some(({ input, values }) =>
    values.some((value) => input in sent && isDeepStrictEqual(value, sent[input])),
  );
}

/**
 * Adds one to a counter of an item.
 * @param added how many have been added to it already.
 */
export async function addOne(
  server: Server,
  { kind, items }: ItemsToUpdate,
  id: string,
  { name, mutation, selection }: Counter,
  added: number,
  call: Call,
): Promise<WriteOutcome> {
  const addition: Operation<void> = {
    rootField: mutation,
    document: `mutation ($id: ID!) { ${mutation}(id: $id) ${selection} }`,
    variables: { id },
    read: (answer) => {
      readCount(isRecord(answer) ? answer['count'] : answer);
    },
  };
  const before = countIn(items.get(id), name) + added;
  const read = async (check: Call) => {
    const {
      items: [[, item] = []],
    } = await itemsById(server, kind, [id], () => rawItems(name), check);
    return item ? countIn(item, name) : GONE;
  };
  const outcome = { gone: [], unchanged: [], uncertain: [] };
  try {
    await server.request({ kind: 'mutation', call, build: () => addition });
    return outcome;
  } catch (error) {
    const isOver = (count: number | typeof GONE) => count === GONE || count === before + 1;
    const after = await stateAfter(error, call, before, read, isOver);
    if (after === GONE) return { ...outcome, gone: [id] };
    if (isLost(error) && after === before + 1) return outcome;
    // After a lost response, the server may still count.
    const isUnchanged = after === before && !isLost(error);
    return { ...outcome, error, ...(isUnchanged ? { unchanged: [id] } : { uncertain: [id] }) };
  }
}

/** Stands for the count of an item that is gone. */
const GONE = null;

const readCount = parsed(
  (count): count is number => typeof count === 'number',
  () => undefined,
);

/** Returns a count; 0 where the server has null. */
function countIn(item: RawItem | undefined, name: string): number {
  return Number(item?.[name] ?? 0);
}

/** The codes of errors after which a mutation has perhaps run all the same. Others prove that it has not. */
const UNPROVEN: readonly string[] = ['OUTCOME_UNKNOWN', 'GRAPHQL', 'HTTP', 'NOT_STASH', 'TOO_LARGE'];

function isLost(error: unknown): boolean {
  return error instanceof StashError && error.code === 'OUTCOME_UNKNOWN';
}

/**
 * Finds out what items are like after the error of a mutation; after a lost response, several times until `isOver`.
 * @param before what they were like before.
 * @returns undefined if that remains unknown.
 */
async function stateAfter<State>(
  error: unknown,
  call: Call,
  before: State,
  read: (call: Call) => Promise<State>,
  isOver: (found: State) => boolean,
): Promise<State | undefined> {
  if (!(error instanceof StashError) || call.signal.aborted) return undefined;
  if (!UNPROVEN.includes(error.code)) return before;
  let found: State | undefined;
  const check = async (one: Call) => {
    found = await read(one);
    return isOver(found) || undefined;
  };
  try {
    await (isLost(error) ? checkLost(call, check) : check(aside(call)));
  } catch (reason) {
    // The server may be unreachable, and the message may be ended meanwhile.
    if (!(reason instanceof StashError) && !call.waiting.aborted) throw reason;
  }
  return found;
}
