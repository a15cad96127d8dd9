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

/** Whether the user may change something in the tab. The runtime checks it as well. */
export function mayAct(): boolean {
  return RED.user.hasPermission('stash-server.write');
}

/** Formats a time of day in the language of the editor, with the date unless it is today. */
export function clock(at: number): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  const date = isToday ? {} : ({ day: 'numeric', month: 'short' } as const);
  return time.toLocaleString(RED.i18n.lang(), { ...date, hour: '2-digit', minute: '2-digit' });
}

/** Formats milliseconds in one unit, as in "3 min". The unit symbols are the same in all languages. */
export function roughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
