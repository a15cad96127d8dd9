import type { Call } from '../call';
import type { Server } from '../server';
import type { ItemKind } from './items-by-id';
import { libraryItems, type LibraryItem } from './library-items';
import { highestIds } from './newest-ids';

/** An item with its kind. */
export interface KindOfItem {
  kind: ItemKind;
  item: LibraryItem;
}

/** The latest items of a library. */
export interface LatestItems {
  /** By kind, the latest of each first. */
  items: KindOfItem[];
  /** How many items of the kinds the library has. */
  count: number;
  /** The fields that this server cannot give. */
  missing: string[];
}

/**
 * Returns the items that have come into the library last, of several kinds the latest one of each first, as `followNew` reports
 * them but without pictures. Changes no position.
 * @param most the most items.
 * @throws {StashError} as `highestIds` and `libraryItems`.
 */
export async function latestItems(
  server: Server,
  { kinds, most }: { kinds: readonly ItemKind[]; most: number },
  call: Call,
): Promise<LatestItems> {
  const found: { kind: ItemKind; ids: number[]; count: number }[] = [];
  for (const kind of kinds) found.push({ kind, ...(await highestIds(server, kind, most, call)) });
  const inTurn = Array.from({ length: most }, (_, index) =>
    found.flatMap(({ kind, ids }) => ids.slice(index, index + 1).map((id) => ({ kind, id: String(id) }))),
  );
  const chosen = inTurn.flat().slice(0, most);
  const items: KindOfItem[] = [];
  const missing = new Set<string>();
  for (const kind of kinds) {
    const ids = chosen.filter((one) => one.kind === kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    const told = await libraryItems(server, kind, ids, false, call);
    items.push(...told.items.map(({ item }) => ({ kind, item })));
    for (const field of told.missing) missing.add(field);
  }
  return { items, count: found.reduce((total, { count }) => total + count, 0), missing: [...missing] };
}
