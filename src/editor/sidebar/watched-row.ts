import type { WatchedView } from '../../contract/activity';
import { picturePath } from '../../contract/pictures';
import { duration } from '../../contract/units';
import type { Row } from '../keyed-list';
import { pictureAt } from '../pickers';
import { words } from '../words';
import { setText } from './elements';

/** The longest wait for a picture, in milliseconds. */
const LONGEST = 15_000;

let count = 0;

/** A scene that is being watched: its picture, its title, which opens it in Stash, and where its viewer is. */
export class WatchedRow implements Row<WatchedView> {
  readonly element: HTMLElement;
  readonly #title: JQuery;
  readonly #position = $('<span>', { class: 'stash-watched-position' });
  readonly #bar: JQuery;

  /** @param server the ID of its node. */
  constructor(server: string, { id }: WatchedView) {
    const label = `stash-watched-${++count}`;
    this.#title = $('<a>', { id: label, target: '_blank', rel: 'noopener noreferrer' });
    this.#bar = $('<progress>', { 'aria-labelledby': label });
    const picture = $('<div>', { class: 'stash-watched-picture' });
    const facts = $('<div>').append(this.#title, this.#position, this.#bar);
    const row = $('<li>', { class: 'stash-watched' }).append(picture, facts);
    this.element = row.get(0) as HTMLElement;
    const load = pictureAt({ id: server }, picturePath({ kind: 'scene', id }));
    void load(AbortSignal.timeout(LONGEST)).then((content) => {
      if (content) picture.append(imageOf(content));
    });
  }

  show({ title, url, position, seconds, player, isPaused }: WatchedView): void {
    setText(this.#title, title);
    this.#title.attr('href', url);
    const place = [position, ...(seconds === null ? [] : [seconds])].map((one) => duration(one)).join(' / ');
    const state = isPaused ? words('server:sidebar.paused') : '';
    setText(this.#position, [place, state, player].filter((part) => part !== '').join(' · '));
    this.#bar.prop('hidden', seconds === null).attr({ max: seconds ?? 1, value: position });
  }
}

/** Returns an element for a picture, which stays in memory only as long as the element. */
function imageOf(content: Blob): JQuery {
  const address = URL.createObjectURL(content);
  return $('<img>', { alt: '', src: address }).on('load error', ({ type, target }) => {
    URL.revokeObjectURL(address);
    if (type === 'error') $(target as Element).remove();
  });
}
