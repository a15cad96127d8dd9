import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, parsed } from '../guards';
import type { Server } from '../server';

/** Scenes in one request, which takes a server a tenth of a second. */
const BATCH = 200;
/** A longer list is not checked: all of its scenes count as known. */
const MOST_CHECKED = 10_000;
/** The error of servers up to v0.17 for a scene that is not in the library; it fails the whole request. */
const UNKNOWN = 'no rows in result set';

/**
 * Returns the ids of the scenes that are in the library, in the given order; all ids if the server cannot say.
 * @param ids without repetitions.
 * @throws {StashError} as `Server.request`, except UNSUPPORTED and GRAPHQL.
 */
export async function knownScenes(server: Server, ids: readonly string[], call: Call): Promise<string[]> {
  if (ids.length > MOST_CHECKED) return [...ids];
  const known: string[] = [];
  try {
    for (let start = 0; start < ids.length; start += BATCH) {
      known.push(...(await knownOf(server, ids.slice(start, start + BATCH), call)));
    }
    return known;
  } catch (error) {
    if (!(error instanceof StashError && ['UNSUPPORTED', 'GRAPHQL'].includes(error.code))) throw error;
    return [...ids];
  }
}

/** Halves a list that fails because of an unknown scene until each unknown scene is alone. */
async function knownOf(server: Server, ids: readonly string[], call: Call): Promise<string[]> {
  try {
    return await findKnown(server, ids, call);
  } catch (error) {
    if (!(error instanceof StashError && String(error.details['text']).includes(UNKNOWN))) throw error;
    if (ids.length === 1) return [];
    const middle = Math.ceil(ids.length / 2);
    const halves = [ids.slice(0, middle), ids.slice(middle)];
    return (await Promise.all(halves.map((half) => knownOf(server, half, call)))).flat();
  }
}

/** Requests each scene in a field of its own, because `findScenes` fails if one of its ids is unknown. */
async function findKnown(server: Server, ids: readonly string[], call: Call): Promise<string[]> {
  const variables = Object.fromEntries(ids.map((id, index) => [`id${index}`, id]));
  const declared = ids.map((_, index) => `$id${index}: ID`).join(', ');
  const fields = ids.map((_, index) => `scene${index}: findScene(id: $id${index}) { id }`).join(' ');
  return server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('Query', 'findScene')) throw schema.lacks('findScene', null);
      return {
        rootField: 'findScene',
        document: `query (${declared}) { ${fields} }`,
        variables,
        isWhole: true,
        read: parsed(isRecord, (scenes) => ids.filter((_, index) => isRecord(scenes[`scene${index}`]))),
      };
    },
  });
}
