import { isFilled } from '../../contract/values';
import type { SelectedServer } from '../server';
import { type Key, words } from '../words';
import { Combobox } from './combobox';
import type { EntrySource } from './entries';
import type { Picker } from './picker';

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
    typeFor: (server, nameOfControl) => ({
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
        let { id } = server;
        const end = server.follow(({ state }) => {
          if (id !== server.id) combobox.forget();
          ({ id } = server);
          if (state !== 'asking') combobox.refresh();
        });
        combobox.element.on('remove', end);
      },
    }),
  };
}
