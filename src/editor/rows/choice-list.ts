import { words } from '../words';

/** Shows the options of a `<select multiple>` as a group of checkboxes. The select keeps the value. */
export function showChoices(select: JQuery): void {
  const label = $(`label[for="${select.attr('id') ?? ''}"]`);
  const list = $('<div>', { class: 'stash-choices-columns' });
  const options = select.find('option').get();
  const boxes = options.map((option) => {
    const box = $('<input>', { type: 'checkbox', 'data-choice': option.value }).prop(
      'checked',
      option.selected,
    );
    box.on('change', () => {
      option.selected = box.is(':checked');
      select.trigger('change');
    });
    $('<label>', { title: option.value }).append(box, $('<span>').text(option.text)).appendTo(list);
    return box;
  });
  const button = (which: 'all' | 'none') =>
    $('<button>', { type: 'button', class: 'stash-link' })
      .text(words(`server:choices.${which}`))
      .on('click', () => {
        const isTicked = which === 'all';
        for (const [index, box] of boxes.entries()) {
          // All that the server has.
          if (isTicked && box.is(':disabled')) continue;
          box.prop('checked', isTicked);
          $(options[index] ?? []).prop('selected', isTicked);
        }
        select.trigger('change');
      });
  const all = $('<div>', { class: 'stash-choices-all' }).append(button('all'), button('none'));
  const group = $('<div>', { class: 'stash-choices', role: 'group', 'aria-label': label.text().trim() });
  select.hide().after(group.append(all, list));
}
