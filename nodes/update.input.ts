import {
  type ChangeRow,
  changeRowIn,
  isList,
  namedKinds,
  rulesOf,
  type UpdateAction,
  type UpdateField,
} from '../src/contract/update';
import { isFilled } from '../src/contract/values';
import { StashError } from '../src/errors';
import {
  type Config,
  evaluated,
  type EvaluatedProperty,
  hasKind,
  type InputDetails,
  itemsIn,
  JSON_TYPES,
  kindIn,
  type Preset,
  saved,
  TEXT_TYPES,
  typed,
  unknownChoice,
} from '../src/flow';
import { isRecord, isString } from '../src/guards';
import type { Change, Reference } from '../src/operations/update';

/** The types of our pickers. */
const PICKED = ['tag', 'performer', 'studio'];
const VALUE_TYPES = [...TEXT_TYPES, 'num', 'bool', 'json'];

/**
 * A typed input for the items to change: IDs, items as other nodes describe them, or the record of a scan with its new items; one
 * or a list, which may be empty.
 */
export function chosenIds(name: string, preset: Preset): EvaluatedProperty<readonly string[]> {
  return evaluated(async (config, evaluate) => {
    const wanted = { kinds: [saved(config, 'kind', 'scene')], wrong: 'BAD_INPUT.notItems' } as const;
    const items = await typed(name, preset, [...JSON_TYPES, 'chosen'], (value, details) =>
      [value].flat().flatMap((one: unknown) => itemsIn(one, wanted, details)),
    ).read(config, evaluate);
    return [...new Set(items.map(({ id }) => id))];
  });
}

/** The changes of the rows in the property `name`, at least one. */
export function changes(name: string): EvaluatedProperty<readonly Change[]> {
  return evaluated(
    async (config, evaluate) => {
      const all: Change[] = [];
      for (const row of rowsIn(config, name)) {
        const { field, action } = checkedRow(row);
        const given =
          action === 'clear' ? {} : { value: await valueOf(field, row).read(rowConfig(row), evaluate) };
        all.push({ field, action, ...given });
      }
      return all;
    },
    (config) => {
      rowsIn(config, name).forEach(checkedRow);
    },
  );
}

function rowsIn(config: Config, name: string): ChangeRow[] {
  const rows = config[name] ?? [];
  if (!Array.isArray(rows)) throw unknownChoice(JSON.stringify(rows));
  if (rows.length === 0) throw new StashError('BAD_INPUT.noChanges');
  return rows.map(changeRowIn);
}

function checkedRow({ field, action }: ChangeRow): { field: UpdateField; action: UpdateAction } {
  const known = rulesOf(field)?.actions.find((one) => one === action);
  if (!known) throw unknownChoice(`${field} ${action}`);
  return { field: field as UpdateField, action: known };
}

function rowConfig({ field, value, valueType }: ChangeRow): Config {
  // The pickers have an ID, or a JSON list of IDs.
  const picked = value.startsWith('[') ? 'json' : 'str';
  return { [field]: value, [`${field}Type`]: PICKED.includes(valueType) ? picked : valueType };
}

/** A typed input for the value of a row; its errors name the field. */
function valueOf(field: UpdateField, { value: entered, valueType }: ChangeRow): EvaluatedProperty<unknown> {
  return typed(field, { value: '', type: 'str' }, VALUE_TYPES, (result, details) => {
    const values: unknown[] = isList(field) ? [result].flat().flatMap(linesIn) : [result];
    const filled = values.filter((one) => !isString(one) || one.trim() !== '');
    // Otherwise an empty number would be 0.
    if (filled.length === 0 || (typeof result === 'number' && entered.trim() === '')) {
      throw new StashError('BAD_INPUT.empty', { details });
    }
    const kind = namedKinds[field];
    const all =
      kind === undefined
        ? filled
        : filled.map((one) => referenceIn(PICKED.includes(valueType) ? { id: one } : one, kind, details));
    return isList(field) ? all : all[0];
  });
}

/** Returns the lines of a text, of which each is a value. */
function linesIn(value: unknown): unknown[] {
  return isString(value) ? value.split(/[\r\n]/) : [value];
}

/**
 * Returns what names a tag, studio or performer. Text is always its name, because many names consist of digits.
 * @throws {StashError} BAD_INPUT for what is neither a name nor an ID, and for an item of another kind.
 */
function referenceIn(value: unknown, kind: string, details: InputDetails): Reference {
  if (isString(value)) return { name: value.trim() };
  const wanted = { kinds: [kind], wrong: 'BAD_INPUT.notItems' } as const;
  if (isRecord(value) && (value['id'] ?? null) === null && isFilled(value['name'])) {
    if (hasKind(value)) kindIn(value, wanted.kinds, details);
    return { name: value['name'].trim() };
  }
  const [item] = itemsIn(value, wanted, details);
  if (item) return { id: item.id };
  throw new StashError(wanted.wrong, { details });
}
