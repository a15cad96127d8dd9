import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, parsed } from '../guards';
import type { Server } from '../server';

/** So many are asked for at once, which takes a server a tenth of a second. */
const BATCH = 200;
/** Of more nobody is asked for; they are all taken to be known. */
const MOST_CHECKED = 10_000;
/** How servers up to v0.17 answer for a scene that is not in the library, and then for all that were asked for with it. */
const UNKNOWN = 'no rows in result set';

/**
 * Those of these scenes that are in the library, in their order; all of them where the server cannot tell.
 * @throws {StashError} as `request`, but not UNSUPPORTED and not GRAPHQL.
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

/** Halves those that are answered with an error, until the unknown ones stand alone. */
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

/** Each by itself, since `findScenes` answers an error if one of them is unknown. */
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
