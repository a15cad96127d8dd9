import { EXAMPLE_DOCUMENT, pageSizeIn, type VariableRow } from '../../src/contract/document';
import { rowKinds } from '../../src/contract/kinds';
import { StashError } from '../../src/errors';
import {
  choice,
  type Config,
  evaluated,
  type EvaluatedProperty,
  fixed,
  type FixedProperty,
  jsonObject,
  pickedType,
  readFixed,
  saved,
  text,
  TEXT_TYPES,
  typed,
  unknownChoice,
} from '../../src/flow';
import { arrayOf, hasString } from '../../src/guards';

/** Where a document may come from, unless it was typed in the dialog. */
const SOURCES = TEXT_TYPES.filter((type) => type !== 'str');
const VALUE_TYPES = [...TEXT_TYPES, 'num', 'bool', 'json'];

/** A GraphQL document: typed in the dialog, or from the message and so on. */
export function document(name: string): EvaluatedProperty<string> {
  const preset = { value: EXAMPLE_DOCUMENT, type: 'graphql' };
  return text(name, preset, ['graphql', ...SOURCES]);
}

/**
 * The values of variables: those of the rows in the property `rows` if the type is `none`, the default; otherwise an object, also
 * as JSON.
 */
export function variables(name: string, rows: string): EvaluatedProperty<Readonly<Record<string, unknown>>> {
  const object = jsonObject(name, 'none', 'BAD_INPUT.notVariables');
  return evaluated(async (config, evaluate) => {
    const type = saved(config, `${name}Type`, 'none');
    if (type !== 'none') return await object.read(config, evaluate);
    const given = rowsOfVariables(config, rows).filter((row) => row.type !== 'none');
    const values: Record<string, unknown> = {};
    for (const row of given) {
      const value = typed(row.name, { value: '', type: '' }, VALUE_TYPES, (result, details) => {
        // In JSON, an empty text was meant. Otherwise an empty number would be 0.
        const isEmpty = row.value.trim() === '' || result === '';
        if (isEmpty && row.type !== 'json') throw new StashError('BAD_INPUT.empty', { details });
        return jsonCopy(result);
      });
      const own = { [row.name]: row.value, [`${row.name}Type`]: typeIn(row) };
      // Of JSON, null is a value: it removes what the library has.
      const isNull = row.type === 'json' && row.value.trim() === 'null';
      values[row.name] = isNull ? null : await value.read(own, evaluate);
    }
    return values;
  });
}

/** Returns the type as which Node-RED reads the value of a row. */
function typeIn({ type, value }: VariableRow): string {
  return rowKinds.some((kind) => kind === type) ? pickedType(value) : type;
}

/**
 * Copies a value as JSON has it: nothing else may change it until it is sent.
 * @throws {TypeError} for a value that JSON cannot hold.
 */
function jsonCopy(value: unknown): unknown {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined || (json === 'null' && value !== null))
    throw new TypeError('JSON has no such value');
  return JSON.parse(json) as unknown;
}

const areRows = arrayOf(
  (row): row is VariableRow => hasString('name')(row) && hasString('value')(row) && hasString('type')(row),
);

function rowsOfVariables(config: Config, name: string): VariableRow[] {
  const rows = config[name] ?? [];
  if (!areRows(rows)) throw unknownChoice(JSON.stringify(rows));
  return rows;
}

export function pageSize(name: string): FixedProperty<number> {
  return fixed((config) => {
    const size = pageSizeIn(config[name]);
    if (size !== undefined) return size;
    throw new StashError('BAD_INPUT.pageSize');
  });
}

/** Whether the next page is requested when the message with the last one comes back. */
export const isPaced = fixed((config) => {
  const { nextPage } = readFixed({ nextPage: choice('nextPage', ['atOnce', 'returned']) }, config);
  return nextPage === 'returned';
});
