import { fillDefaults } from './defaults';
import type { EditorNode } from './node-red';
import { showProblems } from './problems';
import { words } from './words';

const DOCS = 'https://github.com/stash-flows/node-red-stash/blob/main/docs/nodes';

/** The plugin of jQuery that Node-RED translates dialogs with. */
type Translatable = JQuery & { i18n(): void };

/**
 * Prepares a dialog: what all dialogs of this package have in common, around what `own` adds.
 * @param prefix what the ids of its inputs start with.
 */
export function prepareDialog(node: EditorNode, prefix: string, own: () => void): void {
  // Node-RED translates the dialog only later, and some texts are read before.
  const form = $('.stash-form') as Translatable;
  form.attr('lang', RED.i18n.lang()).i18n();
  fillDefaults(node, prefix);
  linkDocs(node.type);
  own();
  prepareConfigNodeButtons(node, prefix);
  showProblems(node, prefix);
}

function linkDocs(type: string): void {
  const link = $('<a>', {
    class: 'stash-docs',
    href: `${DOCS}/${type.replace('stash-', '')}.md`,
    target: '_blank',
    rel: 'noopener noreferrer',
  });
  const icon = $('<i>', { class: 'fa fa-external-link', 'aria-hidden': 'true' });
  $('.stash-form')
    .last()
    .prepend(link.append(document.createTextNode(`${words('server:link.docs')} `), icon));
}

/** Lets the keyboard reach the buttons beside the choice of a config node, which Node-RED leaves to the mouse. */
function prepareConfigNodeButtons(node: EditorNode, prefix: string): void {
  for (const [name, { type }] of Object.entries(node._def.defaults)) {
    if (type === undefined) continue;
    const field = $(`label[for="${prefix}${name}"]`).text().trim();
    for (const action of ['edit', 'add'] as const) {
      const button = $(`#${prefix}btn-${name}-${action}`);
      button
        .attr({ role: 'button', 'aria-label': words(`server:button.${action}`, { field }) })
        .on('keydown', ({ key }) => {
          if (key !== 'Enter' && key !== ' ') return true;
          button.trigger('click');
          return false;
        });
      // There may be nothing to edit.
      const update = () => {
        const isDisabled = button.hasClass('disabled');
        button.attr({ tabindex: isDisabled ? -1 : 0, 'aria-disabled': String(isDisabled) });
      };
      $(`#${prefix}${name}`).on('change', update);
      update();
    }
  }
}
