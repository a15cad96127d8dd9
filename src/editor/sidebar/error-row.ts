import type { RecentErrorView } from '../../contract/activity';
import { sentenceOf, words } from '../words';
import { clock, NodeLink, setText } from './elements';
import type { Row } from '../keyed-list';

/** One error that a node has reported. */
export class ErrorRow implements Row<RecentErrorView> {
  readonly element: HTMLElement;
  readonly #toHere: (at: number) => number;
  readonly #time = $('<time>');
  readonly #node = new NodeLink();
  readonly #count = $('<span>');
  readonly #sentence = $('<div>', { class: 'stash-error-sentence' });

  /** @param toHere converts a time of the runtime to one of this computer. */
  constructor(toHere: (at: number) => number) {
    this.#toHere = toHere;
    const head = $('<div>', { class: 'stash-error-head' }).append(
      this.#time,
      this.#node.element,
      this.#count,
    );
    this.element = $('<li>', { class: 'stash-error' }).append(head, this.#sentence).get(0) as HTMLElement;
  }

  show({ at, node, type, count, error }: RecentErrorView): void {
    setText(this.#time, clock(this.#toHere(at)));
    this.#time.attr('datetime', new Date(at).toISOString());
    this.#node.show(node);
    setText(this.#count, count > 1 ? `× ${count}` : '');
    setText(this.#sentence, error ? sentenceOf(error, type) : words('server:sidebar.errors.bug'));
  }
}
