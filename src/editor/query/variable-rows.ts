import type { EditorWidgetTypedInputType } from 'node-red';
import type { DeclaredVariable, VariableRow } from '../../contract/document';
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
  #shown: readonly DeclaredVariable[] = [];

  /** @param server from which the entries of pickers come. */
  constructor(container: JQuery, saved: readonly VariableRow[], server: SelectedServer) {
    this.#container = container;
    this.#server = server;
    for (const row of saved) this.#entered.set(row.name, row);
    // Until the document was checked, for example because the server is down.
    this.show(saved.map(({ name }) => ({ name, type: '', namedType: '', isRequired: false, choices: [] })));
  }

  /** Shows the inputs for these variables. Those that are shown already stay as they are. */
  show(variables: readonly DeclaredVariable[]): void {
    if (JSON.stringify(variables) === JSON.stringify(this.#shown)) return;
    this.#keepEntered();
    this.#shown = variables;
    this.#container.empty().append(variables.map((variable) => this.#row(variable)));
  }

  /** Returns the values of the shown variables. */
  rows(): VariableRow[] {
    this.#keepEntered();
    return this.#shown.flatMap(({ name }) => this.#entered.get(name) ?? []);
  }

  #row(variable: DeclaredVariable): JQuery {
    const { name, type } = variable;
    const { value, type: saved } = this.#entered.get(name) ?? { value: '', type: '' };
    const label = $('<label>', { class: 'stash-variable', title: type }).append(
      $('<code>').text(`$${name}`),
      $('<span>', { class: 'stash-hint' }).text(type),
    );
    const input = $('<input>', { type: 'text' }).css('width', '100%').attr('data-variable', name).val(value);
    const pickers = pickersOf(variable, { value, type: saved });
    const types = typesOf(variable, saved, pickers, this.#server);
    const row = $('<div>', { class: 'stash-variable-row' }).append(label, $('<div>').append(input));
    // The widget measures its place in the page.
    setTimeout(() => {
      const first = saved || firstOf(types);
      showTypedInput(input, { types, type: first, pickers, label: `$${name}`, bare: UNSET });
    });
    return row;
  }

  #keepEntered(): void {
    for (const element of this.#container.find('[data-variable]').get()) {
      const input = $(element);
      const name = input.attr('data-variable') ?? '';
      // The widget appears a moment later.
      if (input.next('.red-ui-typedInput-container').length === 0) continue;
      this.#entered.set(name, {
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
  saved: string,
  pickers: readonly Picker[],
  server: SelectedServer,
): OfferedType[] {
  const unset = { value: UNSET, label: words('query:variables.unset'), hasValue: false };
  const own = ownTypeOf(type, namedType, choices);
  // A text is offered for what may be a scalar of any form.
  const known = [
    ...(isRequired ? [] : [unset]),
    own,
    ...pickers.map((picker) => picker.typeFor(server, () => `$${name}`)),
    ...SOURCES,
    ...(own === 'json' ? [] : ['json' as const]),
  ];
  const names = known.map((one) => (typeof one === 'object' ? one.value : one));
  return names.includes(saved) || saved === '' ? known : [...known, saved as EditorWidgetTypedInputType];
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
