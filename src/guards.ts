import { StashError } from './errors';

/** Returns whether a value from outside has the expected shape. */
export type Guard<Value> = (value: unknown) => value is Value;

/** A text. */
export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** An object, neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with a text in this field. */
export function hasString<Name extends string>(name: Name): Guard<Record<Name, string>> {
  return (value): value is Record<Name, string> => isRecord(value) && isString(value[name]);
}

/** A list of values of this shape. */
export function arrayOf<Value>(shape: Guard<Value>): Guard<Value[]> {
  return (value): value is Value[] => Array.isArray(value) && value.every(shape);
}

/** A value of this shape, or null. */
export function nullable<Value>(shape: Guard<Value>): Guard<Value | null> {
  return (value): value is Value | null => value === null || shape(value);
}

/**
 * Reads a value from outside.
 * @returns a function that throws NOT_STASH for a value of another shape.
 */
export function parsed<Value, Result>(
  shape: Guard<Value>,
  result: (value: Value) => Result,
): (value: unknown) => Result {
  return (value) => {
    if (!shape(value)) throw new StashError('NOT_STASH.notGraphQL');
    return result(value);
  };
}
