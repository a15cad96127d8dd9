import type { Call } from '../../call';
import type { UpdateField, UpdateKind } from '../../contract/update';
import { StashError } from '../../errors';
import { isString } from '../../guards';
import type { CreatedItem, UpdateRecord } from '../../records';
import { oneOf } from '../../paths';
import type { Server } from '../../server';
import { namesOf, shortTitle, titleOf } from '../items';
import { libraryFolders } from '../library';
import { whenOthersHaveWritten } from '../write-lock';
import type { Counter } from './fields';
import { changedFields, type ChangedField } from './changed-fields';
import { type Edit, References, withIds } from './references';
import {
  type Change,
  type FieldEdit,
  listed,
  readFieldEdits,
  type UnresolvedFieldEdit,
  type WantedFieldEdit,
} from './field-edits';
import { wantsFolder, withFolders } from './folders';
import { addOne, type ItemsToUpdate, readItems, send, type Write, writesFor } from './write';

export interface UpdateInput {
  kind: UpdateKind;
  /** What to change of which items, each of them once; without any, there is nothing to do. */
  edits: readonly { ids: readonly string[]; changes: readonly Change[] }[];
  /** Whether to create the tags, studios and performers that are named but not there. */
  create: boolean;
  /** More items are an error. Infinity: no limit. */
  atMost: number;
  /** Whether to find out what would change, and to change nothing. */
  dryRun: boolean;
}

export interface Updated extends UpdateRecord {
  /** The root field of the last request. */
  operation: string;
  /** What was to change, if anything was changed: only what was. */
  changes: readonly ChangedField[];
  reason?: 'DRY_RUN' | 'SKIPPED';
}

/**
 * Changes fields of items. Checks everything before the first mutation, and sends none for an item that has what is wanted. After an
 * error of a later request, it reports what was done.
 * @throws {StashError} BAD_INPUT; UNSUPPORTED; QUEUE_FULL if too many wait; as a mutation; OUTCOME_UNKNOWN if the response to
 * one was lost and the server does not have what was to be written.
 */
export async function update(server: Server, input: UpdateInput, call: Call): Promise<Updated> {
  const edits = editsIn(input);
  if (edits.length === 0) {
    const operation = `bulk${namesOf(input.kind).type}Update`;
    return { operation, ids: [], unchanged: [], created: [], gone: [], changes: [], reason: 'SKIPPED' };
  }
  return await whenOthersHaveWritten(server, 'QUEUE_FULL.updates', call, async () => {
    call.report?.({ queue: 'asking' });
    const plan = await planOf(server, input, edits, call);
    return input.dryRun ? preview(plan) : await carryOut(server, plan, call);
  });
}

/** What an update would do, item by item. */
export interface UpdatePreview {
  /** The first of them: those that would change, then the others, each with what would change of it. */
  items: readonly { title: string; changes: readonly ChangedField[] }[];
  /** What is wanted at all. */
  fields: readonly UpdateField[];
  count: number;
  changing: number;
  created: readonly Pick<CreatedItem, 'kind' | 'name'>[];
}

/**
 * Finds out what an update would do, and sends no mutation whatever the input says.
 * @param most how many items to describe.
 * @throws {StashError} as `update` before its first mutation.
 */
export async function previewUpdate(
  server: Server,
  input: UpdateInput,
  most: number,
  call: Call,
): Promise<UpdatePreview> {
  const edits = editsIn(input);
  if (edits.length === 0) return { items: [], fields: [], count: 0, changing: 0, created: [] };
  const { kind } = input;
  const plan = await planOf(server, input, edits, call, kind === 'performer' ? ['name'] : ['title', 'paths']);
  const byId = new Map(plan.edits.flatMap((edit) => edit.ids.map((id) => [id, edit] as const)));
  const ids = [...plan.changing, ...plan.unchanged];
  const items = ids.slice(0, most).map((id) => {
    const edit = byId.get(id);
    const item = edit?.found.items.get(id) ?? {};
    const own = edit && { ...edit, ids: [id], found: { ...edit.found, items: new Map([[id, item]]) } };
    const { name } = item;
    return {
      title: shortTitle({ id, title: isString(name) ? name : titleOf(item) }),
      changes: own && plan.changing.includes(id) ? changedFields([effective(own)], plan.names) : [],
    };
  });
  return {
    items,
    fields: [...new Set(edits.flatMap(({ fieldEdits }) => fieldEdits.map(({ field }) => field)))],
    count: ids.length,
    changing: plan.changing.length,
    created: [...plan.missing.values()],
  };
}

