import type { Schema } from './schema';

export interface Requirement {
  /** Fields of the schema, one of which a server with the option has. */
  readonly anyOf: readonly (readonly [type: string, field: string])[];
  /** The first release that has it. */
  readonly since: string;
}

/** The options of a dialog that not every release has, by the names of its controls. */
export type Requirements = Readonly<Record<string, Requirement>>;

/** For options that are fields of the same type. */
export function fieldsOf(type: string, since: Readonly<Record<string, string>>): Requirements {
  return Object.fromEntries(
    Object.entries(since).map(([name, release]) => [name, { anyOf: [[type, name]], since: release }]),
  );
}

/** With the first release that has each. */
export function lackingIn(schema: Schema, requirements: Requirements): Record<string, string> {
  const lacking = Object.entries(requirements).filter(
    ([, { anyOf }]) => !anyOf.some(([type, field]) => schema.has(type, field)),
  );
  return Object.fromEntries(lacking.map(([name, { since }]) => [name, since]));
}

export interface Selection<Field extends string> {
  /** Never empty, because GraphQL allows no empty selection. */
  text: string;
  /** The selected fields that the server can neither give nor derive. */
  missing: Field[];
  /** Whether `pick` returns the same as the object, if nothing but `text` was requested. */
  isExact: boolean;
  pick: (object: Readonly<Record<string, unknown>>) => Partial<Record<Field, never>>;
}

/** Derives a field from a list: its first entry, as in the releases that have both. What is no list is the entry. */
export function firstOf(list: string) {
  return { of: list, by: (values: unknown) => ([values].flat()[0] ?? null) as unknown };
}

/**
 * Selects the fields that a type of the schema has.
 * @param derived fields to compute from another field, `of`, if the type lacks them.
 */
export function select<Field extends string>(
  schema: Schema,
  type: string,
  fields: readonly Field[],
  derived: Partial<Record<Field, { of: string; by: (value: unknown) => unknown }>> = {},
): Selection<Field> {
  const parts = fields.flatMap((field): SelectedPart<Field>[] => {
    if (schema.has(type, field)) return [{ field, of: field }];
    const source = derived[field];
    return source && schema.has(type, source.of) ? [{ field, ...source }] : [];
  });
  const requested = new Set(parts.map(({ of }) => of));
  return {
    text: [...requested].join(' ') || '__typename',
    missing: fields.filter((field) => !parts.some((part) => part.field === field)),
    isExact: parts.length > 0 && parts.every(({ by }) => !by),
    pick: (object) => pickParts(parts, object),
  };
}

interface SelectedPart<Field extends string> {
  field: Field;
  of: string;
  by?: (value: unknown) => unknown;
}

function pickParts<Field extends string>(
  parts: readonly SelectedPart<Field>[],
  object: Readonly<Record<string, unknown>>,
): Partial<Record<Field, never>> {
  const picked: Partial<Record<Field, unknown>> = {};
  for (const { field, of, by } of parts) picked[field] = by ? by(object[of]) : object[of];
  return picked as Partial<Record<Field, never>>;
}
