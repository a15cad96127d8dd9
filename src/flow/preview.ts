import type { NamedKind } from '../contract/kinds';
import type { TrialTable } from '../contract/trial';
import { isRecord, isString } from '../guards';
import { type Redact, redactTo } from '../redact';
import { type Detail, redactedValues } from './words';

/** What a dialog shows of a result, before it is made short and safe. */
export type Preview =
  /** A list of results, and how many there are; null if nobody knows. Without a number, those in the list. `sent`: see `TrialTable`. */
  (
    | { list: readonly object[]; count?: number | null; sent?: number }
    /** One result: a row for each of its fields. */
    | { fields: object }
    /** What would change: a row for each item, with the texts of the fields that would; none if it would stay as it is. */
    | {
        changes: readonly { title: string; fields: Readonly<Record<string, string>> }[];
        columns: readonly string[];
        changing: number;
        created: readonly { kind: NamedKind; name: string }[];
        count: number;
      }
  ) & {
    /** The units of numbers, by the names of their fields. */
    units?: TrialTable['units'];
    /** Selected fields that this server cannot give. */
    missing?: readonly string[];
    /** What else there is to say, in words of the node. */
    hints?: readonly Detail[];
    /** The texts of errors that came with the result. */
    errors?: readonly string[];
  };

/** The most results and fields to show. */
export const MOST_RESULTS = 3;
const MOST_FIELDS = 30;
/** The longest text of a cell, and of the name of a field, in UTF-16 units. */
const LONGEST_CELL = 200;
const LONGEST_NAME = 60;

/** Returns the table for a preview, whose texts are safe and short whatever a server sends. */
export function tableOf(preview: Preview, redact: Redact): Omit<TrialTable, 'milliseconds'> {
  const { missing = [], hints = [], errors = [], units } = preview;
  const nameOf = (name: string) => cutTo(redact(name), LONGEST_NAME);
  const more = {
    missing: missing.slice(0, MOST_FIELDS).map(nameOf),
    errors: errors.slice(0, MOST_RESULTS).map(redact),
    ...(units && { units }),
    ...(hints.length > 0 && {
      hints: hints.map(({ key, values }) => ({ key, values: redactedValues(values) })),
    }),
  };
  if ('fields' in preview) {
    const rows = leavesOf(preview.fields).map(([name, value]) => [nameOf(name), cellOf(value, redact)]);
    return { shape: 'fields', columns: ['field', 'value'], rows, count: rows.length, ...more };
  }
  if ('changes' in preview) {
    const { changes, count, changing, created } = preview;
    const rows = changes.map(({ title, fields }) => {
      const cells = preview.columns.map((column) => fields[column] ?? '');
      return [title, ...(cells.some((text) => text !== '') ? cells : [])].map((text) => cellOf(text, redact));
    });
    return {
      shape: 'changes',
      columns: ['item', ...preview.columns],
      rows,
      count,
      changing,
      created: [...new Set(created.map(({ kind }) => kind))].map((kind) => {
        const all = created.filter((one) => one.kind === kind);
        const names = all.slice(0, MOST_FIELDS).map(({ name }) => nameOf(name));
        return { kind, names, count: all.length };
      }),
      ...more,
    };
  }
  const { list, count = list.length, sent } = preview;
  const shown = list.slice(0, MOST_RESULTS).map((one) => new Map(Object.entries(one)));
  const names = [...new Set(shown.flatMap((one) => [...one.keys()]))].slice(0, MOST_FIELDS);
  const rows = shown.map((one) => names.map((name) => cellOf(one.get(name), redact)));
  const isCut = sent !== undefined && count !== null && sent < count;
  return { shape: 'list', columns: names.map(nameOf), rows, count, ...(isCut && { sent }), ...more };
}

/** Returns the fields of an object with those of the objects in it, such as `stats.scene_count`, up to the most. */
function leavesOf(object: object): [name: string, value: unknown][] {
  const leaves: [string, unknown][] = [];
  const add = (name: string, value: unknown): void => {
    if (leaves.length >= MOST_FIELDS) return;
    const inner = isRecord(value) && name.length < LONGEST_CELL ? Object.entries(value) : [];
    if (inner.length === 0) leaves.push([name, value]);
    for (const [key, one] of inner) add(`${name}.${key}`, one);
  };
  for (const [name, value] of Object.entries(object)) add(name, value);
  return leaves;
}

/** Returns nothing for null, and the texts of a list without brackets. */
function cellOf(value: unknown, redact: Redact): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.length <= MOST_FIELDS && value.every(isString))
    return cutTo(value.map(redact).join(', '), LONGEST_CELL);
  return cutTo(redact(isString(value) ? value : jsonStart(value)), LONGEST_CELL);
}

/**
 * Returns JSON that is whole only as far as a cell shows it. The value may be as large and as deep as a response, but each value
 * in it takes at least one character, so no more of them are written than a cell has room for.
 */
function jsonStart(value: unknown): string {
  let room = LONGEST_CELL;
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (room-- <= 0) return undefined;
    // Of a list, what is left out would be written as null.
    return Array.isArray(inner) ? inner.slice(0, LONGEST_CELL) : inner;
  });
}

function cutTo(text: string, room: number): string {
  return text.length <= room ? text : `${redactTo(text, room - 1)}…`;
}
