import type { Call } from '../call';
import type { Server } from '../server';
import { fetchList, siteOf } from './performer-list';
import { type Candidate, rate } from './performer-match';

/** What a search comes to. */
export interface Matches {
  /** The root field of the request. */
  operation: string;
  /** In the site's order. */
  matches: Candidate[];
}

/** What one search asks for. */
export interface SearchInput {
  /** A name, an alias, or a part of either. */
  query: string;
  /** The id of one of the server's performer scrapers; empty for the built-in site. */
  source: string;
}

/**
 * Who at the external site matches `query`. Its list is asked each time, and remembered for `scrapePerformer`.
 * @throws {StashError} as `Server.lookUp` and the question in it; UNSUPPORTED where the server cannot search.
 */
export async function searchPerformers(
  server: Server,
  { query, source }: SearchInput,
  call: Call,
): Promise<Matches> {
  return server.lookUp({ source: siteOf(source), call }, async (send) => {
    const { operation, listed } = await fetchList(server, { name: query, source, maxAge: 0 }, send);
    return { operation, matches: rate(query, listed) };
  });
}
