import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import type { Schema, TypeReference } from './schema';

/** No type of Stash is deeper. */
const MOST_LEVELS = 20;

const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  String: isString,
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  Float: Number.isFinite,
  ID: (value) => isString(value) || Number.isInteger(value),
};

/**
 * Checks a value against an input type before it is sent, as a server would, but naming the field. Leaves out fields that are
 * null, because they mean "not given" everywhere in Stash, and some releases refuse them.
 * @param name the name of the value, for errors. A field in it is `<name>.<field>`, an item of a list `<name>[0]`.
 * @returns the value to send.
 * @throws {StashError} UNSUPPORTED for a field or a choice that the server lacks; BAD_INPUT for a value of another type.
 */
export function checkedInput(schema: Schema, type: string, name: string, value: unknown): unknown {
  const required = { kind: 'NON_NULL', name: null, ofType: { kind: '', name: type, ofType: null } };
  return checked(schema, required, name, value, 0);
}

function checked(schema: Schema, type: TypeReference, name: string, value: unknown, level: number): unknown {
  const { kind, ofType } = type;
  if (kind === 'NON_NULL' && ofType) {
    if (value === undefined || value === null) throw wrong(name, typeText(ofType));
    return checked(schema, ofType, name, value, level);
  }
  if (value === undefined || value === null) return undefined;
  if (level > MOST_LEVELS) throw wrong(name, typeText(type));
  if (kind === 'LIST' && ofType) {
    if (!Array.isArray(value)) throw wrong(name, typeText(type));
    return Array.from<unknown>(value).map((item, index) =>
      checked(schema, ofType, `${name}[${index}]`, item, level + 1),
    );
  }
  return checkedNamed(schema, type.name ?? '', name, value, level);
}

function checkedNamed(schema: Schema, type: string, name: string, value: unknown, level: number): unknown {
  const isScalar = scalars[type];
  if (isScalar) {
    if (!isScalar(value)) throw wrong(name, type);
    return value;
  }
  const fields = schema.fieldsOf(type);
  // Types outside our introspection, such as custom scalars, are left for the server to check.
  if (!fields) return value;
  if ([...fields.values()].every((of) => of === null)) {
    if (!isString(value)) throw wrong(name, type);
    if (!fields.has(value)) throw schema.lacksName(`${name}: ${value}`);
    return value;
  }
  if (!isRecord(value)) throw wrong(name, type);
  for (const field of Object.keys(value)) {
    if (!fields.has(field)) throw schema.lacksName(fieldPath(name, field));
  }
  const result = [...fields].map(([field, of]) => {
    const path = fieldPath(name, field);
    return [field, of ? checked(schema, of, path, value[field], level + 1) : value[field]] as const;
  });
  return Object.fromEntries(result.filter(([, one]) => one !== undefined));
}

function fieldPath(name: string, field: string): string {
  return name === '' ? field : `${name}.${field}`;
}

/** As GraphQL writes it, such as `[String!]`. */
function typeText({ kind, name, ofType }: TypeReference): string {
  if (!ofType) return name ?? '';
  return kind === 'LIST' ? `[${typeText(ofType)}]` : `${typeText(ofType)}!`;
}

function wrong(name: string, type: string): StashError {
  return new StashError('BAD_INPUT.wrongType', { details: { name: name.slice(0, 100), type } });
}
