import { StashError } from '../errors';
import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isRecord, shaped } from '../server/shape';

/** So many are asked for at once, which takes a server a tenth of a second. */
const AT_ONCE = 200;
/** Of more nobody is asked for; they are all taken to be known. */
const MOST_ASKED = 10_000;

/**
 * Those of these scenes that are in the library, in their order; all of them where the server cannot tell, as some releases
 * answer an error for one that is not.
 * @throws {StashError} as `request`, but not UNSUPPORTED and not GRAPHQL.
 */
export async function knownScenes(server: Server, ids: readonly string[], call: Call): Promise<string[]> {
  if (ids.length > MOST_ASKED) return [...ids];
  const known: string[] = [];
  try {
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      known.push(...(await askFor(server, ids.slice(start, start + AT_ONCE), call)));
    }
    return known;
  } catch (error) {
    if (!(error instanceof StashError && ['UNSUPPORTED', 'GRAPHQL'].includes(error.code))) throw error;
    return [...ids];
  }
}

/** One by one, since a question for several is answered with an error if one of them is unknown. */
async function askFor(server: Server, ids: readonly string[], call: Call): Promise<string[]> {
  const variables = Object.fromEntries(ids.map((id, index) => [`id${index}`, id]));
  const declared = ids.map((_, index) => `$id${index}: ID`).join(', ');
  const fields = ids.map((_, index) => `scene${index}: findScene(id: $id${index}) { id }`).join(' ');
  return server.request({
    kind: 'query',
    call,
    ask: (schema) => {
      if (!schema.has('Query', 'findScene')) throw schema.lacks('findScene', null);
      return {
        operation: 'findScene',
        document: `query (${declared}) { ${fields} }`,
        variables,
        isWhole: true,
        read: shaped(isRecord, (scenes) => ids.filter((_, index) => isRecord(scenes[`scene${index}`]))),
      };
    },
  });
}
