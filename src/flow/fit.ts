/** As much of a text from outside as there is room for, in one line and without what is not seen. */
export function fit(text: string, room: number): string {
  // What is not looked at stands behind a thousand characters that nobody sees.
  const seen = text
    .slice(0, 1000)
    .replace(/\p{C}+/gu, ' ')
    .trim();
  // Half a character may be left at the end.
  return seen
    .slice(0, room)
    .replace(/\p{Cs}/u, '')
    .trim();
}
