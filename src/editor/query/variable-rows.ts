import type { DeclaredVariable, VariableRow } from '../../contract/document';
import { KeyedList, type Row } from '../keyed-list';
import { itemPickers, type Picker } from '../pickers';
import { firstOf, type OfferedType, showTypedInput, SOURCES } from '../rows';
import type { SelectedServer } from '../server';
import { words } from '../words';

/** The type of a variable that is not given, which has no value. */
const UNSET = 'none';

/** Shows an input for each variable of a document, and keeps what was entered while a variable is gone for a moment. */
export class VariableRows {
  readonly #container: JQuery;
  readonly #entered = new Map<string, VariableRow>();
  readonly #server: SelectedServer;
  readonly #list: KeyedList<DeclaredVariable>;
  #shown: readonly DeclaredVariable[] = [];

  /** @param server from which the entries of pickers come. */
  constructor(container: JQuery, saved: readonly VariableRow[], server: SelectedServer) {
    this.#container = container;
    this.#server = server;
    this.#list = new KeyedList(container[0] as HTMLElement, {
      keyOf: ({ name }) => name,
      create: () => this.#row(),
      fallback: container[0] as HTMLElement,
    });
    for (const row of saved) this.#entered.set(row.name, row);
    // Until the document was checked, for example because the server is down.
    this.show(saved.map(({ name }) => ({ name, type: '', namedType: '', isRequired: false, choices: [] })));
  }

  /** Shows the inputs for these variables. Those that are shown already stay as they are, because one may have the focus. */
  show(variables: readonly DeclaredVariable[]): void {
    if (JSON.stringify(variables) === JSON.stringify(this.#shown)) return;
    this.#keepEntered();
    this.#shown = variables;
    this.#list.show(variables);
  }

  /** Returns the values of the shown variables. */
  rows(): VariableRow[] {
    this.#keepEntered();
    return this.#shown.flatMap(({ name }) => this.#entered.get(name) ?? []);
  }

  #row(): Row<DeclaredVariable> {
    const row = $('<div>', { class: 'stash-variable-row' });
    let shown = '';
    return {
      element: row[0] as HTMLElement,
      show: (variable) => {
        const definition = JSON.stringify(variable);
        if (definition !== shown) this.#fill(row, variable);
        shown = definition;
      },
    };
  }

  #fill(row: JQuery, variable: DeclaredVariable): void {
    const { name, type } = variable;
    const { value, type: saved } = this.#entered.get(name) ?? { value: '', type: '' };
    const label = $('<label>', { class: 'stash-variable', title: type }).append(
      $('<code>').text(`$${name}`),
      $('<span>', { class: 'stash-hint' }).text(type),
    );
    const input = $('<input>', { type: 'text' }).css('width', '100%').attr('data-variable', name).val(value);
    const pickers = pickersOf(variable, { value, type: saved });
    const types = typesOf(variable, { value, type: saved }, pickers, this.#server);
    const hadFocus = row.find(':focus').length > 0;
    row.empty().append(label, $('<div>').append(input));
    // The widget measures its place in the page.
    setTimeout(() => {
      const first = saved || firstOf(types);
      showTypedInput(input, { types, type: first, pickers, label: `$${name}`, bare: UNSET });
      if (hadFocus)
        row.find('.red-ui-typedInput-input, [role="combobox"], button').filter(':visible').trigger('focus');
    });
  }

  #keepEntered(): void {
    for (const element of this.#container.find('[data-variable]').get()) {
      const input = $(element);
      const name = input.attr('data-variable') ?? '';
      // The widget appears a moment later.
      if (input.next('.red-ui-typedInput-container').length === 0) continue;
      this.#entered.set(name, {
        ...this.#entered.get(name),
        name,
        value: input.typedInput('value'),
        type: input.typedInput('type'),
      });
    }
  }
}

/** Returns the pickers for a variable with IDs. Until its type is known, a saved value tells whether there are several. */
function pickersOf(
  { type, namedType }: DeclaredVariable,
  { value, type: saved }: Omit<VariableRow, 'name'>,
): Picker[] {
  const isList = type === '' ? value.startsWith('[') : type.startsWith('[');
  return itemPickers(isList).filter((picker) => namedType === 'ID' || picker.type === saved);
}

/** Returns the types of value that a variable can have, the usual one first. */
function typesOf(
  { name, type, namedType, isRequired, choices }: DeclaredVariable,
  { value, type: saved }: Omit<VariableRow, 'name'>,
  pickers: readonly Picker[],
  server: SelectedServer,
): OfferedType[] {
  const unset = { value: UNSET, label: words('query:variables.unset'), hasValue: false };
  // The widget replaces a value that it does not offer.
  const isOther = choices.length > 0 && saved === 'str' && value !== '' && !choices.includes(value);
  const own = ownTypeOf(type, namedType, isOther ? [...choices, value] : choices);
  // A text is offered for what may be a scalar of any form.
  return [
    ...(isRequired ? [] : [unset]),
    own,
    ...pickers.map((picker) => picker.typeFor(server, () => `$${name}`)),
    ...SOURCES,
    ...(own === 'json' ? [] : ['json' as const]),
  ];
}

function ownTypeOf(type: string, namedType: string, choices: readonly string[]): OfferedType {
  if (type.startsWith('[')) return 'json';
  if (choices.length > 0) return { value: 'str', label: namedType, options: [...choices] };
  switch (namedType) {
    case 'Boolean':
      return 'bool';
    case 'Int':
    case 'Float':
      return 'num';
    default:
      return /(Input|FilterType|Map|Any)$/.test(namedType) ? 'json' : 'str';
  }
}
