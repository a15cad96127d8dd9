import type { TrialTable } from '../contract/trial';
import { isRecord, isString } from '../guards';
import { type Redact, redactTo } from '../redact';

/** What a dialog shows of a result, before it is made short and safe. */
export type Preview =
  /** A list of results, and how many there are; null if nobody knows. Without a number, those in the list. `sent`: see `TrialTable`. */
  (
    | { list: readonly object[]; count?: number | null; sent?: number }
    /** One result: a row for each of its fields. */
    | { fields: object }
  ) & {
    /** Selected fields that this server cannot give. */
    missing?: readonly string[];
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
  const { missing = [], errors = [] } = preview;
  const nameOf = (name: string) => cutTo(redact(name), LONGEST_NAME);
  const more = {
    missing: missing.slice(0, MOST_FIELDS).map(nameOf),
    errors: errors.slice(0, MOST_RESULTS).map(redact),
  };
  if ('fields' in preview) {
    const rows = leavesOf(preview.fields).map(([name, value]) => [nameOf(name), cellOf(value, redact)]);
    return { shape: 'fields', columns: ['field', 'value'], rows, count: rows.length, ...more };
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
  return cutTo(isString(value) ? redact(value) : jsonStart(value, redact), LONGEST_CELL);
}

/** Returns the beginning of a value as JSON: no more than a cell shows of a list that may be as large as the response. */
function jsonStart(value: unknown, redact: Redact): string {
  let json = '';
  for (const part of jsonPieces(value, redact)) {
    json += part;
    if (json.length > LONGEST_CELL) break;
  }
  return json;
}

/** Writes JSON. Each text in it is made safe by itself, because only a whole secret is recognized. */
function* jsonPieces(value: unknown, redact: Redact): Generator<string, void> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* jsonPieces(item, redact);
    }
    yield ']';
  } else if (isRecord(value)) {
    yield '{';
    for (const [index, [name, inner]] of Object.entries(value).entries()) {
      yield `${index > 0 ? ',' : ''}${JSON.stringify(redact(name))}:`;
      yield* jsonPieces(inner, redact);
    }
    yield '}';
  } else yield isString(value) ? JSON.stringify(redact(value)) : String(value);
}

function cutTo(text: string, room: number): string {
  return text.length <= room ? text : `${redactTo(text, room - 1)}…`;
}
