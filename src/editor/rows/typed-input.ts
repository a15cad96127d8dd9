import type { EditorWidgetTypedInputType, EditorWidgetTypedInputTypeDefinition } from 'node-red';
import { isAbsolutePath } from '../../contract/server';
import { isFilled, isVariable } from '../../contract/values';
import { type EditorNode, inputOf, type NodeProperty } from '../node-red';
import { keepValues, type Picker } from '../pickers';
import type { SelectedServer } from '../server';
import { listOf, shortened, textsIn } from '../values';
import { type Key, words } from '../words';
import { type Check, validator } from './validators';

interface TypedInputOptions {
  /** Value and type in a new node. The value is empty unless given. */
  value?: string;
  type: string;
  types?: readonly EditorWidgetTypedInputType[];
  /** Further types, whose values people choose by name. They come first. */
  pickers?: readonly Picker[];
  /** A further type, which has no value. Without a label the menu does not offer it: `use` switches to it. */
  bare?: { type: string; label?: Key };
  /** The reason to show for a wrong value if neither Node-RED nor its type has one; by default, something has to be chosen. */
  invalid?: Key;
}

interface ItemCheck {
  /** The check of a value, or of each item of a JSON list; a pattern is for it as JSON. */
  item: RegExp | ((item: unknown) => boolean);
  /** Whether a JSON list may have only one item. */
  isSingle?: boolean;
  /** Whether the value has an effect; always, by default. */
  isUsed?: (node: EditorNode) => boolean;
}

const TYPES = ['msg', 'flow', 'global', 'str', 'json', 'env', 'jsonata'] as const;

/** The types whose value is the name of a property. */
const PROPERTY_TYPES: readonly string[] = ['msg', 'flow', 'global'];

/** An input with a choice of types, which Node-RED saves as the properties `<name>` and `<name>Type`. */
export class TypedInput {
  /** The name under which the input in the dialog has its instance as data. */
  static readonly DATA = 'stash-typed-input';

  readonly value: NodeProperty;
  readonly type: NodeProperty;
  /** Shows the values of its pickers again, because they are something else now. */
  update = (): void => undefined;

  constructor(
    private readonly name: string,
    private readonly options: TypedInputOptions & (ItemCheck | { check: Check }),
  ) {
    const { value = '', type, invalid = 'server:picker.none' } = options;
    const check = 'check' in options ? options.check : this.checkOf(value, options);
    this.value = { value, validate: validator(invalid, this.withPickers(check)) };
    this.type = { value: type };
  }

  /**
   * Makes a typed input of the input in the dialog.
   * @param server from which the entries of its pickers come.
   */
  show(server: SelectedServer): void {
    const { type, types = TYPES, pickers = [], bare } = this.options;
    const isHidden = bare !== undefined && !bare.label;
    const typeField = $(`#node-input-${this.name}Type`);
    const saved = String(typeField.val());
    const offered = [
      ...(bare?.label ? [{ value: bare.type, label: words(bare.label), hasValue: false }] : []),
      ...pickers.map((picker) => picker.typeFor(server, () => this.label)),
      ...types,
    ];
    const input = $(`#node-input-${this.name}`).typedInput({
      types: isHidden && saved === bare.type ? offered : withSaved(offered, saved),
      default: isHidden ? (pickers[0]?.type ?? types[0]) : type,
      typeField: `#node-input-${this.name}Type`,
    });
    input.data(TypedInput.DATA, this);
    if (pickers.length > 0) this.update = keepValues(input, pickers, bare?.type);
    // The widget replaces a type that it does not offer.
    if (isHidden && saved === bare.type) typeField.val(saved);
    nameTypedInput(input, this.label);
  }

  /** The text of the row's label. */
  private get label(): string {
    return $(`label[for="node-input-${this.name}"]`).text().trim();
  }

  /**
   * Switches between the type without a value and those with one, where the dialog offers that as a choice of its own.
   * @param first the value if nothing was entered yet, unless people choose it by name.
   */
  use(isUsed: boolean, first = ''): void {
    const { bare } = this.options;
    const input = $(`#node-input-${this.name}`);
    const typeField = $(`#node-input-${this.name}Type`);
    if (!isUsed) typeField.val(bare?.type ?? '');
    else if (typeField.val() === bare?.type) {
      // The widget still has the type from before, or its default.
      const type = input.typedInput('type');
      input.typedInput('type', type);
      typeField.val(type);
      if (!isFilled(input.val()) && !this.pickerOf(type)) input.typedInput('value', first);
    }
    input.trigger('change');
  }

  /**
   * Returns the saved value as a node's label shows it; empty for the default and for a type without a value.
   * @param format shortens a text, or each text of a JSON list.
   */
  shownIn(node: EditorNode, format = (text: string) => text): string {
    const type = (node[`${this.name}Type`] ?? this.options.type) as string;
    const value = node[this.name] ?? this.options.value;
    const isDefault = type === this.options.type && value === this.options.value;
    if (isDefault || type === this.options.bare?.type || !isFilled(value)) return '';
    const picker = this.pickerOf(type);
    if (picker) return shortened(picker.read(value).map(format).join(', '));
    switch (type) {
      case 'str':
        return shortened(format(value));
      case 'json':
        return shortened(textsIn(value).map(format).join(', '));
      case 'env':
        return shortened(isVariable(value) ? value : `\${${value}}`);
      case 'jsonata':
        return shortened(value);
      default:
        return shortened(`${type}.${value}`);
    }
  }

