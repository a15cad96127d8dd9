import { StashError } from './errors';

/** Checks the shape of a value from outside. */
export type Guard<Value> = (value: unknown) => value is Value;

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hasString<Name extends string>(name: Name): Guard<Record<Name, string>> {
  return (value): value is Record<Name, string> => isRecord(value) && isString(value[name]);
}

export function arrayOf<Value>(shape: Guard<Value>): Guard<Value[]> {
  return (value): value is Value[] => Array.isArray(value) && value.every(shape);
}

export function nullable<Value>(shape: Guard<Value>): Guard<Value | null> {
  return (value): value is Value | null => value === null || shape(value);
}

/** @returns a reader that throws NOT_STASH for a value of another shape. */
export function parsed<Value, Result>(
  shape: Guard<Value>,
  result: (value: Value) => Result,
): (value: unknown) => Result {
  return (value) => {
    if (!shape(value)) throw new StashError('NOT_STASH.notGraphQL');
    return result(value);
  };
}
