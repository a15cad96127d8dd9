import { wordsOf } from './criteria';
import type { Quirks } from './quirks';

/**
 * Returns whether one of the texts fits what somebody searches for. Each word has to be in one of them, a minus sign excludes a
 * word, `or` stands between alternatives, and quotes make one word of several. On an older server one of the words is enough, and
 * a quote at either end makes one word of everything.
 */
export function fitsSearch(texts: readonly string[], search: string, { needsAllWords }: Quirks): boolean {
  if (!needsAllWords) return wordsOf(search.toLowerCase()).some((word) => isIn(texts, word));
  const words = [...search.toLowerCase().matchAll(/(-?)"([^"]*)"|(-?)([^\s"]+)/g)].map(
    ([, minus = '', phrase, sign = minus, word = phrase ?? '']) => ({
      isExcluded: sign === '-',
      isOr: phrase === undefined && word === 'or',
      word,
    }),
  );
  const isFound = (word: string) => isIn(texts, word);
  const at = words.findIndex(({ isOr }, index) => isOr && index > 0 && index < words.length - 1);
  if (at > 0) return [words[at - 1], words[at + 1]].some((one) => isFound(one?.word ?? ''));
  return words.every(({ isExcluded, word }) => isFound(word) !== isExcluded);
}

function isIn(texts: readonly string[], word: string): boolean {
  return texts.some((text) => text.toLowerCase().includes(word));
}

interface Page {
  page?: number | null;
  per_page?: number | null;
}

/** Returns the entries on a page: 25 by default, all if the size is negative. */
export function pageOf<Item>(
  found: readonly Item[],
  { page, per_page }: Page,
  { limitsPages }: Quirks,
): readonly Item[] {
  const size = Math.min(per_page ?? 25, limitsPages ? 1000 : Infinity);
  const start = (Math.max(page ?? 1, 1) - 1) * size;
  return size < 0 ? found : found.slice(start, start + size);
}