/** Returns what is wanted; nothing without items. @throws {StashError} BAD_INPUT. */
function editsIn({ edits, atMost }: UpdateInput): Edit<WantedFieldEdit>[] {
  const wanted = edits.map(({ ids, changes }) => ({ ids, fieldEdits: readFieldEdits(changes) }));
  const count = wanted.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count > atMost) throw new StashError('BAD_INPUT.tooManyItems', { details: { count, limit: atMost } });
  return wanted.filter(({ ids }) => ids.length > 0);
}

interface PlannedEdit extends Edit {
  found: ItemsToUpdate;
  /** The mutations, with placeholders for the ids of what is to be created. */
  writes: Write[];
  /** What to add to the counters of each item. */
  counts: { counter: Counter; count: number }[];
}

/**
 * Finds out what to do, and checks it before the first mutation.
 * @param more further fields of the items to read.
 */
async function planOf(
  server: Server,
  { kind, create }: UpdateInput,
  wanted: readonly Edit<WantedFieldEdit>[],
  call: Call,
  more: readonly string[] = [],
) {
  const ids = wanted.flatMap((edit) => edit.ids);
  const isByFolder = wanted.some(({ fieldEdits }) => fieldEdits.some(wantsFolder));
  const fields = isByFolder ? [...more, 'paths'] : more;
  const found = await readItems(server, kind, ids, distinct(wanted), call, fields);
  const { schema, mapping, items } = found;
  const unknown = ids.filter((id) => !items.has(id));
  if (unknown.length > 0) throw new StashError('BAD_INPUT.noItems', { details: { ids: listed(unknown) } });
  const references = new References(server, schema, call);
  const named = isByFolder
    ? await byFolder(server, found, wanted, call)
    : (wanted as readonly Edit<UnresolvedFieldEdit>[]);
  const { edits: resolved, missing, names } = await references.resolve(named, create);
  const edits = resolved.map((edit): PlannedEdit => {
    const own = { ...found, items: new Map(edit.ids.map((id) => [id, items.get(id) ?? {}])) };
    const counts = edit.fieldEdits.flatMap(({ field, count }) => {
      const counter = mapping.counters.get(field);
      return counter ? [{ counter, count }] : [];
    });
    return { ...edit, found: own, writes: writesFor(own, edit.fieldEdits), counts };
  });
  const changed = edits.filter(({ writes, counts }) => writes.length + counts.length > 0);
  const isChanging = new Set(
    changed.flatMap((edit) =>
      edit.counts.length > 0 ? edit.ids : edit.writes.flatMap((write) => write.ids),
    ),
  );
  return {
    kind,
    references,
    missing,
    names,
    edits,
    // The ids of the items that do not have what is wanted, and of those that have.
    changing: ids.filter((id) => isChanging.has(id)),
    unchanged: ids.filter((id) => !isChanging.has(id)),
    changes: changedFields(changed.length > 0 ? changed.map(effective) : edits, names),
  };
}

/** Returns an edit for each item, with the names of its folders. */
async function byFolder(
  server: Server,
  { kind, items }: ItemsToUpdate,
  edits: readonly Edit<WantedFieldEdit>[],
  call: Call,
): Promise<Edit<UnresolvedFieldEdit>[]> {
  const isOfLibrary = oneOf(await libraryFolders(server, call));
  return edits.flatMap(({ ids, fieldEdits }) =>
    ids.map((id) => ({
      ids: [id],
      fieldEdits: withFolders(fieldEdits, kind, items.get(id) ?? {}, isOfLibrary),
    })),
  );
}

/** Returns an edit without what all of its items have already. */
function effective({ ids, fieldEdits, found }: PlannedEdit): Edit {
  const items = [...found.items.values()];
  const only = (fieldEdit: FieldEdit): FieldEdit[] => {
    const field = found.mapping.fields.get(fieldEdit.field);
    // A counter always grows, and a single address cannot be looked at in parts.
    if (!field) return [fieldEdit];
    const isNeeded = (part: FieldEdit) => items.some((item) => field.change(item, part).length > 0);
    if (!isNeeded(fieldEdit)) return [];
    if (fieldEdit.set !== undefined || fieldEdit.field === 'urls') return [fieldEdit];
    const add = fieldEdit.add.filter((value) => isNeeded({ ...fieldEdit, add: [value], remove: [] }));
    const remove = fieldEdit.remove.filter((value) => isNeeded({ ...fieldEdit, add: [], remove: [value] }));
    return [{ ...fieldEdit, add, remove }];
  };
  return { ids, fieldEdits: fieldEdits.flatMap(only) };
}

