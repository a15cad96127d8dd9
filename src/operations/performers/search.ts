import type { Call } from '../../call';
import { type Server, siteOf } from '../../server';
import { fetchList } from './list';
import { type Candidate, rate } from './match';

export interface Matches {
  /** The root field of the request. */
  operation: string;
  /** All performers of the site's list, in its order. */
  matches: Candidate[];
}

/**
 * Searches for performers at the external site. Requests the list each time, and caches it for `scrapePerformer`.
 * @param query a name, an alias, or a part of either.
 * @param source the ID of one of the server's performer scrapers; empty for the built-in site.
 * @throws {StashError} as `Server.lookUp` and its request; UNSUPPORTED if the server cannot search.
 */
export async function searchPerformers(
  server: Server,
  { query, source }: { query: string; source: string },
  call: Call,
): Promise<Matches> {
  return await server.lookUp({ source: siteOf(source), call }, async (send) => {
    const { operation, listed } = await fetchList(server, { name: query, source, maxAge: 0 }, send);
    return { operation, matches: rate(query, listed) };
  });
}
