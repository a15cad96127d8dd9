/** How many names a sentence has. */
const MOST = 3;

/**
 * Returns the first of some names for a sentence.
 * @param more adds how many more there are.
 */
export function firstNames(
  names: readonly string[],
  separator: string,
  more: (first: { names: string; count: number }) => string,
): string {
  const first = names.slice(0, MOST).join(separator);
  const count = names.length - MOST;
  return count > 0 ? more({ names: first, count }) : first;
}
