import type { Entry } from './entries';
import { Pictures } from './pictures';

/** The least distance from the edges of the window, and the least size, in pixels. */
const MARGIN = 8;
const LEAST_WIDTH = 240;
const LEAST_HEIGHT = 220;
const MOST_HEIGHT = 340;

/** How far inside of the combobox to look whether people see it, in pixels. */
const EDGE = 3;

/** How many entries a page has. */
const PAGE = 8;

/** How to move to another entry. */
export type Move = 'first' | 'last' | 'next' | 'previous' | 'nextPage' | 'previousPage';

let popups = 0;

/**
 * A list of entries above the page, so that no dialog cuts it off. The focus stays in the combobox, which refers to the active
 * entry by the ID of its element.
 */
export class Popup {
  readonly id = `stash-popup-${++popups}`;
  readonly #box: JQuery;
  readonly #list: JQuery;
  readonly #note: JQuery;
  readonly #sizes = new ResizeObserver(() => {
    this.#place();
  });
  #anchor: HTMLElement | undefined;
  #pictures: Pictures | undefined;
  #entries: readonly Entry[] = [];
  #active = -1;

  /** @param label the accessible name of the list. @param onPick called when an entry is clicked. */
  constructor(label: string, isMultiple: boolean, onPick: (entry: Entry) => void) {
    this.#list = $('<div>', { id: this.id, role: 'listbox', class: 'stash-popup-list' }).attr({
      'aria-label': label,
      'aria-multiselectable': String(isMultiple),
    });
    this.#note = $('<div>', { class: 'stash-popup-note' });
    this.#box = $('<div>', { class: 'stash-popup', lang: $('.stash-form').attr('lang') ?? '' })
      .append(this.#list, this.#note)
      // The combobox keeps the focus.
      .on('mousedown', (event) => {
        event.preventDefault();
      })
      .on('click', '[role="option"]', ({ currentTarget }) => {
        const entry = this.#entries[Number((currentTarget as HTMLElement).dataset['index'])];
        if (entry) onPick(entry);
      });
  }

  get isOpen(): boolean {
    return this.#anchor !== undefined;
  }

  /** The entry that the keyboard has moved to. */
  get active(): Entry | undefined {
    return this.#entries[this.#active];
  }

  /** The ID of the active entry's element; undefined if no entry is active. */
  get activeId(): string | undefined {
    return this.active && `${this.id}-${this.#active}`;
  }

  /** Opens beside an element, and follows it. */
  open(anchor: HTMLElement): void {
    this.#anchor = anchor;
    this.#pictures = new Pictures(this.#list[0] as HTMLElement);
    this.#box.appendTo(document.body);
    // A dialog scrolls without telling the window, and a text above the combobox may appear.
    document.addEventListener('scroll', this.#place, true);
    window.addEventListener('resize', this.#place);
    for (const element of [anchor, anchor.closest('form')]) if (element) this.#sizes.observe(element);
    this.#place();
  }

  close(): void {
    this.#anchor = undefined;
    document.removeEventListener('scroll', this.#place, true);
    window.removeEventListener('resize', this.#place);
    this.#sizes.disconnect();
    this.#pictures?.reset();
    this.#entries = [];
    this.#active = -1;
    this.#list.empty().hide();
    this.#box.detach();
  }

  /**
   * Shows entries.
   * @param chosen the values that are chosen.
   * @param note the text below the entries; empty for none.
   */
  show(entries: readonly Entry[], chosen: readonly string[], note: string): void {
    this.#pictures?.reset();
    this.#entries = entries;
    this.#active = -1;
    this.#list
      .empty()
      .removeClass('stash-waiting')
      .toggle(entries.length > 0);
    let parent = this.#list;
    entries.forEach((entry, index) => {
      const { group } = entry;
      if (group !== entries[index - 1]?.group) {
        parent = group === undefined ? this.#list : this.#group(group, index);
      }
      parent.append(this.#option(entry, index, chosen.includes(entry.value)));
    });
    this.#note.text(note);
    this.#place();
    entries.forEach(({ picture }, index) => {
      const [place] = this.#optionAt(index).find('.stash-option-picture').get();
      if (picture && place) this.#pictures?.add(place, picture);
    });
  }

  /** Greys the entries until others are there, and makes none of them the active one: they may no longer fit. */
  wait(note: string): void {
    this.#list.addClass('stash-waiting').find('.stash-active').removeClass('stash-active');
    this.#active = -1;
    this.#note.text(note);
    this.#place();
  }

  /** Marks the entries that are chosen. */
  mark(chosen: readonly string[]): void {
    this.#entries.forEach(({ value }, index) => {
      this.#optionAt(index).attr('aria-selected', String(chosen.includes(value)));
    });
  }

  /**
   * Moves to another entry: over the end to the first one, and back.
   * @returns false if there is none, or while the list waits for others.
   */
  move(how: Move): boolean {
    const { length } = this.#entries;
    if (length === 0 || this.#list.hasClass('stash-waiting')) return false;
    const last = length - 1;
    const from = this.#active;
    const to = {
      first: 0,
      last,
      next: from === last ? 0 : from + 1,
      previous: from <= 0 ? last : from - 1,
      nextPage: Math.min(from + PAGE, last),
      previousPage: Math.max(from - PAGE, 0),
    }[how];
    this.activate(to);
    return true;
  }

  /** Makes the entry at this place the active one. */
  activate(index: number): void {
    this.#list.find('.stash-active').removeClass('stash-active');
    this.#active = index;
    const option = this.#optionAt(index).addClass('stash-active')[0];
    option?.scrollIntoView({ block: 'nearest' });
  }

  #optionAt(index: number): JQuery {
    return this.#list.find(`#${this.id}-${index}`);
  }

  #group(name: string, index: number): JQuery {
    const id = `${this.id}-group-${index}`;
    return $('<div>', { role: 'group' })
      .attr('aria-labelledby', id)
      .append($('<div>', { id, class: 'stash-popup-group', role: 'presentation', text: name }))
      .appendTo(this.#list);
  }

  #option({ label, detail, picture }: Entry, index: number, isChosen: boolean): JQuery {
    const texts = $('<div>', { class: 'stash-option-texts' }).append(
      $('<div>', { text: label, title: label }),
    );
    if (detail) texts.append($('<div>', { class: 'stash-option-detail', text: detail, title: detail }));
    const check = $('<i>', { class: 'fa fa-check', 'aria-hidden': 'true' });
    const option = $('<div>', { id: `${this.id}-${index}`, role: 'option', class: 'stash-option' })
      .attr({ 'data-index': index, 'aria-selected': String(isChosen) })
      .append(texts, check);
    if (picture) option.prepend($('<span>', { class: 'stash-option-picture' }));
    return option;
  }

  /** Places the popup below its combobox, or above where there is more room. */
  readonly #place = () => {
    const anchor = this.#anchor;
    if (!anchor) return;
    const { left, top, bottom, width } = anchor.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const ownWidth = Math.min(Math.max(width, LEAST_WIDTH), clientWidth - 2 * MARGIN);
    const below = clientHeight - bottom - MARGIN;
    const above = top - MARGIN;
    const isBelow = below >= Math.min(LEAST_HEIGHT, above) || below >= above;
    this.#box.css({
      width: ownWidth,
      left: Math.max(MARGIN, Math.min(left, clientWidth - MARGIN - ownWidth)),
      maxHeight: Math.max(0, Math.min(isBelow ? below : above, MOST_HEIGHT)),
      // The dialog may have scrolled the combobox away.
      visibility: isSeen(anchor, left + width / 2, isBelow ? bottom - EDGE : top + EDGE)
        ? 'visible'
        : 'hidden',
      ...(isBelow ? { top: bottom, bottom: 'auto' } : { top: 'auto', bottom: clientHeight - top }),
    });
  };
}

/** Returns whether people see an element at a place in the window, or would without the popup. */
function isSeen(element: HTMLElement, x: number, y: number): boolean {
  const seen = document.elementsFromPoint(x, y).find((one) => !one.closest('.stash-popup'));
  return element.contains(seen ?? null);
}
