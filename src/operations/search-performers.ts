import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isText, listOf } from '../server/shape';

/** The names at the external site that match `query`: a name, an alias, or a part of either. */
export async function searchPerformers(
  server: Server,
  { query }: { query: string },
  call: Call,
): Promise<{ operation: string; names: string[] }> {
  const operation = 'scrapeSitePerformerList';
  const names = await server.request({
    operation,
    document: 'query ($query: String!) { scrapeSitePerformerList(query: $query) }',
    variables: { query },
    shape: listOf(isText),
    kind: 'lookup',
    call,
  });
  return { operation, names };
}
