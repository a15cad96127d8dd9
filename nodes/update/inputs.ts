import type { NamedKind } from '../../src/contract/kinds';
import {
  type ChangeRow,
  changeRowIn,
  FOLDER_TYPE,
  isList,
  kindOfField,
  rulesOf,
  takesFolder,
  type UpdateAction,
  type UpdateField,
  type UpdateKind,
  updateKinds,
} from '../../src/contract/update';
import { isFilled } from '../../src/contract/values';
import { StashError } from '../../src/errors';
import {
  choice,
  type Config,
  count,
  type Evaluate,
  evaluated,
  type EvaluatedProperty,
  fixed,
  hasKind,
  type InputDetails,
  isVisible,
  itemsIn,
  JSON_TYPES,
  kindIn,
  pickedType,
  TEXT_TYPES,
  typed,
  unknownChoice,
} from '../../src/flow';
import { isRecord, isString } from '../../src/guards';
import { type Change, FOLDER, type Reference, type UpdateInput } from '../../src/operations/update';

/** The types of our pickers. */
const PICKED = ['tag', 'performer', 'studio'];
const VALUE_TYPES = [...TEXT_TYPES, 'num', 'bool', 'json'];

const items = { value: 'payload', type: 'msg' };
export const kind = choice('kind', updateKinds);

const most = count('atMost', 1000);

/** The most items to change; 0 means no limit, read as Infinity. */
export const atMost = fixed((config) => most.read(config) || Infinity);

/**
 * What to change of which items. The items are IDs, items as other nodes describe them, or the record of a scan with its new items;
 * one or a list, which may be empty. Each row of `changes`, at least one, is a change. An expression in which `item` occurs is
 * evaluated for each item.
 */
export const edits: EvaluatedProperty<UpdateInput['edits']> = evaluated(async (config, evaluate) => {
  const rows = checkedRows(config);
  const chosen = await chosenItems(config, evaluate);
  if (chosen.size === 0) return [];
  const shared: Change[] = [];
  const ofMessage = (config['itemsType'] ?? items.type) === 'msg' ? chosen.size : 0;
  for (const row of rows) if (!row.isForEach) shared.push(...(await changeOfAll(row, ofMessage, evaluate)));
  const forEach = rows.filter((row) => row.isForEach);
  // More items than allowed are refused, so their values are not needed.
  if (forEach.length === 0 || chosen.size > atMost.read(config))
    return [{ ids: [...chosen.keys()], changes: shared }];
  const all: { ids: string[]; changes: Change[] }[] = [];
  for (const [id, item] of chosen) {
    const changes = [...shared];
    for (const row of forEach) changes.push(...(await changeOfItem(row, { id, item }, evaluate)));
    all.push({ ids: [id], changes });
  }
  return all;
}, checkedRows);

/** Returns the items to change, by their IDs. */
async function chosenItems(config: Config, evaluate: Evaluate): Promise<ReadonlyMap<string, object>> {
  const wanted = { kinds: [kind.read(config)], wrong: 'BAD_INPUT.notItems' } as const;
  const given = typed('items', items, [...JSON_TYPES, 'chosen'], (value, details) =>
    [value].flat().flatMap((one: unknown) => itemsIn(one, wanted, details)),
  );
  return new Map((await given.read(config, evaluate)).map(({ id, item }) => [id, item]));
}

/** A row whose field has its action. */
interface CheckedRow extends ChangeRow {
  field: UpdateField;
  action: UpdateAction;
  /** Whether its value depends on the item. */
  isForEach: boolean;
}

/** Returns the change of a row; none if it has nothing to add or to remove for an item. */
async function changeOf(row: CheckedRow, evaluate: Evaluate): Promise<Change[]> {
  const { field, action } = row;
  if (action === 'clear') return [{ field, action }];
  if (row.valueType === FOLDER_TYPE) return [{ field, action, value: FOLDER }];
  const type = PICKED.includes(row.valueType) ? pickedType(row.value) : row.valueType;
  const config = { [field]: row.value, [`${field}Type`]: type };
  const value = await valueOf(row).read(config, evaluate);
  return value === undefined ? [] : [{ field, action, value }];
}

/**
 * Returns the change of a row for all items. Where an expression fails and the message has several items, the error says how to name
 * each: the expression may have read the list as one item. One that nobody can read has another fault.
 * @param count how many items the message has.
 */
async function changeOfAll(row: CheckedRow, count: number, evaluate: Evaluate): Promise<Change[]> {
  let thrown: unknown;
  try {
    return await changeOf(row, async (...given) => {
      try {
        return await evaluate(...given);
      } catch (error) {
        thrown = error;
        throw error;
      }
    });
  } catch (error) {
    const failure = failureOf(row, error);
    if (!failure || count < 2 || isSyntaxError(thrown)) throw error;
    throw new StashError('BAD_INPUT.expressionOfList', { details: { ...failure, count } });
  }
}

