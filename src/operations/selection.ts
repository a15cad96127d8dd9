import type { Schema } from '../server';

/** The fields of a selection, as far as a server has them. */
export interface Selection<Field extends string> {
  /** What to ask for; never nothing, as a document must not select nothing. */
  text: string;
  /** What was wished and this server cannot give. */
  missing: Field[];
  /** Of an object that came just what was wished. */
  pick: (object: Readonly<Record<string, unknown>>) => Partial<Record<Field, never>>;
}

/** The address where a release has only a list of them: its first, as the releases that have both give it. */
export const firstOfUrls = {
  of: 'urls',
  by: (urls: unknown) => (Array.isArray(urls) ? (urls[0] ?? null) : null) as unknown,
};

/**
 * Selects what the schema's type has of `fields`.
 * @param derived fields that can be made of another one where the type lacks them.
 */
export function select<Field extends string>(
  schema: Schema,
  type: string,
  fields: readonly Field[],
  derived: Partial<Record<Field, { of: string; by: (value: unknown) => unknown }>> = {},
): Selection<Field> {
  const has = (field: string) => schema.has(type, field);
  // As it is with most servers.
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
    const way = derived[field];
    return !has(field) && way && has(way.of) ? [{ field, ...way }] : [];
  });
  const requested = new Set<string>([...given, ...made.map(({ of }) => of)]);
  return {
    text: [...requested].join(' ') || '__typename',
    missing: fields.filter((field) => !has(field) && !made.some((one) => one.field === field)),
    pick: (object) => {
      const values = new Map<string, unknown>(given.map((field) => [field, object[field]]));
      for (const { field, of, by } of made) values.set(field, by(object[of]));
      // In the order in which they were wished.
      return Object.fromEntries(
        fields.filter((field) => values.has(field)).map((field) => [field, values.get(field)]),
      ) as Partial<Record<Field, never>>;
    },
  };
}
