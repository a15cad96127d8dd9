import type { WatchedView } from '../../contract/activity';
import { picturePath } from '../../contract/pictures';
import { duration } from '../../contract/units';
import type { Row } from '../keyed-list';
import { pictureAt } from '../pickers';
import { words } from '../words';
import { icon, mayAct, setText } from './elements';

/** The longest wait for a picture, in milliseconds. */
const LONGEST = 15_000;

let count = 0;

/** A scene that is being watched: its picture, its title, which opens it in Stash, where its viewer is, and a button that pauses it. */
export class WatchedRow implements Row<WatchedView> {
  readonly element: HTMLElement;
  readonly #title: JQuery;
  readonly #position = $('<span>', { class: 'stash-watched-position' });
  readonly #bar: JQuery;
  readonly #sign = icon('pause');
  readonly #button: JQuery;
  #scene: WatchedView;

  /**
   * @param server the ID of its node.
   * @param command pauses the film, or lets it go on.
   */
  constructor(server: string, scene: WatchedView, command: (scene: WatchedView) => Promise<void>) {
    const { id } = scene;
    this.#scene = scene;
    const label = `stash-watched-${++count}`;
    this.#title = $('<a>', { id: label, target: '_blank', rel: 'noopener noreferrer' });
    this.#bar = $('<progress>', { 'aria-labelledby': label });
    const picture = $('<div>', { class: 'stash-watched-picture' });
    this.#button = $('<button>', { type: 'button', class: 'red-ui-button red-ui-button-small' })
      .append(this.#sign)
      .on('click', () => {
        if (this.#button.attr('aria-disabled') === 'true') return;
        this.#button.attr('aria-disabled', 'true');
        void command(this.#scene).then(() => this.#button.attr('aria-disabled', 'false'));
      });
    const state = $('<div>', { class: 'stash-watched-state' }).append(this.#position, this.#button);
    const facts = $('<div>').append(this.#title, state, this.#bar);
    const row = $('<li>', { class: 'stash-watched' }).append(picture, facts);
    this.element = row.get(0) as HTMLElement;
    const load = pictureAt({ id: server }, picturePath({ kind: 'scene', id }));
    void load(AbortSignal.timeout(LONGEST)).then((content) => {
      if (content) picture.append(imageOf(content));
    });
  }

  show(scene: WatchedView): void {
    const { title, url, position, seconds, player, isPaused } = scene;
    this.#scene = scene;
    setText(this.#title, title);
    this.#title.attr('href', url);
    const place = [position, ...(seconds === null ? [] : [seconds])].map((one) => duration(one)).join(' / ');
    const state = isPaused ? words('server:sidebar.paused') : '';
    setText(this.#position, [place, state, player?.name].filter(Boolean).join(' · '));
    this.#sign.toggleClass('fa-pause', !isPaused).toggleClass('fa-play', isPaused);
    const what = words(isPaused ? 'server:sidebar.film.play' : 'server:sidebar.film.pause', { title });
    this.#button.prop('hidden', !player || !mayAct()).attr({ title: what, 'aria-label': what });
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
