import type { Call } from '../call';
import { StashError } from '../errors';
import type { Server } from '../server';
import { knownItems } from './known-items';

/** A longer list is not checked: all of its scenes count as known. */
const MOST_CHECKED = 100_000;

/** Items of the library that the user chose by their ids. */
export interface Chosen {
  /** The ids of those in the library, each once, in the given order. */
  known: readonly string[];
  /** How many others there are. */
  unknown: number;
}

/**
 * Finds out which scenes are in the library: of an unknown or repeated one, tasks fail or do nothing at all. All of them count
 * as known if the server does not tell.
 * @throws {StashError} as `Server.request`, except UNSUPPORTED and GRAPHQL.
 */
export async function chosenScenes(server: Server, given: readonly string[], call: Call): Promise<Chosen> {
  const ids = [...new Set(given)];
  if (ids.length > MOST_CHECKED) return { known: ids, unknown: 0 };
  try {
    const known = [...(await knownItems(server, 'scenes', ids, call)).keys()];
    return { known, unknown: ids.length - known.length };
  } catch (error) {
    if (!(error instanceof StashError && ['UNSUPPORTED', 'GRAPHQL'].includes(error.code))) throw error;
    return { known: ids, unknown: 0 };
  }
}
