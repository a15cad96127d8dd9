import { joinSentences } from '../../contract/sentences';
import type { EditorNode } from '../node-red';
import { words } from '../words';
import type { CapabilitiesState, SelectedServer } from './selected-server';

/** The nodes that do not work without the plugin and the log. */
const NEED_EVENTS = ['stash-changes', 'stash-player'];

/**
 * Shows below the selected server which release it is, or why this cannot be known, with a button that requests it again. The dialog of
 * a node that needs events of the server also says if there are none.
 */
export function showServerNote(node: EditorNode, server: SelectedServer): void {
  const isTrigger = node._def.inputs === 0;
  const title = words('server:capabilities.again');
  const icon = $('<i>', { class: 'fa fa-refresh', 'aria-hidden': 'true' });
  const text = $('<span>', { role: 'status' });
  const again = $('<button>', { type: 'button', class: 'stash-link', title, 'aria-label': title })
    .append(icon)
    .on('click', () => {
      server.requestAnew();
    });
  const note = $('<div>', { class: 'stash-server-note' }).append(text, again);
  $('#node-input-server').closest('.stash-value').append(note);
  server.follow((knowledge) => {
    note.toggle(knowledge.state !== 'none');
    icon.toggleClass('fa-spin', knowledge.state === 'requesting');
    text.attr(
      'class',
      knowledge.state === 'unknown' && !knowledge.isUndeployed ? 'stash-problem' : 'stash-hint',
    );
    text.text(serverNoteOf(knowledge, NEED_EVENTS.includes(node.type), isTrigger));
  });
}

function serverNoteOf(knowledge: CapabilitiesState, needsEvents: boolean, isTrigger: boolean): string {
  switch (knowledge.state) {
    case 'none':
      return '';
    case 'requesting':
      return words('server:capabilities.asking');
    case 'unknown': {
      const { reason, isUndeployed } = knowledge;
      return isUndeployed ? reason : joinSentences(reason, words('server:capabilities.unknown'));
    }
    case 'known': {
      const { release, socket, hasPlugin } = knowledge.capabilities;
      const name =
        release === ''
          ? words('server:capabilities.nameless')
          : words('server:capabilities.release', { release });
      // Why a socket was refused may end, as a sign-in that fails.
      const isPolled = socket === false || socket === null;
      if (needsEvents && !hasPlugin) return `${name} – ${words('server:capabilities.needsPlugin')}`;
      if (needsEvents && isPolled) return `${name} – ${words('server:capabilities.needsSocket')}`;
      return isTrigger && isPolled ? `${name} – ${words('server:capabilities.polled')}` : name;
    }
  }
}
