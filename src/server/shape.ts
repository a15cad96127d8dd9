import { StashError } from '../errors';

/** Tells whether a value that came from outside has the shape that the interface gives it. */
export type Shape<Value> = (value: unknown) => value is Value;

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** An object, neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with a text in this field. */
export function withText<Name extends string>(name: Name): Shape<Record<Name, string>> {
  return (value): value is Record<Name, string> => isRecord(value) && isText(value[name]);
}

export function listOf<Value>(shape: Shape<Value>): Shape<Value[]> {
  return (value): value is Value[] => Array.isArray(value) && value.every(shape);
}

export function nullOr<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value): value is Value | null => value === null || shape(value);
}

/**
 * Reads a value that came from outside.
 * @returns a function that throws NOT_STASH for a value of another shape.
 */
export function shaped<Value, Result>(
  shape: Shape<Value>,
  result: (value: Value) => Result,
): (value: unknown) => Result {
  return (value) => {
    if (!shape(value)) throw new StashError('NOT_STASH.notGraphQL');
    return result(value);
  };
}
