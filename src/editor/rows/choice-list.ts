import { words } from '../words';

/**
 * Shows the options of a `<select multiple>` as a group of checkboxes, those of an `<optgroup>` in a closed part of it. The
 * select keeps the value.
 */
export function showChoices(select: JQuery): void {
  const label = $(`label[for="${select.attr('id') ?? ''}"]`);
  const choices = select
    .find('option')
    .get()
    .map((option) => {
      const box = $('<input>', { type: 'checkbox', 'data-choice': option.value });
      box.prop('checked', option.selected).on('change', () => {
        option.selected = box.is(':checked');
        select.trigger('change');
      });
      return { option, box };
    });
  const listOf = (parent: JQuery) => {
    const own = choices.filter(({ option }) => parent.is($(option).parent()));
    const labels = own.map(({ option, box }) =>
      $('<label>', { title: option.value }).append(box, $('<span>').text(option.text)),
    );
    return $('<div>', { class: 'stash-choices-columns' }).append(labels);
  };
  const parts = select
    .children('optgroup')
    .get()
    .map((part) => $('<details>').append($('<summary>').text(part.label), listOf($(part))));
  const button = (which: 'all' | 'none') =>
    $('<button>', { type: 'button', class: 'stash-link' })
      .text(words(`server:choices.${which}`))
      .on('click', () => {
        const isTicked = which === 'all';
        for (const { option, box } of choices) {
          // All that the server has.
          if (isTicked && box.is(':disabled')) continue;
          box.prop('checked', isTicked);
          option.selected = isTicked;
        }
        select.trigger('change');
      });
  const all = $('<div>', { class: 'stash-choices-all' }).append(button('all'), button('none'));
  const group = $('<div>', { class: 'stash-choices', role: 'group', 'aria-label': label.text().trim() });
  select.hide().after(group.append(all, listOf(select), parts));
}
