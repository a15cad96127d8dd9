import type { Schema } from './schema';

export interface Requirement {
  /** Fields of the schema, one of which a server with the option has. */
  readonly anyOf: readonly (readonly [type: string, field: string])[];
  /** The first release that has it; null if no release so far has it. */
  readonly since: string | null;
}

/** The options of a dialog that not every release has, by the names of its controls. */
export type Requirements = Readonly<Record<string, Requirement>>;

/** For options that are fields of the same type. */
export function fieldsOf(type: string, since: Readonly<Record<string, string | null>>): Requirements {
  return Object.fromEntries(
    Object.entries(since).map(([name, release]) => [name, { anyOf: [[type, name]], since: release }]),
  );
}

/** With the first release that has each. */
export function lackingIn(schema: Schema, requirements: Requirements): Record<string, string | null> {
  const lacking = Object.entries(requirements).filter(
    ([, { anyOf }]) => !anyOf.some(([type, field]) => schema.has(type, field)),
  );
  return Object.fromEntries(lacking.map(([name, { since }]) => [name, since]));
}