/** Whether JSONata cannot read an expression: these of its codes begin with S. */
function isSyntaxError(error: unknown): boolean {
  return isRecord(error) && isString(error['code']) && error['code'].startsWith('S');
}

/** Returns the change of a row for one item, whose errors name the item. */
async function changeOfItem(
  row: CheckedRow,
  { id, item }: { id: string; item: object },
  evaluate: Evaluate,
): Promise<Change[]> {
  try {
    return await changeOf(row, (value, type) => evaluate(value, type, item));
  } catch (error) {
    const failure = failureOf(row, error);
    if (failure) throw new StashError('BAD_INPUT.expressionOfItem', { details: { ...failure, id } });
    if (!(error instanceof StashError)) throw error;
    const { source, ...details } = error.details;
    throw new StashError(error.case, { details: { ...details, source: `${String(source)}, item.id ${id}` } });
  }
}

/** Returns why the expression of a row fails; undefined for another error. */
function failureOf({ field }: CheckedRow, error: unknown): { property: string; reason: string } | undefined {
  if (!(error instanceof StashError) || error.case !== 'BAD_INPUT.expression') return undefined;
  return { property: field, reason: String(error.details['reason']) };
}

function checkedRows(config: Config): CheckedRow[] {
  const rows = config['changes'] ?? [];
  if (!Array.isArray(rows)) throw unknownChoice(JSON.stringify(rows));
  if (rows.length === 0) throw new StashError('BAD_INPUT.noChanges');
  return rows.map((row) => checkedRow(changeRowIn(row), kind.read(config)));
}

function checkedRow(row: ChangeRow, kind: UpdateKind): CheckedRow {
  const { field, action, value, valueType } = row;
  const known = rulesOf(field)?.actions.find((one) => one === action);
  if (!known) throw unknownChoice(`${field} ${action}`);
  if (known !== 'clear' && valueType === FOLDER_TYPE && !takesFolder(kind, field)) {
    throw unknownChoice(`${kind} ${field} ${valueType}`);
  }
  const isForEach = known !== 'clear' && valueType === 'jsonata' && /\bitem\b/.test(value);
  return { ...row, field: field as UpdateField, action: known, isForEach };
}

/** A typed input for the value of a row, undefined if it has nothing to add or to remove for an item. Its errors name the field. */
function valueOf({
  field,
  action,
  value: entered,
  valueType,
  isForEach,
}: CheckedRow): EvaluatedProperty<unknown> {
  return typed(field, { value: '', type: 'str' }, VALUE_TYPES, (result, details) => {
    const isNothing = Array.isArray(result) && result.length === 0;
    if (isForEach && isNothing && action !== 'set') return undefined;
    if (isList(field) && isNothing && action === 'set') {
      throw new StashError('BAD_INPUT.setToNothing', { details });
    }
    // Each line of a text is a value.
    const values: unknown[] = isList(field)
      ? [result].flat().flatMap((one) => (isString(one) ? one.split(/[\r\n]/) : [one]))
      : [result];
    const filled = values.filter((one) => !isString(one) || isVisible(one));
    // Otherwise an empty number would be 0.
    if (filled.length === 0 || (typeof result === 'number' && entered.trim() === '')) {
      throw new StashError('BAD_INPUT.empty', { details });
    }
    const kind = kindOfField[field];
    const all =
      kind === undefined
        ? filled
        : filled.map((one) =>
            referenceIn(isString(one) && PICKED.includes(valueType) ? { id: one } : one, kind, details),
          );
    return isList(field) ? all : all[0];
  });
}

/**
 * Returns what names a tag, studio or performer. Text is always its name, because many names consist of digits.
 * @throws {StashError} BAD_INPUT for what is neither a name nor an ID, and for an item of another kind.
 */
function referenceIn(value: unknown, kind: NamedKind, details: InputDetails): Reference {
  if (isString(value)) return { name: value.trim() };
  const wanted = { kinds: [kind], wrong: 'BAD_INPUT.notItems' } as const;
  if (isRecord(value) && (value['id'] ?? null) === null && isFilled(value['name'])) {
    if (!isVisible(value['name'])) throw new StashError('BAD_INPUT.empty', { details });
    if (hasKind(value)) kindIn(value, wanted.kinds, details);
    return { name: value['name'].trim() };
  }
  const [item] = itemsIn(value, wanted, details);
  if (item) return { id: item.id };
  throw new StashError(wanted.wrong, { details });
}
