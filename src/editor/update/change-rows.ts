import {
  type ChangeRow,
  changeRowIn,
  fieldsOfKind,
  FOLDER_TYPE,
  isWithin,
  kindOfField,
  rulesOf,
  takesFolder,
  type UpdateAction,
  type UpdateKind,
  type ValueForm,
} from '../../contract/update';
import { isFilled, isVariable } from '../../contract/values';
import type { Value } from '../node-red';
import { namedPicker, nameInValue, type NewNames, type Picker } from '../pickers';
import { rowsIn, showRowList } from '../row-list';
import { firstOf, type OfferedType, selectSaved, showTypedInput, SOURCES } from '../rows';
import type { SelectedServer } from '../server';
import { shortened, textsIn } from '../values';
import { words } from '../words';

/** The types for values that are entered, the usual one first. */
const ENTERED: Readonly<Record<ValueForm, readonly OfferedType[]>> = {
  names: ['str', 'json'],
  name: ['str'],
  rating: ['num'],
  flag: ['bool'],
  text: ['str'],
  texts: ['str', 'json'],
  count: ['num'],
};

/** The actions in the label of a node. */
const SIGNS: Readonly<Partial<Record<string, string>>> = { add: '+', remove: '−', set: '=' };

/**
 * Returns what saved rows change, for the label of a node: their fields, or one field with its value, such as "Tags + Watched". A saved ID
 * does not tell the name.
 */
export function shownChanges(rows: unknown): string {
  const known = (Array.isArray(rows) ? rows : []).map(changeRowIn).filter(({ field }) => rulesOf(field));
  const [only, ...others] = known;
  if (only && others.length === 0) {
    const sign = SIGNS[only.action] ?? '';
    const value = sign && shortened(shownValue(only));
    if (value) return `${labelOf(only.field)} ${sign} ${value}`;
  }
  return known.map(({ field }) => labelOf(field)).join(', ');
}

function shownValue({ field, value, valueType }: ChangeRow): string {
  if (valueType === 'str' || valueType === 'num') return value;
  if (valueType === 'json') return textsIn(value).join(', ');
  const kind = kindOfField[field];
  if (kind === undefined || kind !== valueType) return '';
  const names = namedPicker(kind, rulesOf(field)?.form === 'names', () => undefined)
    .read(value)
    .map(nameInValue);
  return names.includes(undefined) ? '' : names.join(', ');
}

/** Checks saved rows: there is at least one, each with a field of the kind and a value. @returns true, or what is missing first. */
export function checkChangeRows(rows: Value | readonly unknown[], kind: UpdateKind): true | string {
  if (!Array.isArray(rows) || rows.length === 0) return words('update:invalid.changes');
  const problems = rows.map((row) => problemOf(changeRowIn(row), kind));
  return problems.find((one) => one !== undefined)?.reason ?? true;
}

/** What is wrong in a row: its field, or the value for that. */
interface RowProblem {
  part: 'field' | 'value';
  reason: string;
}

function problemOf({ field, action, value, valueType }: ChangeRow, kind: UpdateKind): RowProblem | undefined {
  const rules = rulesOf(field);
  if (!rules?.kinds.includes(kind) || !rules.actions.some((one) => one === action)) {
    return { part: 'field', reason: words('update:invalid.field') };
  }
  if (action === 'clear' || valueType === 'bool') return undefined;
  const wrong = (reason: string): RowProblem => ({ part: 'value', reason });
  const { form } = rules;
  if (valueType === 'num' && (form === 'rating' || form === 'count')) {
    const isValid = isFilled(value) && (isVariable(value) || isWithin(form, Number(value)));
    return isValid ? undefined : wrong(words(`update:invalid.${form}`));
  }
  if (valueType === FOLDER_TYPE ? takesFolder(kind, field) : isFilled(value)) return undefined;
  const picked = kindOfField[field];
  if (picked !== undefined && valueType === picked) return wrong(words(`update:invalid.${picked}`));
  return wrong(words('update:invalid.value', { field: labelOf(field) }));
}

