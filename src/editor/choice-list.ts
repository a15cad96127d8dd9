import { words } from './words';

/** Shows the options of a `<select multiple>` as a group of checkboxes. The select keeps the value. */
export function showChoices(select: JQuery): void {
  const label = $(`label[for="${select.attr('id') ?? ''}"]`);
  const list = $('<div>', { class: 'stash-choices-columns' });
  const options = select.find('option').get();
  const boxes = options.map((option) => {
    const box = $('<input>', { type: 'checkbox' }).prop('checked', option.selected);
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
        for (const box of boxes) box.prop('checked', which === 'all');
        select.find('option').prop('selected', which === 'all');
        select.trigger('change');
      });
  const all = $('<div>', { class: 'stash-choices-all' }).append(button('all'), button('none'));
  const group = $('<div>', { class: 'stash-choices', role: 'group', 'aria-label': label.text().trim() });
  select.hide().after(group.append(all, list));
}