/** Returns one edit for each field, and for each date: they decide what is requested, and what is refused. */
function distinct(edits: readonly Edit<WantedFieldEdit>[]): WantedFieldEdit[] {
  const fieldEdits = edits.flatMap((edit) => edit.fieldEdits);
  const keyOf = ({ field, set }: WantedFieldEdit) =>
    field === 'date' && isString(set) ? `date ${set}` : field;
  return [...new Map(fieldEdits.map((fieldEdit) => [keyOf(fieldEdit), fieldEdit])).values()];
}

type Plan = Awaited<ReturnType<typeof planOf>>;

function preview({ kind, missing, changing: ids, unchanged, changes }: Plan): Updated {
  const created = [...missing.values()].map((one) => ({ kind: one.kind, id: null, name: one.name }));
  const operation = namesOf(kind).one;
  return { operation, ids, unchanged, created, gone: [], changes, reason: 'DRY_RUN' };
}

/** Creates what is missing, writes and counts. After an error, it reports what was done. */
async function carryOut(server: Server, plan: Plan, call: Call): Promise<Updated> {
  const { kind, references, missing, changing, unchanged, changes } = plan;
  const created: CreatedItem[] = [];
  const done = new Set<string>();
  const gone = new Set<string>();
  const uncertain = new Set<string>();
  let operation = namesOf(kind).one;
  const record = () => ({
    ids: changing.filter((id) => done.has(id)),
    unchanged,
    created,
    gone: changing.filter((id) => gone.has(id)),
  });
  const write = async (
    found: ItemsToUpdate,
    one: Write,
    fieldEdits: readonly FieldEdit[],
    isLast: (id: string) => boolean,
  ) => {
    const ids = one.ids.filter((id) => !gone.has(id));
    if (ids.length === 0) return;
    operation = one.operation;
    const outcome = await send(server, found, { ...one, ids }, fieldEdits, call);
    for (const id of outcome.gone) gone.add(id);
    for (const id of outcome.uncertain) uncertain.add(id);
    const left = new Set([...outcome.gone, ...outcome.unchanged, ...outcome.uncertain]);
    for (const id of ids) if (isLast(id) && !left.has(id)) done.add(id);
    if ('error' in outcome) throw outcome.error;
  };
  const count = async ({ found, counts }: PlannedEdit, id: string) => {
    let hasBegun = false;
    for (const { counter, count } of counts) {
      operation = counter.mutation;
      for (let number = 0; number < count; number++) {
        const outcome = await addOne(server, found, id, counter, number, call);
        if (outcome.gone.length > 0) {
          gone.add(id);
          return;
        }
        // Whoever sends the remaining items again must not count twice.
        if ('error' in outcome && (hasBegun || outcome.uncertain.length > 0)) uncertain.add(id);
        if ('error' in outcome) throw outcome.error;
        hasBegun = true;
      }
    }
    done.add(id);
  };
  try {
    const ids = new Map<string, string>();
    for (const [placeholder, one] of missing) {
      operation = `${one.kind}Create`;
      const { item, isNew } = await references.create(one);
      ids.set(placeholder, item.id);
      if (isNew) created.push(item);
    }
    for (const edit of plan.edits) {
      const { found, counts } = edit;
      const fieldEdits = edit.fieldEdits.map((fieldEdit) => withIds(fieldEdit, ids));
      const writes = missing.size > 0 ? writesFor(found, fieldEdits) : edit.writes;
      const last = new Map(writes.flatMap((one) => one.ids.map((id) => [id, one] as const)));
      for (const one of writes) {
        await write(found, one, fieldEdits, (id) => counts.length === 0 && last.get(id) === one);
      }
      for (const id of counts.length > 0 ? edit.ids : []) if (!gone.has(id)) await count(edit, id);
    }
    return { operation, ...record(), changes };
  } catch (error) {
    const isOpen = (id: string) => ![done, gone, uncertain].some((ids) => ids.has(id));
    call.report?.({
      update: {
        ...record(),
        remaining: changing.filter(isOpen),
        uncertain: changing.filter((id) => uncertain.has(id)),
      },
    });
    call.report?.({ operation });
    // The same message would count again, or be refused because of an item that is gone.
    const hasCounted = plan.edits.some(({ counts }) => counts.length > 0) && done.size + uncertain.size > 0;
    if (!(hasCounted || gone.size > 0) || !(error instanceof StashError) || !error.retry) throw error;
    throw new StashError(error.case, { status: error.status ?? undefined, details: error.details });
  }
}
