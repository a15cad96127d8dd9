import { isDeepStrictEqual } from 'node:util';
import {
  fieldsOfKind,
  type UpdateField,
  updateFields,
  type UpdateKind,
  updateKinds,
} from '../../contract/update';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import { type Requirements, type Schema, selectedText } from '../../server';
import {
  dateIn,
  type FieldVariant,
  isSameSet,
  namesOf,
  type RawItem,
  requirementsOf,
  variantOn,
  variantsOf,
} from '../items';
import { type FieldEdit, quoted, type WantedFieldEdit } from './field-edits';

export interface ReleaseField {
  readonly selection: string;
  /** Its name in inputs. */
  readonly input: string;
  /** Whether the mutation for several items has it. */
  readonly isBulk: boolean;
  /**
   * Returns the values to send for an item, each in a mutation of its own; none if it has what is wanted.
   * @throws {StashError} UNSUPPORTED if the release cannot hold that.
   */
  readonly change: (item: RawItem, fieldEdit: FieldEdit) => readonly unknown[];
}

/** A counter as a release has it. */
export interface Counter {
  /** Its name in the type. */
  readonly name: string;
  /** The mutation that adds one, and its selection. */
  readonly mutation: string;
  readonly selection: string;
}

/** The fields that not every release has, by kind and field, such as `scene.playCount`. */
export const updateRequirements: Requirements = Object.fromEntries(
  updateKinds.flatMap((kind) =>
    Object.entries(requirementsOf(kind, fieldsOfKind(kind))).map(([field, one]) => [`${kind}.${field}`, one]),
  ),
);

/** What is wanted, as a release has it. */
export interface FieldMapping {
  /** The selection of an item. */
  selection: string;
  fields: ReadonlyMap<UpdateField, ReleaseField>;
  counters: ReadonlyMap<UpdateField, Counter>;
}

/** @throws {StashError} UNSUPPORTED if the release lacks a field; BAD_INPUT for a date that it would not take. */
export function mappingOf(
  schema: Schema,
  kind: UpdateKind,
  fieldEdits: readonly WantedFieldEdit[],
): FieldMapping {
  const fields = new Map<UpdateField, ReleaseField>();
  const found = new Map<UpdateField, Counter>();
  for (const { field, set, count } of fieldEdits) {
    if (field === 'date' && isString(set) && dateIn(set, schema) === undefined) {
      throw new StashError('BAD_INPUT.notDate', { details: { value: quoted(set) } });
    }
    if (count > 0) found.set(field, counterOf(schema, kind, field));
    else fields.set(field, fieldOf(schema, kind, field));
  }
  const selections = [...fields.values()].map(({ selection }) => selection);
  const names = [...found.values()].map(({ name }) => name);
  return { selection: ['id', ...selections, ...names].join(' '), fields, counters: found };
}

function counterOf(schema: Schema, kind: UpdateKind, field: UpdateField): Counter {
  const { name, increment = [] } = variantOn(schema, kind, field) ?? {};
  const mutation = increment.find((one) => schema.has('Mutation', one));
  if (name === undefined || mutation === undefined) throw lacking(schema, kind, field);
  // These keep a history.
  return { name, mutation, selection: mutation.startsWith('sceneAdd') ? '{ count }' : '' };
}

function fieldOf(schema: Schema, kind: UpdateKind, field: UpdateField): ReleaseField {
  const { type } = namesOf(kind);
  const found = variantsOf(kind, field).find(
    ({ name, input = name }) =>
      schema.has(type, name) &&
      // That for one item takes only the whole list, and with it what others have added or removed meanwhile.
      (schema.has(`Bulk${type}UpdateInput`, input) ||
        (!isListVariant(field, name) && schema.has(`${type}UpdateInput`, input))),
  );
  if (!found) throw lacking(schema, kind, field);
  const { name, input = name } = found;
  const selection = selectedText(schema, found);
  const change = changeOf(schema, kind, field, found);
  if (schema.has(`Bulk${type}UpdateInput`, input)) return { selection, input, isBulk: true, change };
  // The mutation for one gallery ignores null as a title (all releases).
  const emptied: typeof change = (item, fieldEdit) => change(item, fieldEdit).map((one) => one ?? '');
  return { selection, input, isBulk: false, change: emptied };
}

/** Whether a field has several values in the releases that have this name for it: there was one address at first. */
function isListVariant(field: UpdateField, name: string): boolean {
  const { form } = updateFields[field];
  return form === 'names' || (form === 'texts' && name === field);
}

function lacking(schema: Schema, kind: UpdateKind, field: UpdateField): StashError {
  const name = `${kind}.${field}`;
  const having: readonly UpdateKind[] = updateFields[field].kinds;
  return having.includes(kind) ? schema.lacks(name, updateRequirements[name]?.since) : schema.lacksName(name);
}

/** Returns what to send for a field, in the way in which the release has it. */
function changeOf(
  schema: Schema,
  kind: UpdateKind,
  field: UpdateField,
  { name, write = (wanted) => wanted }: FieldVariant,
): ReleaseField['change'] {
  const { form } = updateFields[field];
  if (form === 'names') {
    return (item, fieldEdit) => listChange('ids', listIn(item[name]).map(idOf), fieldEdit, isSameSet);
  }
  if (isListVariant(field, name)) {
    // The first one is the main one, so their order matters.
    return (item, fieldEdit) =>
      listChange('values', listIn(item[name]).map(String), fieldEdit, isDeepStrictEqual);
  }
  if (form === 'texts') {
    return (item, fieldEdit) => {
      const url = stored(item[name]);
      const after = listAfter(isString(url) ? [url] : [], fieldEdit);
      if (after.length > 1) throw schema.lacks(`${kind}.${field}`, variantsOf(kind, field)[0]?.since);
      return url === (after[0] ?? null) ? [] : [after[0] ?? null];
    };
  }
  return (item, { set }) => {
    const wanted = write(set, schema);
    return stored(item[name]) === wanted ? [] : [wanted];
  };
}

/** Returns the value of a field as mutations take it: the id of another item; an empty text is none. */
function stored(value: unknown): unknown {
  if (isRecord(value)) return idOf(value);
  return value === '' ? null : value;
}

function listAfter(now: readonly string[], { set, add, remove }: FieldEdit): readonly string[] {
  if (Array.isArray(set)) return set as string[];
  const kept = now.filter((one) => !remove.includes(one));
  return [...kept, ...add.filter((one) => !kept.includes(one))];
}

/**
 * Returns the changes of a list as the mutation for several items takes them, the same for all items where possible. The server
 * itself adds and removes, because others may change the list meanwhile. Both take two mutations. The first one adds: if the second
 * one fails, nothing has been lost, and a flow that finds items by the tag that it removes finds them again.
 */
function listChange(
  name: 'ids' | 'values',
  now: readonly string[],
  { set, add, remove }: FieldEdit,
  isSame: (now: readonly string[], wanted: readonly string[]) => boolean,
): readonly object[] {
  if (set !== undefined) {
    const wanted = Array.isArray(set) ? (set as string[]) : [];
    return isSame(now, wanted) ? [] : [{ [name]: wanted, mode: 'SET' }];
  }
  const isLacking = add.some((one) => !now.includes(one));
  const isThere = remove.some((one) => now.includes(one));
  return [
    ...(isLacking ? [{ [name]: add, mode: 'ADD' }] : []),
    ...(isThere ? [{ [name]: remove, mode: 'REMOVE' }] : []),
  ];
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function idOf(item: unknown): string {
  return isRecord(item) ? String(item['id']) : '';
}
