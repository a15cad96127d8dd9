import type { EditorNode } from './node-red';
import { words } from './words';

/** The event of Node-RED's editor with which the dialog of a node asks for the way to the first server. */
export const SET_UP = 'stash-server:set-up';

/** Shows the way to the first server in the dialog of a node, as long as there is none to select. */
export function showSetUpLink(node: EditorNode): void {
  const select = $('#node-input-server');
  const link = $('<button>', { type: 'button', class: 'stash-link', id: 'stash-set-up' })
    .text(words('server:firstUse.link'))
    .on('click', () => {
      RED.events.emit(SET_UP, node);
    });
  select.closest('.stash-value').append(link);
  const update = () => {
    link.toggle(select.find('option').length < 2 && select.val() === '_ADD_');
  };
  select.on('change', update);
  update();
}
