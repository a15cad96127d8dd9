import type { EditorNode } from '../node-red';
import { showRows } from './rows';
import type { TypedInput } from './typed-input';

/**
 * Offers several properties of the flow file as one choice: one of the parts of the library, or everything (`all`).
 * @param parts the property of each and the rows that it shows, by the values of the choice; the first one that is saved is chosen.
 * @param onChange called with each choice.
 * @returns a function that limits the choice to some of its values.
 */
export function prepareScope(
  node: EditorNode,
  parts: Readonly<Record<string, { input: TypedInput; rows: string }>>,
  onChange?: (chosen: string) => void,
): (offered: readonly string[]) => void {
  const select = $('#stash-scope');
  const [saved = 'all'] = Object.keys(parts).filter((name) => parts[name]?.input.isUsedIn(node));
  const update = () => {
    const chosen = String(select.val());
    for (const [name, { input, rows }] of Object.entries(parts)) {
      input.use(name === chosen, 'payload');
      showRows(node, $(rows), name === chosen);
    }
    onChange?.(chosen);
  };
  select.val(saved).on('change', update);
  update();
  return (offered) => {
    select.find('option').each((_index, option) => {
      // Safari shows a hidden option all the same.
      option.hidden = option.disabled = !offered.includes(option.value);
    });
    if (!offered.includes(String(select.val()))) select.val('all');
    $('#stash-scope-row').toggle(offered.length > 1);
    select.trigger('change');
  };
}
