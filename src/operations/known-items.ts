import type { Call } from '../call';
import type { Server } from '../server';
import { pathOf, selectionOfPath } from './item-paths';
import { type ItemKind, itemsById, kinds } from './items-by-id';

/** Items in one request. */
const BATCH = 200;

/**
 * Returns those of the items that are in the library, in the given order, each with its path.
 * @param ids without repetitions.
 * @throws {StashError} as `Server.request`.
 */
export async function knownItems(
  server: Server,
  kind: ItemKind,
  ids: readonly string[],
  call: Call,
): Promise<Map<string, string | null>> {
  const known = new Map<string, string | null>();
  const { type } = kinds[kind];
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    const found = await itemsById(
      server,
      kind,
      batch,
      (schema) => `id ${selectionOfPath(schema, type)}`,
      call,
    );
    for (const [id, item] of found) known.set(id, pathOf(item));
  }
  return known;
}
