import { messageTypes } from '../../contract/trial';
import { nameTypedInput } from '../rows';
import { words } from '../words';

/** The value of a property of a message. An empty property stands for the whole message. */
interface MessageValue {
  property: string;
  value: string;
  type: string;
}

/** JSONata may read any part of a message, so that needs an object. */
const WHOLE: MessageValue = { property: '', value: '{"payload": ""}', type: 'json' };

/** Shows an input for each property of a message that a dialog reads, and keeps what was entered while one is gone. */
export class MessageValues {
  readonly #container: JQuery;
  readonly #entered = new Map<string, MessageValue>();
  /** The last value in each row: that of a property whose name is being typed. */
  readonly #inRow: MessageValue[] = [];
  #shown: readonly string[] = [];

  /** @param firstOf returns the JSON with which the value of a property begins; undefined for a text. */
  constructor(
    container: JQuery,
    private readonly firstOf: (property: string) => string | undefined,
  ) {
    this.#container = container;
  }

  /** Shows the inputs for the properties of a dialog. Those that are shown already stay, because one may have the focus. */
  show(properties: Readonly<Record<string, unknown>>): void {
    const wanted = propertiesRead(properties);
    if (JSON.stringify(wanted) === JSON.stringify(this.#shown)) return;
    this.#keep();
    const values = wanted.map((property, index) => this.#valueOf(property, index));
    const last = this.#shown.length;
    // A new input announces its value, as a change of any other does.
    this.#shown = wanted;
    for (let index = last; index < wanted.length; index += 1) this.#addRow(index);
    this.#container.children().slice(wanted.length).remove();
    values.forEach(showRow);
  }

  /** Returns the values of the shown inputs; the whole message comes first. */
  values(): MessageValue[] {
    this.#keep();
    return this.#shown.map((property, index) => this.#valueOf(property, index));
  }

  #addRow(index: number): void {
    const id = idOfRow(index);
    const icon = $('<i>', { class: 'fa fa-envelope-o', 'aria-hidden': 'true' });
    const label = $('<label>', { for: id }).append(icon, ' ', $('<span>'));
    const input = $('<input>', { type: 'text', id }).css('width', '100%');
    const cell = $('<div>', { class: 'stash-value' }).append(input);
    // The widget measures its place in the page.
    this.#container.append($('<div>', { class: 'form-row' }).append(label, cell));
    input.typedInput({ types: [...messageTypes] });
  }

  #valueOf(property: string, index: number): MessageValue {
    if (property === '') return this.#entered.get(property) ?? WHOLE;
    const kept = this.#entered.get(property) ?? this.#inRow[index];
    const first = this.firstOf(property);
    const { value, type } = kept ?? { value: first ?? '', type: first === undefined ? 'str' : 'json' };
    return { property, value, type };
  }

  #keep(): void {
    for (const [index, property] of this.#shown.entries()) {
      const input = $(`#${idOfRow(index)}`);
      if (input.length === 0) continue;
      const kept = { property, value: input.typedInput('value'), type: input.typedInput('type') };
      this.#entered.set(property, kept);
      this.#inRow[index] = kept;
    }
  }
}

function idOfRow(index: number): string {
  return `stash-trial-value-${index}`;
}

/** Shows a value in the row at this place. */
function showRow({ property, value, type }: MessageValue, index: number): void {
  const input = $(`#${idOfRow(index)}`);
  const nameOf = (path: string) =>
    words('server:trial.value', { property: property === '' ? 'msg' : `msg.${path}` });
  const name = nameOf(property);
  const label = input.closest('.form-row').find('label span');
  // A long property breaks after a dot, but `msg.` stays with what it has.
  const text = nameOf(property.replace(/\./g, '.\u200b'));
  if (label.text() === text) return;
  label.text(text);
  input.typedInput('types', property === '' ? ['json'] : [...messageTypes]);
  input.typedInput('type', type);
  if (input.typedInput('value') !== value) input.typedInput('value', value);
  nameTypedInput(input, name);
}

/** Returns the properties of a message that the typed inputs of a dialog read, and those in its lists of rows. */
function propertiesRead(properties: Readonly<Record<string, unknown>>): string[] {
  const inputs = Object.entries(properties).flatMap(([name, type]) =>
    name.endsWith('Type') ? [{ type, value: properties[name.replace(/Type$/, '')] }] : [],
  );
  const rows = Object.values(properties).filter(Array.isArray).flat() as Record<string, unknown>[];
  const rowInputs = rows.map(({ value, type, valueType = type }) => ({ value, type: valueType }));
  const read = [...inputs, ...rowInputs].flatMap(({ type, value }) => {
    if (type === 'jsonata') return [''];
    return type === 'msg' && typeof value === 'string' && value !== '' ? [value] : [];
  });
  // The whole message first, so that the others complete it.
  return [...new Set(read)].sort((one, other) => Number(one !== '') - Number(other !== ''));
}
