import type { Server } from '../../server';

/** The longest text that a dialog shows, in UTF-16 units. */
const LONGEST_SHOWN = 100;

/** The longest value that a dialog offers, in UTF-16 units. An entry with a longer one is left out: cut, it is another value. */
const LONGEST_VALUE = 4096;

/** Returns a text of the server as a dialog shows it: without secrets, and cut. */
export function shownText(server: Server, text: string, longest = LONGEST_SHOWN): string {
  // Half a character may be left at the end.
  return server
    .redact(text)
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '');
}

/** Returns whether a dialog can offer a text of the server as a value, which the flow file then has as it is. */
export function isSelectable(text: string): boolean {
  return text !== '' && text.length <= LONGEST_VALUE;
}
