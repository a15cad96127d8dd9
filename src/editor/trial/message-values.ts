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

  constructor(container: JQuery) {
    this.#container = container;
  }

  /** Shows the inputs for the properties of a dialog. Those that are shown already stay as they are. */
  show(properties: Readonly<Record<string, unknown>>): void {
    const wanted = propertiesRead(properties);
    if (JSON.stringify(wanted) === JSON.stringify(this.#shown)) return;
    this.#keep();
    this.#shown = wanted;
    this.#container.empty();
    for (const [index, property] of wanted.entries()) this.#addRow(property, index);
  }

  /** Returns the values of the shown inputs; the whole message comes first. */
  values(): MessageValue[] {
    this.#keep();
    return this.#shown.map((property, index) => this.#valueOf(property, index));
  }

  #addRow(property: string, index: number): void {
    const id = `stash-trial-value-${index}`;
    const name = words('server:trial.value', { property: property === '' ? 'msg' : `msg.${property}` });
    const { value, type } = this.#valueOf(property, index);
    const icon = $('<i>', { class: 'fa fa-envelope-o', 'aria-hidden': 'true' });
    // A long property breaks after a dot.
    const text = $('<span>').text(name.replace(/\./g, '.\u200b'));
    const label = $('<label>', { for: id }).append(icon, ' ', text);
    const input = $('<input>', { type: 'text', id }).css('width', '100%').val(value);
    const cell = $('<div>', { class: 'stash-value' }).append(input);
    // The widget measures its place in the page.
    this.#container.append($('<div>', { class: 'form-row' }).append(label, cell));
    input.typedInput({ types: property === '' ? ['json'] : [...messageTypes], default: type });
    input.typedInput('type', type);
    nameTypedInput(input, name);
  }

  #valueOf(property: string, index: number): MessageValue {
    if (property === '') return this.#entered.get(property) ?? WHOLE;
    const { value, type } = this.#entered.get(property) ?? this.#inRow[index] ?? { value: '', type: 'str' };
    return { property, value, type };
  }

  #keep(): void {
    for (const [index, property] of this.#shown.entries()) {
      const input = $(`#stash-trial-value-${index}`);
      const kept = { property, value: input.typedInput('value'), type: input.typedInput('type') };
      this.#entered.set(property, kept);
      this.#inRow[index] = kept;
    }
  }
}

/** Returns the properties of a message that the typed inputs of a dialog read, and those in its lists of rows. */
function propertiesRead(properties: Readonly<Record<string, unknown>>): string[] {
  const inputs = Object.entries(properties).flatMap(([name, type]) =>
    name.endsWith('Type') ? [{ type, value: properties[name.replace(/Type$/, '')] }] : [],
  );
  const rows = Object.values(properties).filter(Array.isArray).flat() as Partial<MessageValue>[];
  const read = [...inputs, ...rows].flatMap(({ type, value }) => {
    if (type === 'jsonata') return [''];
    return type === 'msg' && typeof value === 'string' && value !== '' ? [value] : [];
  });
  // The whole message first, so that the others complete it.
  return [...new Set(read)].sort((one, other) => Number(one !== '') - Number(other !== ''));
}
