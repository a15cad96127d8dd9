import { isList, isWithin, type UpdateAction, type UpdateField, updateFields } from '../../contract/update';
import { StashError } from '../../errors';
import { isString } from '../../guards';

/** One change, as a dialog has it. */
export interface Change {
  field: UpdateField;
  action: UpdateAction;
  /** A text, a number, a boolean, or a list of texts or numbers, as the field has it; ignored by `clear`. */
  value?: unknown;
}

export type Scalar = string | number | boolean | null;

/** What is wanted of a field: either its new value, or what to add and to remove. */
export interface Wish {
  readonly field: UpdateField;
  /** Null for none. */
  readonly set?: Scalar | readonly string[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** How much a counter is to grow. */
  readonly count: number;
}

/**
 * Returns what is wanted of each field, once.
 * @throws {StashError} BAD_INPUT for a value of the wrong type, or if a field is set and also changed in another way.
 */
export function readWishes(changes: readonly Change[]): Wish[] {
  const wishes = new Map<UpdateField, Wish>();
  for (const change of changes) {
    const { field } = change;
    const wish = readWish(change);
    const before = wishes.get(field);
    if (before && [before, wish].some(({ set }) => set !== undefined)) {
      throw new StashError('BAD_INPUT.changedTwice', { details: { property: field } });
    }
    wishes.set(field, {
      ...wish,
      add: [...new Set([...(before?.add ?? []), ...wish.add])],
      remove: [...new Set([...(before?.remove ?? []), ...wish.remove])],
      count: before && wish.count > 0 ? countOf(before.count + wish.count) : wish.count,
    });
  }
  return [...wishes.values()];
}

function readWish({ field, action, value }: Change): Wish {
  const actions: readonly UpdateAction[] = updateFields[field].actions;
  if (!actions.includes(action)) {
    throw new StashError('BAD_INPUT.unknownChoice', { details: { choice: `${field}: ${action}` } });
  }
  const wish = { field, add: [], remove: [], count: 0 };
  switch (action) {
    case 'clear':
      return { ...wish, set: null };
    case 'set':
      return { ...wish, set: isList(field) ? textsIn(value, field) : valueOf(value, field) };
    case 'remove':
      return { ...wish, remove: textsIn(value, field) };
    case 'add':
      return isList(field) ? { ...wish, add: textsIn(value, field) } : { ...wish, count: countOf(value) };
  }
}

/** Returns one text, or each of a list once. */
function textsIn(value: unknown, field: UpdateField): string[] {
  return [...new Set([value].flat().map((one) => textOf(one, field)))];
}

function valueOf(value: unknown, field: UpdateField): Scalar {
  switch (updateFields[field].form) {
    case 'flag':
      return booleanOf(value, field);
    case 'rating':
      return ratingOf(value);
    default:
      return textOf(value, field);
  }
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
  const rating = numberOf(value);
  if (!isWithin('rating', rating)) {
    throw new StashError('BAD_INPUT.notRating', { details: { value: quoted(value) } });
  }
  return rating;
}

/** Returns how often to count. Each time is a mutation of its own for each item. */
function countOf(value: unknown): number {
  const count = numberOf(value);
  if (!isWithin('count', count)) {
    throw new StashError('BAD_INPUT.notCount', { details: { value: quoted(value) } });
  }
  return count;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' || (isString(value) && value.trim() !== '') ? Number(value) : NaN;
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
