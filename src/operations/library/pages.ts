import { StashError } from '../../errors';

/** The size of a first page: as many items as most scans find. */
export const SMALL_PAGE = 100;

/** The largest page of all releases before v0.18. */
const LARGE_PAGE = 1000;

/**
 * Yields large pages of a list that is sorted by id, highest first, down to one that is not full. Items that come meanwhile
 * move others to a later page, where they appear again.
 * @param fetch fetches a page; pages count from 1.
 * @throws {StashError} TOO_LARGE if the server repeats a page; as `fetch`.
 */
export async function* largePages<Item>(
  fetch: (page: number, size: number) => Promise<readonly Item[]>,
  idOf: (item: Item) => number,
): AsyncGenerator<readonly Item[]> {
  let lowest = Infinity;
  for (let page = 1; ; page++) {
    const items = await fetch(page, LARGE_PAGE);
    yield items;
    const last = items.at(-1);
    if (items.length < LARGE_PAGE || last === undefined) return;
    // Otherwise the pages of a server that ignores their number would never end.
    if (!(idOf(last) < lowest)) throw new StashError('TOO_LARGE.answer');
    lowest = idOf(last);
  }
}
