import type { Schema } from '../server';

/** A selection of fields, limited to those that a server has. */
export interface Selection<Field extends string> {
  /** The selection for the document; never empty, because GraphQL allows no empty selection. */
  text: string;
  /** The selected fields that the server can neither give nor derive. */
  missing: Field[];
  /** Returns the selected fields of an object from the response. */
  pick: (object: Readonly<Record<string, unknown>>) => Partial<Record<Field, never>>;
}

/** Derives `url` from `urls`: its first entry, as in the releases that have both fields. */
export const firstOfUrls = {
  of: 'urls',
  by: (urls: unknown) => (Array.isArray(urls) ? (urls[0] ?? null) : null) as unknown,
};

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
  const has = (field: string) => schema.has(type, field);
  // The usual case.
  if (fields.every(has)) {
    const pick = (object: Readonly<Record<string, unknown>>) => {
      const picked: Partial<Record<string, unknown>> = {};
      for (const field of fields) picked[field] = object[field];
      return picked as Partial<Record<Field, never>>;
    };
    return { text: fields.join(' '), missing: [], pick };
  }
  const given = fields.filter(has);
  const made = fields.flatMap((field) => {
    const source = derived[field];
    return !has(field) && source && has(source.of) ? [{ field, ...source }] : [];
  });
  const requested = new Set<string>([...given, ...made.map(({ of }) => of)]);
  return {
    text: [...requested].join(' ') || '__typename',
    missing: fields.filter((field) => !has(field) && !made.some((one) => one.field === field)),
    pick: (object) => {
      const values = new Map<string, unknown>(given.map((field) => [field, object[field]]));
      for (const { field, of, by } of made) values.set(field, by(object[of]));
      // In the order of `fields`.
      return Object.fromEntries(
        fields.filter((field) => values.has(field)).map((field) => [field, values.get(field)]),
      ) as Partial<Record<Field, never>>;
    },
  };
}