/** The changes in the dialog: a row for each, with a field, what to do with it, and the value. */
export class ChangeRows {
  readonly #list: JQuery;
  readonly #server: SelectedServer;
  readonly #create: JQuery;
  #kind: UpdateKind;

  /**
   * @param server from which the entries of pickers come.
   * @param create the checkbox by which the node creates what is named and not there.
   */
  constructor(
    list: JQuery,
    {
      kind,
      rows,
      server,
      create,
    }: { kind: UpdateKind; rows: unknown; server: SelectedServer; create: JQuery },
  ) {
    this.#list = list;
    this.#server = server;
    this.#create = create;
    this.#kind = kind;
    showRowList(list, {
      addButton: words('update:button.add'),
      addItem: (row, data) => {
        if ('field' in data) this.#fill(row, data as ChangeRow);
        else this.#fillNew(row);
      },
      label(row, number) {
        row.find('.stash-change-field').attr('aria-label', words('update:row.field', { row: number }));
        row.find('.stash-change-action').attr('aria-label', words('update:row.action', { row: number }));
      },
    });
    const saved = Array.isArray(rows) ? rows.map(changeRowIn) : [];
    list.editableList('addItems', saved.length > 0 ? saved : [{}]);
    // A name that was left in a picker counts from now on.
    create.on('change', () => list.find('[role="combobox"][aria-expanded="false"]').trigger('blur'));
  }

