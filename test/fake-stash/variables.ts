import {
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import type { Quirks } from './quirks';

type Path = readonly (string | number)[];

/** The reason why a variable is invalid, and its path. */
export interface Problem {
  message: string;
  path: Path;
}

/** Returns the first invalid variable in the words of Stash, which differ from those of graphql-js. */
export function variableProblem(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  quirks: Quirks,
): Problem | undefined {
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    const value = variables[name];
    if (value === undefined && definition.defaultValue) continue;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type)) continue; // the validation has already refused it
    const found = problem(value, type, ['variable', name], quirks);
    if (found) return found;
  }
  return undefined;
}

function problem(value: unknown, type: GraphQLInputType, path: Path, quirks: Quirks): Problem | undefined {
  if (isNonNullType(type)) {
    if (value === undefined) return { message: 'must be defined', path };
    if (value === null) return { message: 'cannot be null', path };
    return problem(value, type.ofType, path, quirks);
  }
  if (value === undefined || value === null) return undefined;

  if (isListType(type)) {
    if (!Array.isArray(value) && !quirks.listsOfOne) return { message: 'must be an array', path };
    // A single value counts as a list of one, as in the specification.
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return first(values.entries(), ([index, item]) => problem(item, type.ofType, [...path, index], quirks));
  }
  if (isInputObjectType(type)) {
    if (!isRecord(value)) return { message: `must be a ${type.name}`, path };
    const fields = type.getFields();
    const unknown = Object.keys(value).find((name) => !(name in fields));
    if (unknown !== undefined) return { message: 'unknown field', path: [...path, unknown] };
    return first(Object.values(fields), ({ name, type: of }) =>
      problem(value[name], of, [...path, name], quirks),
    );
  }
  try {
    type.parseValue(value);
    return undefined;
  } catch {
    return { message: `cannot use ${kind(value)} as ${type.name}`, path };
  }
}

function first<T, R>(items: Iterable<T>, look: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Stash reports Go's types.
function kind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'float64';
  return isRecord(value) ? 'map' : typeof value;
}

/** Returns whether a JSON value is an object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
