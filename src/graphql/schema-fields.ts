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

/** One way in which releases have a field. */
export interface Variant {
  /** The field of the schema's type by which a release has it. */
  readonly name: string;
  /** What to request; the name by default. */
  readonly select?: string | ((schema: Schema) => string);
  /** Returns the value; what the response has under the name by default. */
  readonly read?: (value: unknown, object: Readonly<Record<string, unknown>>) => unknown;
}

/** What to request of a type, and how to read the response. */
export interface Selection<Field extends string = string> {
  /** Never empty, because GraphQL allows no empty selection. */
  text: string;
  /** The fields that the release does not have in any way. */
  missing: Field[];
  /** Whether `read` returns the same as the object, if nothing but `text` was requested. */
  isExact: boolean;
  read: (object: Readonly<Record<string, unknown>>) => Partial<Record<Field, never>>;
}

/**
 * Selects fields of a type.
 * @param variants the ways in which releases have a field, newest first; of any other field, its name.
 */
export function select<Field extends string>(
  schema: Schema,
  type: string,
  fields: readonly Field[],
  variants?: Readonly<Partial<Record<Field, readonly Variant[]>>>,
): Selection<Field> {
  const found: [Field, Variant][] = [];
  const missing: Field[] = [];
  for (const field of fields) {
    const variant = (variants?.[field] ?? [{ name: field }]).find(({ name }) => schema.has(type, name));
    if (variant) found.push([field, variant]);
    else missing.push(field);
  }
  const texts = found.map(([, variant]) => selectedText(schema, variant));
  return {
    text: [...new Set(texts)].join(' ') || '__typename',
    missing,
    isExact: found.length > 0 && found.every(([field, { name, read }]) => field === name && !read),
    read: (object) => {
      const values: Partial<Record<Field, unknown>> = {};
      for (const [field, { name, read }] of found)
        values[field] = read ? read(object[name], object) : object[name];
      return values as Partial<Record<Field, never>>;
    },
  };
}

/** Returns what to request for a field in one of its ways. */
export function selectedText(schema: Schema, { name, select: text = name }: Variant): string {
  return typeof text === 'string' ? text : text(schema);
}

/** Returns the first entry of a list, as in the releases that have a field for it; what is no list is the entry. */
export function firstOf(values: unknown): unknown {
  return [values].flat()[0] ?? null;
}
