import { words } from './words';

/** Shows the options of a `<select multiple>` as a list of checkboxes. The select keeps the value. */
export function showChoices(select: JQuery): void {
  const list = $('<div>', { class: 'stash-choices-list' });
  const options = select.find('option').get();
  const boxes = options.map((option) => {
    const box = $('<input>', { type: 'checkbox' }).prop('checked', option.selected);
    box.on('change', () => {
      option.selected = box.is(':checked');
      select.trigger('change');
    });
    $('<label>').append(box, document.createTextNode(option.text)).appendTo(list);
    return box;
  });
  const link = (text: string, checked: boolean) =>
    $('<a>', { href: '#' })
      .text(text)
      .on('click', (event) => {
        event.preventDefault();
        for (const box of boxes) box.prop('checked', checked);
        select.find('option').prop('selected', checked);
        select.trigger('change');
      });
  const all = $('<div>', { class: 'stash-choices-all' }).append(
    $('<span>', { class: 'stash-choices-none' }).text(words('server:choices.least')),
    link(words('server:choices.all'), true),
    link(words('server:choices.none'), false),
  );
  select.hide().after($('<div>', { class: 'stash-choices' }).append(all, list));
}