  /** Offers the fields of another kind. A row whose field it lacks stays, and is wrong. */
  useKind(kind: UpdateKind): void {
    this.#kind = kind;
    for (const row of rowsIn(this.#list)) {
      this.#offerFields(row.find('.stash-change-field'));
      // Not every kind has folders.
      this.#showValue(row, valueIn(row));
    }
    this.#list.trigger('change');
  }

  /** Returns the rows as the flow file has them. */
  rows(): ChangeRow[] {
    return rowsIn(this.#list).map(rowIn);
  }

  /** Shows what is wrong in each row, where it is. */
  showProblems(): void {
    for (const [index, row] of rowsIn(this.#list).entries()) {
      const { part, reason = '' } = problemOf(rowIn(row), this.#kind) ?? {};
      const id = `stash-change-problem-${index}`;
      const text = row.find('.stash-change-problem').attr('id', id);
      if (text.text() !== reason) text.text(reason);
      // The typed input has no such class for long: it does not know what is wrong.
      const value = row.find('.stash-change-value');
      const field = row.find('.stash-change-field');
      field.add(value).removeClass('input-error');
      row.find('[aria-invalid]').removeAttr('aria-describedby aria-invalid');
      if (!part) continue;
      (part === 'field' ? field : value).addClass('input-error');
      const controls = value.find('.red-ui-typedInput-input, [role="combobox"]');
      (part === 'field' ? field : controls).attr({ 'aria-describedby': id, 'aria-invalid': 'true' });
    }
  }

  /** Fills a row for the first field that has none. */
  #fillNew(row: JQuery): void {
    const fields = fieldsOfKind(this.#kind);
    const taken = rowsIn(this.#list).map(fieldIn);
    const field = fields.find((one) => !taken.includes(one)) ?? fields[0] ?? '';
    this.#fill(row, { field, action: rulesOf(field)?.actions[0] ?? 'set', value: '', valueType: '' });
    this.#list.trigger('change');
  }

  #fill(row: JQuery, saved: ChangeRow): void {
    const field = $('<select>', { class: 'stash-change-field' });
    const action = $('<select>', { class: 'stash-change-action' });
    const value = $('<div>', { class: 'stash-change-value' });
    const note = $('<div>', { class: 'stash-change-note stash-hint' });
    const problem = $('<div>', { class: 'stash-change-problem stash-problem', role: 'alert' });
    row.addClass('stash-change-row').append(field, action, value, note, problem);
    this.#offerFields(field, saved.field);
    this.#offerActions(row);
    if (saved.action !== '') selectSaved(action, saved.action);
    this.#showValue(row, saved);
    field.on('change', () => {
      this.#offerActions(row);
      this.#showValue(row, { value: '', valueType: '' });
    });
    action.on('change', () => {
      this.#toggleValue(row);
    });
  }

  #offerFields(select: JQuery, chosen = String(select.val() ?? '')): void {
    const fields: string[] = fieldsOfKind(this.#kind);
    // What another kind has stays visible, because it is wrong.
    const all = fields.includes(chosen) || chosen === '' ? fields : [...fields, chosen];
    select.empty().append(
      all.map((field) =>
        $('<option>', {
          value: field,
          text: labelOf(field),
          'data-needs': `${this.#kind}.${field}`,
        }),
      ),
    );
    select.val(chosen === '' ? (all[0] ?? '') : chosen);
  }

  /** Offers the actions of the field, and selects the first. */
  #offerActions(row: JQuery): void {
    const actions: readonly UpdateAction[] = rulesOf(fieldIn(row))?.actions ?? [];
    row
      .find('.stash-change-action')
      .empty()
      .append(
        actions.map((action) => $('<option>', { value: action, text: words(`update:action.${action}`) })),
      );
  }

  #showValue(row: JQuery, { value, valueType }: Pick<ChangeRow, 'value' | 'valueType'>): void {
    const field = fieldIn(row);
    const { form = 'text' } = rulesOf(field) ?? {};
    const label = labelOf(field);
    const kind = kindOfField[field];
    const pickers = kind ? [namedPicker(kind, form === 'names', this.#newNames(row))] : [];
    const folder = takesFolder(this.#kind, field) || valueType === FOLDER_TYPE ? [folderType()] : [];
    const types = [...typesOf(form, pickers, this.#server, label), ...folder, ...SOURCES];
    const type = valueType || firstOf(types);
    const input = $('<input>', { type: 'text' }).css('width', '100%').val(value);
    row.find('.stash-change-value').empty().append(input);
    row.find('.stash-change-note').text(form === 'rating' ? words('update:value.stars') : '');
    this.#toggleValue(row);
    showTypedInput(input, { types, type, pickers, label });
    input.on('change', () => this.#list.trigger('change'));
  }

  /** Nothing is created to be removed. To choose what is new is to want it created. */
  #newNames(row: JQuery): NewNames {
    return (name) => {
      if (row.find('.stash-change-action').val() === 'remove') return undefined;
      const label = words('update:value.new', { name });
      if (this.#create.is(':checked')) return { label };
      return { label, onPick: () => this.#create.prop('checked', true).trigger('change') };
    };
  }

  /** Hides the value, and the note about it, of a row that clears its field. */
  #toggleValue(row: JQuery): void {
    const isUsed = row.find('.stash-change-action').val() !== 'clear';
    // jQuery's `toggle` would make room for an empty note.
    row.find('.stash-change-value, .stash-change-note').css('display', isUsed ? '' : 'none');
  }
}

/** Returns the name of a field; for one that only a newer version knows, as the flow file has it. */
function labelOf(field: string): string {
  return rulesOf(field) ? words(`update:fields.${field}`) : field;
}

function rowIn(row: JQuery): ChangeRow {
  return {
    ...(row.data('data') as object),
    field: fieldIn(row),
    action: String(row.find('.stash-change-action').val() ?? ''),
    ...valueIn(row),
  };
}

function fieldIn(row: JQuery): string {
  return String(row.find('.stash-change-field').val() ?? '');
}

function typesOf(
  form: ValueForm,
  pickers: readonly Picker[],
  server: SelectedServer,
  label: string,
): OfferedType[] {
  return [...pickers.map((picker) => picker.typeFor(server, () => label)), ...ENTERED[form]];
}

function folderType(): OfferedType {
  const label = words('update:value.folder');
  return { value: FOLDER_TYPE, label, icon: 'fa fa-folder-open-o', hasValue: false };
}

function valueIn(row: JQuery): Pick<ChangeRow, 'value' | 'valueType'> {
  const input = row.find('.stash-change-value > input').first();
  return { value: input.typedInput('value'), valueType: input.typedInput('type') };
}
