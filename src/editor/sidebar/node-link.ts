import { words } from '../words';
import { setText } from './elements';

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