  /** Returns whether its type in the open dialog is one with a value. */
  isUsed(): boolean {
    return $(`#node-input-${this.name}Type`).val() !== this.options.bare?.type;
  }

  /** Returns whether its type is one with a value. */
  isUsedIn(node: EditorNode): boolean {
    return this.typeIn(node) !== this.options.bare?.type;
  }

  /** Returns its type: the one in an open dialog, otherwise the saved one. */
  typeIn(node: EditorNode): string {
    const property = `${this.name}Type`;
    return (inputOf(node, property).val() || node[property] || this.options.type) as string;
  }

  private pickerOf(type: string): Picker | undefined {
    return this.options.pickers?.find((picker) => picker.type === type);
  }

  /** Returns the same check, but for a value that was chosen. */
  private withPickers(check: Check): Check {
    return (given, node, options) => {
      const picker = this.pickerOf(this.typeIn(node));
      if (!picker) return check(given, node, options) || reasonOf(this.typeIn(node));
      if ('isUsed' in this.options && !this.options.isUsed(node)) return true;
      if (picker.isValid) return picker.isValid(given, node);
      return (isFilled(given) && picker.read(given).length > 0) || words('server:picker.none');
    };
  }

  private checkOf(preset: string, { item, isUsed, isSingle }: ItemCheck): Check {
    return (given, node, options) => {
      const value = given === undefined ? preset : given;
      const type = this.typeIn(node);
      if (isUsed?.(node) === false || type === this.options.bare?.type) return true;
      if (!isFilled(value)) return false;
      // Node-RED takes a path for the name of a property.
      if (PROPERTY_TYPES.includes(type) && isAbsolutePath(value)) return false;
      const valid = RED.validators.typedInput({ type }).call(node, value, options);
      if (valid !== true || !['str', 'json'].includes(type) || isVariable(value)) return valid;
      const items = type === 'json' ? listOf(value) : [value];
      const isValid = item instanceof RegExp ? (one: unknown) => item.test(JSON.stringify(one)) : item;
      return items.length > 0 && !(isSingle && items.length > 1) && items.every(isValid);
    };
  }
}

/** Returns what to enter for a type whose values come from elsewhere; `false` for the others. */
function reasonOf(type: string): string | false {
  if (PROPERTY_TYPES.includes(type)) return words('server:invalid.property', { type });
  if (type === 'env') return words('server:invalid.env');
  return type === 'jsonata' && words('server:invalid.jsonata');
}

/** A type that Node-RED knows, or one of our own. */
export type OfferedType = EditorWidgetTypedInputType | EditorWidgetTypedInputTypeDefinition;

/** The types whose values come from elsewhere. */
export const SOURCES: readonly OfferedType[] = ['msg', 'flow', 'global', 'env', 'jsonata'];

/** Returns the name of the first of some types. */
export function firstOf([first]: readonly OfferedType[]): string {
  return typeof first === 'object' ? first.value : String(first);
}

const NODE_RED_TYPES: readonly string[] =
  'msg flow global str num bool json re date jsonata bin env node cred'.split(' ');

/** Adds the saved type, if it is none of those that are offered: a newer version may know it. Its value is a text here. */
function withSaved(offered: readonly OfferedType[], saved: string): OfferedType[] {
  if (saved === '' || offered.some((one) => firstOf([one]) === saved)) return [...offered];
  const isNodeRed = NODE_RED_TYPES.includes(saved);
  return [...offered, isNodeRed ? (saved as EditorWidgetTypedInputType) : { value: saved, label: saved }];
}

interface RowInput {
  types: OfferedType[];
  type: string;
  pickers: readonly Picker[];
  label: string;
  /** The type without a value. */
  bare?: string;
}

/** Makes a typed input of an input in a list of rows, which is no property of the node. */
export function showTypedInput(input: JQuery, { types, type, pickers, label, bare }: RowInput): void {
  input.typedInput({ types: withSaved(types, type), default: type });
  input.typedInput('type', type);
  keepValues(input, pickers, bare);
  nameTypedInput(input, label);
}

/** Labels the controls of the widget: the label of the row belongs to the input, which the widget hides. */
export function nameTypedInput(input: JQuery, label: string): void {
  const controls = input.next('.red-ui-typedInput-container');
  controls.find('.red-ui-typedInput-input').attr('aria-label', label);
  controls
    .find('.red-ui-typedInput-type-select')
    .attr('aria-label', words('server:button.type', { field: label }));
  controls
    .find('.red-ui-typedInput-option-expand')
    .attr('aria-label', words('server:button.edit', { field: label }));
}
