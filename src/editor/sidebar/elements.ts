import { words } from '../words';

/** Sets the text of an element, unless it has it: a screen reader may read what changes, and a selection would be lost. */
export function setText(element: JQuery, text: string): void {
  if (element.text() !== text) element.text(text);
}

/** Shows an element only if it has a text. */
export function showText(element: JQuery, text: string): void {
  setText(element, text);
  element.prop('hidden', text === '');
}

/** Returns an icon of Font Awesome that screen readers skip. */
export function icon(name: string): JQuery {
  return $('<i>', { class: `fa fa-${name}`, 'aria-hidden': 'true' });
}

/** Whether the user may change something in the tab. The runtime checks it as well. */
export function mayAct(): boolean {
  return RED.user.hasPermission('stash-server.write');
}

/** Formats a time of day in the language of the editor, with the date unless it is today. */
export function clock(at: number): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  const date = isToday ? {} : ({ day: 'numeric', month: 'short' } as const);
  return time.toLocaleString(RED.i18n.lang(), { ...date, hour: '2-digit', minute: '2-digit' });
}

/** The name of a node, which shows the node in its flow. */
export class NodeLink {
  readonly element: JQuery;
  readonly #button: JQuery;
  readonly #text: JQuery;
  #id = '';

  constructor() {
    this.#button = $('<button>', { type: 'button', class: 'stash-link' }).on('click', () => {
      RED.view.reveal(this.#id);
    });
    this.#text = $('<span>');
    this.element = $('<span>', { class: 'stash-node' }).append(this.#button, this.#text);
  }

  /** @param id of the node, which may be deleted by now. */
  show(id: string): void {
    this.#id = id;
    const node = RED.nodes.node(id);
    const name = node ? RED.utils.getNodeLabel(node, node.type) : words('server:sidebar.unknownNode');
    const isThere = Boolean(node);
    setText(this.#button, isThere ? name : '');
    setText(this.#text, isThere ? '' : name);
    this.#button.prop('hidden', !isThere).attr('title', words('server:sidebar.reveal', { node: name }));
  }
}
