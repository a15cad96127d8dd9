import { words } from '../words';

/** Shows the chosen values, each with a button that removes it. */
export class Chips {
  readonly element = $('<ul>', { class: 'stash-chips' });

  /**
   * @param label the accessible name.
   * @param onRemove called with the value whose button was pressed.
   */
  constructor(label: string, onRemove: (value: string) => void) {
    this.element.attr('aria-label', label).on('click', 'button', (event) => {
      // The rest of the control opens the list.
      event.stopPropagation();
      const [chip] = $(event.currentTarget as HTMLElement)
        .closest('li')
        .get();
      onRemove(chip?.dataset['value'] ?? '');
    });
  }

  /** Shows these values. The elements of those that are shown already stay, because one may have the focus. */
  show(
    chips: readonly {
      value: string;
      text: string;
      /** The server does not have it. */
      isMissing: boolean;
    }[],
  ): void {
    const shown = this.element.children().get();
    const isShown = (value: string) => (chip: HTMLElement) => chip.dataset['value'] === value;
    for (const chip of shown) if (!chips.some(({ value }) => isShown(value)(chip))) chip.remove();
    for (const { value, text, isMissing } of chips) {
      const chip = $(shown.find(isShown(value)) ?? this.#add(value));
      chip.children('.stash-chip-text').attr('title', text).text(text);
      chip.children('.stash-gone').text(isMissing ? words('server:picker.gone') : '');
      chip.children('button').attr('aria-label', words('server:picker.remove', { name: text }));
    }
    this.element.toggle(chips.length > 0);
  }

  /** Adds a value at the end, where a new choice is. */
  #add(value: string): HTMLElement {
    const icon = $('<i>', { class: 'fa fa-times', 'aria-hidden': 'true' });
    const remove = $('<button>', { type: 'button', class: 'stash-chip-remove' }).append(icon);
    const text = $('<span>', { class: 'stash-chip-text' });
    const mark = $('<span>', { class: 'stash-gone' });
    const chip = $('<li>', { class: 'stash-chip' }).attr('data-value', value);
    return chip.append(text, mark, remove).appendTo(this.element)[0] as HTMLElement;
  }
}
