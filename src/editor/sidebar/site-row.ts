import type { SiteView } from '../../contract/activity';
import { roughDuration } from '../../contract/units';
import { words } from '../words';
import { clock, NodeLink, setText } from './elements';
import { KeyedList, type Row } from '../keyed-list';

/** A wait that is shown as a time of day, in milliseconds. A shorter one counts down. */
const LONG = 90_000;

/** The words for the time of the next request. */
const WAITING = {
  now: 'server:sidebar.sites.waiting',
  soon: 'server:sidebar.sites.waitingIn',
  later: 'server:sidebar.sites.waitingAt',
} as const;
const REFUSED = {
  now: 'server:sidebar.sites.refused',
  soon: 'server:sidebar.sites.refusedIn',
  later: 'server:sidebar.sites.refusedAt',
} as const;

type WaitingNode = SiteView['nodes'][number];

interface SiteRowOptions {
  /** Returns the time by the clock of the runtime. */
  now: () => number;
  /** Converts a time of the runtime to one of this computer. */
  toHere: (at: number) => number;
  /** Gets the focus when the element that had it is removed. */
  fallback: HTMLElement;
}

/** One external site: its state, and who waits for it. */
export class SiteRow implements Row<SiteView> {
  readonly element: HTMLElement;
  readonly #options: SiteRowOptions;
  readonly #name = $('<span>', { class: 'stash-site-name' });
  readonly #state = $('<span>', { class: 'stash-site-state' });
  readonly #waiting = $('<span>');
  readonly #nodes: KeyedList<WaitingNode>;

  constructor(options: SiteRowOptions) {
    this.#options = options;
    const nodes = $('<ul>', { class: 'stash-site-nodes' });
    this.#nodes = new KeyedList(nodes.get(0) as HTMLElement, {
      keyOf: ({ id }) => id,
      create: () => new WaitingNodeRow(),
      fallback: options.fallback,
    });
    const head = $('<div>', { class: 'stash-site-head' }).append(this.#name, this.#state);
    const row = $('<li>', { class: 'stash-site' }).append(head, this.#waiting, nodes);
    this.element = row.get(0) as HTMLElement;
  }

  show(site: SiteView): void {
    const { source, waiting, nodes } = site;
    setText(this.#name, source || words('server:picker.builtin'));
    setText(this.#state, this.#stateOf(site));
    this.#state.toggleClass('stash-warning', site.state === 'refused');
    setText(this.#waiting, words('server:sidebar.sites.count', { count: waiting }));
    // Work that no message has caused has no node.
    this.#nodes.show(nodes.filter(({ id }) => id !== ''));
  }

  #stateOf({ state, nextAt }: SiteView): string {
    if (state === 'asking') return words('server:sidebar.sites.asking');
    const keys = state === 'refused' ? REFUSED : WAITING;
    const wait = nextAt - this.#options.now();
    if (wait <= 0) return words(keys.now);
    if (wait <= LONG) return words(keys.soon, { time: roughDuration(Math.ceil(wait / 1000)) });
    return words(keys.later, { time: clock(this.#options.toHere(nextAt)) });
  }
}

/** A node in the queue of a site, with the number of its messages. */
class WaitingNodeRow implements Row<WaitingNode> {
  readonly element: HTMLElement;
  readonly #link = new NodeLink();
  readonly #count = $('<span>');

  constructor() {
    this.element = $('<li>').append(this.#link.element, this.#count).get(0) as HTMLElement;
  }

  show({ id, count }: WaitingNode): void {
    this.#link.show(id);
    setText(this.#count, count > 1 ? ` × ${count}` : '');
  }
}
