import {
  type ChangeRow,
  changeRowIn,
  fieldsOfKind,
  isWithin,
  kindOfField,
  rulesOf,
  type UpdateAction,
  type UpdateKind,
  type ValueForm,
} from '../../contract/update';
import { isFilled, isVariable, textIn } from '../../contract/values';
import type { Value } from '../node-red';
import { itemPickers, type Picker } from '../pickers';
import { firstOf, type OfferedType, selectSaved, showTypedInput, SOURCES } from '../rows';
import type { SelectedServer } from '../server';
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

/** The saved row, as data of its element. */
const ROW = 'stash-row';

/** Returns whether saved rows are valid: at least one, each with a field of the kind and a value. */
export function areChangeRows(rows: Value | readonly unknown[], kind: UpdateKind): boolean {
  return Array.isArray(rows) && rows.length > 0 && rows.every((row) => isRow(changeRowIn(row), kind));
}

function isRow({ field, action, value, valueType }: ChangeRow, kind: UpdateKind): boolean {
  const rules = rulesOf(field);
  if (!rules?.kinds.includes(kind) || !rules.actions.some((one) => one === action)) return false;
  if (action === 'clear' || valueType === 'bool') return true;
  const { form } = rules;
  const isNumber = valueType === 'num' && (form === 'rating' || form === 'count');
  return isFilled(value) && (!isNumber || isVariable(value) || isWithin(form, Number(value)));
}

/** The changes in the dialog: a row for each, with a field, what to do with it, and the value. */
export class ChangeRows {
  readonly #container: JQuery;
  readonly #server: SelectedServer;
  #kind: UpdateKind;

  /** @param server from which the entries of pickers come. */
  constructor(
    container: JQuery,
    { kind, rows, server }: { kind: UpdateKind; rows: unknown; server: SelectedServer },
  ) {
    this.#container = container;
    this.#server = server;
    this.#kind = kind;
    const saved: unknown[] = Array.isArray(rows) ? rows : [];
    for (const row of saved) this.#add(changeRowIn(row));
    if (saved.length === 0) this.add();
  }

  /** Adds a row for the first field that has none. */
  add(): void {
    const fields = fieldsOfKind(this.#kind);
    const taken = this.rows().map(({ field }) => field);
    const field = fields.find((one) => !taken.includes(one)) ?? fields[0] ?? '';
    this.#add({ field, action: rulesOf(field)?.actions[0] ?? 'set', value: '', valueType: '' });
    this.#container.trigger('change');
  }

  /** Offers the fields of another kind. A row whose field it lacks stays, and is wrong. */
  useKind(kind: UpdateKind): void {
    this.#kind = kind;
    for (const select of this.#container.find('.stash-change-field').get()) this.#offerFields($(select));
    this.#container.trigger('change');
  }

  /** Returns the rows as the flow file has them. */
  rows(): ChangeRow[] {
    return this.#container
      .children()
      .get()
      .map((element) => {
        const row = $(element);
        const input = row.find('.stash-change-value > input').first();
        const isShown = input.next('.red-ui-typedInput-container').length > 0;
        return {
          ...(row.data(ROW) as ChangeRow),
          field: String(row.find('.stash-change-field').val() ?? ''),
          action: String(row.find('.stash-change-action').val() ?? ''),
          // The widget appears a moment later.
          value: isShown ? input.typedInput('value') : textIn(input.val()),
          valueType: isShown ? input.typedInput('type') : (input.attr('data-type') ?? ''),
        };
      });
  }

  #add(saved: ChangeRow): void {
    const field = $('<select>', { class: 'stash-change-field' }).attr('data-saved', saved.field);
    const action = $('<select>', { class: 'stash-change-action' });
    const value = $('<div>', { class: 'stash-change-value' });
    const remove = $('<button>', { type: 'button', class: 'red-ui-button' }).append(
      $('<i>', { class: 'fa fa-times', 'aria-hidden': 'true' }),
    );
    const row = $('<div>', { class: 'stash-change-row' })
      .append(field, action, remove, value)
      .data(ROW, saved);
    this.#offerFields(field);
    this.#offerActions(row);
    if (saved.action !== '') selectSaved(action, saved.action);
    this.#container.append(row);
    this.#showValue(row, saved);
    field.on('change', () => {
      this.#offerActions(row);
      this.#showValue(row, { value: '', valueType: '' });
    });
    action.on('change', () => {
      value.toggle(action.val() !== 'clear');
    });
    remove.on('click', () => {
      row.remove();
      this.#label();
      this.#container.trigger('change');
      $('#stash-change-add').trigger('focus');
    });
    this.#label();
  }

  #offerFields(select: JQuery): void {
    const chosen = String(select.val() ?? select.attr('data-saved') ?? '');
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
    const pickers = itemPickers(form === 'names').filter(({ type }) => type === kindOfField[field]);
    const types = typesOf(form, pickers, this.#server, label);
    const type = valueType || firstOf(types);
    const input = $('<input>', { type: 'text' }).css('width', '100%').attr('data-type', type).val(value);
    row
      .find('.stash-change-value')
      .empty()
      .append(input)
      .toggle(row.find('.stash-change-action').val() !== 'clear');
    // The widget measures its place in the page.
    setTimeout(() => {
      if (!input.closest('body').length) return;
      showTypedInput(input, { types, type, pickers, label });
      input.on('change', () => this.#container.trigger('change'));
    });
  }

  #label(): void {
    this.#container.children().each((index, element) => {
      const row = $(element);
      const number = index + 1;
      row.find('.stash-change-field').attr('aria-label', words('update:row.field', { row: number }));
      row.find('.stash-change-action').attr('aria-label', words('update:row.action', { row: number }));
      const label = words('server:button.removeRow', { row: number });
      row.find('button').last().attr({ title: label, 'aria-label': label });
    });
  }
}

/** Returns the name of a field; for one that only a newer version knows, as the flow file has it. */
function labelOf(field: string): string {
  return rulesOf(field) ? words(`update:fields.${field}`) : field;
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
  return [...pickers.map((picker) => picker.typeFor(server, () => label)), ...ENTERED[form], ...SOURCES];
}
