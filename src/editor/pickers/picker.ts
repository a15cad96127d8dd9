import type { EditorWidgetTypedInputTypeDefinition } from 'node-red';
import { isFilled } from '../../contract/values';
import type { EditorNode, TypeWithControl, Value } from '../node-red';
import type { SelectedServer } from '../server';
import { textsAndNumbersIn, textsIn } from '../values';
import { type Key, words } from '../words';
import { Combobox } from './combobox';
import type { EntrySource } from './entries';

/** A type of a typed input whose value people choose by name, instead of typing it. */
export interface Picker {
  /** The name of the type in the flow file. */
  type: string;
  isMultiple: boolean;
  /** Returns what its values are, such as the IDs of scenes, if that can change in an open dialog. */
  of?: () => string;
  /** Returns whether a value, saved or in an open dialog, is valid. By default, something has to be chosen. */
  isValid?: (value: Value, node: EditorNode) => boolean | string;
  /** Returns the chosen values in the value of the input. */
  read: (value: string) => string[];
  /** Returns the value of the input for the chosen values. It may fill in further inputs. */
  write: (values: readonly string[]) => string;
  /** Returns a chosen value as other types have it, if not as the same text, and what another type has as a value to choose. */
  toOther?: (value: string) => string | number;
  fromOther?: (entered: string | number) => string;
  /**
   * Returns the type for Node-RED's typed input, in which people choose from what a server has.
   * @param label returns the accessible name of the control.
   */
  typeFor: (server: SelectedServer, label: () => string) => EditorWidgetTypedInputTypeDefinition;
}

/** Reads and writes one chosen text. */
export const oneText: Pick<Picker, 'isMultiple' | 'read' | 'write'> = {
  isMultiple: false,
  read: (value) => (value.trim() === '' ? [] : [value]),
  write: ([value = '']) => value,
};

/** Reads and writes a JSON list of chosen texts. */
export const severalTexts: Pick<Picker, 'isMultiple' | 'read' | 'write'> = {
  isMultiple: true,
  read: textsIn,
  write: (values) => (values.length === 0 ? '' : JSON.stringify(values)),
};

/**
 * Keeps what was entered in a typed input apart for each picker, and for all other types together: Node-RED has one value for all of
 * them. What was entered as text becomes the first choice in a picker, and the other way round.
 * @returns a function to call when the values of a picker are something else: the other ones are kept apart, too.
 */
export function keepValues(input: JQuery, pickers: readonly Picker[], bare?: string): () => void {
  const pickerOf = (type: string) => pickers.find((picker) => picker.type === type);
  const kept = new Map<string, string>();
  const keyOf = (picker?: Picker) => (picker ? `${picker.type} ${picker.of?.() ?? ''}` : '');
  let last = input.typedInput('type');
  let key = keyOf(pickerOf(last));
  const keep = () => {
    if (last !== bare) kept.set(key, input.typedInput('value'));
  };
  keep();
  input.on('change', () => {
    // Node-RED changes the type first, and tells it only then.
    if (input.typedInput('type') === last) keep();
  });
  input.on('typedinputtypechange', (_event, type: string) => {
    const [from, to] = [pickerOf(last), pickerOf(type)];
    const [before, former] = [last, key];
    last = type;
    key = keyOf(to);
    if (type === bare || (from === to && before !== bare)) return;
    const value = kept.get(key) ?? adopted(kept.get(former) ?? '', from, to, [before, type]);
    if (value !== input.typedInput('value')) input.typedInput('value', value);
  });
  return () => {
    const now = keyOf(pickerOf(last));
    if (now === key) return;
    key = now;
    input.typedInput('value', kept.get(now) ?? '');
  };
}

/** Returns the value for another type, where the same can be meant; otherwise an empty one. */
function adopted(
  value: string,
  from: Picker | undefined,
  to: Picker | undefined,
  [before, after]: readonly [string, string],
): string {
  const { toOther = String } = from ?? {};
  const entered = from ? from.read(value).map((one) => toOther(one)) : enteredIn(value, before);
  if (to) {
    const { fromOther = String } = to;
    return entered.length > 1 && !to.isMultiple ? '' : to.write(entered.map((one) => fromOther(one)));
  }
  if (after === 'json' && from?.isMultiple)
    return from.toOther && entered.length > 0 ? JSON.stringify(entered) : value;
  const [text = '', ...others] = entered;
  return after === 'str' && others.length === 0 && typeof text === 'string' ? text : '';
}

/** Returns the texts, and in JSON the numbers, that were entered with a type. */
function enteredIn(value: string, type: string): (string | number)[] {
  if (type === 'json') return textsAndNumbersIn(value);
  return type === 'str' && isFilled(value) ? [value.trim()] : [];
}

/** What a picker offers, and how its type looks. */
interface Offer {
  label: Key;
  /** The icon, as a class of Font Awesome. */
  icon: string;
  source: (server: SelectedServer) => EntrySource;
}

/** Returns a picker that shows a combobox in the place of the input. */
export function comboboxPicker({ label, icon, source, ...picker }: Omit<Picker, 'typeFor'> & Offer): Picker {
  return {
    ...picker,
    typeFor: (server, nameOfControl): TypeWithControl => ({
      value: picker.type,
      label: words(label),
      icon: `fa ${icon}`,
      valueLabel(container: JQuery, value: unknown) {
        const input = container.siblings('.red-ui-typedInput-input-wrap').find('.red-ui-typedInput-input');
        const combobox = new Combobox({
          label: nameOfControl(),
          isMultiple: picker.isMultiple,
          values: picker.read(isFilled(value) ? value : ''),
          source: source(server),
          // Not by `typedInput('value')`, which would make another combobox, without the focus.
          onChange: (values) => input.val(picker.write(values)).trigger('change'),
        });
        container.append(combobox.element);
        clearFocusRing(container.closest('.red-ui-typedInput-container'));
        const selected = () => JSON.stringify(server.reference);
        let last = selected();
        const end = server.follow(({ state }) => {
          if (last !== selected()) combobox.clearCache();
          last = selected();
          if (state !== 'requesting') combobox.refresh();
        });
        combobox.element.on('remove', end);
      },
    }),
  };
}

/** Node-RED's widget removes its own ring only when the focus leaves the input, in whose place a picker is. */
function clearFocusRing(widget: JQuery): void {
  widget.off('focusout.stash').on('focusout.stash', ({ currentTarget, relatedTarget }) => {
    if ((currentTarget as Element).contains(relatedTarget as Element | null)) return;
    widget.removeClass('red-ui-typedInput-focus');
  });
}

/** Returns a type of a typed input for one text that people enter, such as an address. */
export function enteredType({
  type,
  label,
  icon,
  invalid,
}: Pick<Picker, 'type'> & Omit<Offer, 'source'> & { invalid: Key }): Picker {
  const isValid = (value: Value) => isFilled(value) || words(invalid);
  return {
    type,
    ...oneText,
    isValid,
    typeFor: () => ({ value: type, label: words(label), icon: `fa ${icon}` }),
  };
}
