import type { EditorNode } from './node-red';
import { showRows } from './rows';
import type { TypedInput } from './typed-input';

/** A part of the library: everything, chosen items, or folders. */
export type Scope = 'all' | 'scenes' | 'folders';

/** The rows of a dialog for the part of the library. */
interface ScopeRows {
  sceneIDs: TypedInput;
  paths: TypedInput;
  /** Called with each choice. */
  onChange?: (chosen: Scope) => void;
}

/**
 * Offers two properties of the flow file as one choice.
 * @returns a function that limits the choice to some parts of the library.
 */
export function prepareScope(
  node: EditorNode,
  { sceneIDs, paths, onChange }: ScopeRows,
): (offered: readonly Scope[]) => void {
  const select = $('#stash-scope');
  const saved =
    sceneIDs.typeIn(node) !== 'all' ? 'scenes' : paths.typeIn(node) !== 'library' ? 'folders' : 'all';
  const update = () => {
    const chosen = select.val() as Scope;
    sceneIDs.use(chosen === 'scenes', 'payload');
    paths.use(chosen === 'folders', 'payload');
    showRows(node, $('#stash-scenes'), chosen === 'scenes');
    showRows(node, $('#stash-paths'), chosen === 'folders');
    onChange?.(chosen);
  };
  select.val(saved).on('change', update);
  update();
  return (offered) => {
    select.find('option').each((_index, option) => {
      const isOffered = offered.includes(option.value as Scope);
      // Safari shows a hidden option all the same.
      option.hidden = !isOffered;
      option.disabled = !isOffered;
    });
    if (!offered.includes(select.val() as Scope)) select.val('all');
    $('#stash-scope-row').toggle(offered.length > 1);
    select.trigger('change');
  };
}
