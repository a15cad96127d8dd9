import { isList, isWithin, type UpdateAction, type UpdateField, updateFields } from '../../contract/update';
import { numberIn } from '../../contract/values';
import { StashError } from '../../errors';
import { hasString, isString } from '../../guards';

/** A tag, studio or performer that a change names: by its ID; or by its name, else an alias, whatever these consist of. */
export type Reference = { readonly id: string } | { readonly name: string };

/** Stands for the names of the folders of an item, which differ from item to item. */
export const FOLDER = Symbol('folder');

/** One change, as a dialog has it. */
export interface Change {
  field: UpdateField;
  action: UpdateAction;
  /**
   * References for a field of other items; otherwise a text, a number, a boolean, or a list of texts or numbers. One value, or a
   * list, as the field has it; or `FOLDER`. Ignored by `clear`.
   */
  value?: unknown;
}

export type Scalar = string | number | boolean | null;

/** What is wanted of a field: either its new value, or what to add and to remove. Other items are named by their ids. */
export interface FieldEdit<Value = string> {
  readonly field: UpdateField;
  /** Null, or an empty list, for none. */
  readonly set?: Scalar | Value | readonly Value[];
  readonly add: readonly Value[];
  readonly remove: readonly Value[];
  /** How much a counter is to grow. */
  readonly count: number;
}

/** The same with other items as the change has named them. */
export type UnresolvedFieldEdit = FieldEdit<string | Reference>;
/** The same before the folders of an item are known. */
export type WantedFieldEdit = FieldEdit<string | Reference | typeof FOLDER>;

/**
 * Returns what is wanted of each field, once.
 * @throws {StashError} BAD_INPUT for a value of the wrong type, or if a field is set and also changed in another way.
 */
export function readFieldEdits(changes: readonly Change[]): WantedFieldEdit[] {
  const fieldEdits = new Map<UpdateField, WantedFieldEdit>();
  for (const change of changes) {
    const { field } = change;
    const fieldEdit = readFieldEdit(change);
    const before = fieldEdits.get(field);
    if (before && [before, fieldEdit].some(({ set }) => set !== undefined)) {
      throw new StashError('BAD_INPUT.changedTwice', { details: { property: field } });
    }
    fieldEdits.set(field, {
      ...fieldEdit,
      add: [...new Set([...(before?.add ?? []), ...fieldEdit.add])],
      remove: [...new Set([...(before?.remove ?? []), ...fieldEdit.remove])],
      count: before && fieldEdit.count > 0 ? countOf(before.count + fieldEdit.count) : fieldEdit.count,
    });
  }
  return [...fieldEdits.values()];
}

function readFieldEdit({ field, action, value }: Change): WantedFieldEdit {
  const actions: readonly UpdateAction[] = updateFields[field].actions;
  if (!actions.includes(action)) {
    throw new StashError('BAD_INPUT.unknownChoice', { details: { choice: `${field}: ${action}` } });
  }
  const fieldEdit = { field, add: [], remove: [], count: 0 };
  switch (action) {
    case 'clear':
      return { ...fieldEdit, set: isList(field) ? [] : null };
    case 'set':
      return { ...fieldEdit, set: isList(field) ? valuesIn(value, field) : valueOf(value, field) };
    case 'remove':
      return { ...fieldEdit, remove: valuesIn(value, field) };
    case 'add':
      return isList(field)
        ? { ...fieldEdit, add: valuesIn(value, field) }
        : { ...fieldEdit, count: countOf(value) };
  }
}

/** Returns one value, or each of a list once. */
function valuesIn(value: unknown, field: UpdateField): (string | Reference | typeof FOLDER)[] {
  if (value === FOLDER) return [value];
  const values = [value].flat();
  if (updateFields[field].form === 'names') return values.map((one) => referenceIn(one, field));
  return [...new Set(values.map((one) => textOf(one, field)))];
}

function valueOf(value: unknown, field: UpdateField): Scalar | Reference | typeof FOLDER {
  if (value === FOLDER) return value;
  switch (updateFields[field].form) {
    case 'name':
      return referenceIn(value, field);
    case 'flag':
      return booleanOf(value, field);
    case 'rating':
      return ratingOf(value);
    default:
      return textOf(value, field);
  }
}

function referenceIn(value: unknown, field: UpdateField): Reference {
  if (hasString('id')(value) || hasString('name')(value)) return value;
  throw wrong(field, 'String');
}

function textOf(value: unknown, field: UpdateField): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (!isString(text) || text.trim() === '') throw wrong(field, 'String');
  return text.trim();
}

/** Values of the environment are texts. */
function booleanOf(value: unknown, field: UpdateField): boolean {
  const text = String(value).trim().toLowerCase();
  if (text !== 'true' && text !== 'false') throw wrong(field, 'Boolean');
  return text === 'true';
}

function ratingOf(value: unknown): number {
  return numberWithin('rating', 'BAD_INPUT.notRating', value);
}

/** Returns how often to count. Each time is a mutation of its own for each item. */
function countOf(value: unknown): number {
  return numberWithin('count', 'BAD_INPUT.notCount', value);
}

function numberWithin(
  form: 'rating' | 'count',
  which: 'BAD_INPUT.notRating' | 'BAD_INPUT.notCount',
  value: unknown,
): number {
  const number = numberIn(value);
  if (!isWithin(form, number)) throw new StashError(which, { details: { value: quoted(value) } });
  return number;
}

function wrong(field: UpdateField, type: string): StashError {
  return new StashError('BAD_INPUT.wrongType', { details: { name: field, type } });
}

const LONGEST_QUOTED = 40;
/** How many values a sentence names. */
const MOST_NAMED = 5;

/** Returns a value from outside as a sentence quotes it. */
export function quoted(value: unknown): string {
  const json: unknown = isString(value) ? value : JSON.stringify(value);
  const text = String(json);
  return text.length > LONGEST_QUOTED ? `${text.slice(0, LONGEST_QUOTED - 1)}…` : text;
}

/** Returns the first of some texts as a sentence lists them. */
export function listed(texts: readonly string[]): string {
  const named = texts.slice(0, MOST_NAMED).map(quoted);
  return [...named, ...(texts.length > MOST_NAMED ? ['…'] : [])].join(', ');
}
