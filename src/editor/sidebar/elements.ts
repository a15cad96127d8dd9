/** Sets the text of an element, unless it has it: a screen reader may read what changes, and a selection would be lost. */
export function setText(element: JQuery, text: string): void {
  if (element.text() !== text) element.text(text);
}

/** Shows an element only if it has a text. */
export function showText(element: JQuery, text: string): void {
  setText(element, text);
  element.prop('hidden', text === '');
}

/** Returns an icon of Font Awesome that screen readers skip. */
export function icon(name: string): JQuery {
  return $('<i>', { class: `fa fa-${name}`, 'aria-hidden': 'true' });
}
