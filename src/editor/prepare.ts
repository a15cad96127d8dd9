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
  ($('.stash-form') as Translatable).i18n();
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
      const label = words(`server:button.${action}`, { field });
      $(`#${prefix}btn-${name}-${action}`)
        .attr({ role: 'button', tabindex: '0', 'aria-label': label })
        .on('keydown', function ({ key }) {
          if (key !== 'Enter' && key !== ' ') return true;
          $(this).trigger('click');
          return false;
        });
    }
  }
}
