import type { Call } from '../server/call';
import type { Schema } from '../server/schema';
import type { Question, Server } from '../server/server';
import { isRecord, isText, listOf, shaped } from '../server/shape';

/** The scraper of every release that leads to the site of the interface document. */
export const BUILTIN_SCRAPER = 'builtin_freeones';

/** What tells people of one name apart, as far as a scraper gives it in its list. */
const matchFields = ['name', 'url', 'disambiguation', 'gender', 'birthdate', 'country'] as const;

/** Somebody at the external site; only what the server told. */
export interface Match extends Partial<Record<(typeof matchFields)[number], string>> {
  name: string;
}

export interface Matches {
  operation: string;
  matches: Match[];
  /** Whether some share a name, and the server cannot tell who is who (see `readMatches`). */
  mixed: boolean;
}

export interface SearchInput {
  /** A name, an alias, or a part of either. */
  query: string;
  /** The id of one of the server's performer scrapers; empty for the built-in site. */
  source: string;
}

/** Who at the external site matches `query`. */
export async function searchPerformers(
  server: Server,
  { query, source }: SearchInput,
  call: Call,
): Promise<Matches> {
  return server.lookUp({ source, call }, (ask) => ask((schema) => question(schema, query, source)));
}

export function question(schema: Schema, query: string, source: string): Question<Matches> {
  if (source === '' && schema.has('Query', 'scrapeSitePerformerList')) return documented(query);
  const fields = matchFields.filter((field) => schema.has('ScrapedPerformer', field)).join(' ');
  const scraper_id = source || BUILTIN_SCRAPER;
  if (schema.has('Query', 'scrapeSinglePerformer')) {
    const operation = 'scrapeSinglePerformer';
    return {
      operation,
      document: `query ($source: ScraperSourceInput!, $input: ScrapeSinglePerformerInput!) {
        scrapeSinglePerformer(source: $source, input: $input) { ${fields} }
      }`,
      variables: { source: { scraper_id }, input: { query } },
      read: readMatches(operation, schema),
    };
  }
  if (schema.has('Query', 'scrapePerformerList')) {
    const operation = 'scrapePerformerList';
    return {
      operation,
      document: `query ($scraper_id: ID!, $query: String!) {
        scrapePerformerList(scraper_id: $scraper_id, query: $query) { ${fields} }
      }`,
      variables: { scraper_id, query },
      read: readMatches(operation, schema),
    };
  }
  throw schema.lacks(source === '' ? 'scrapeSitePerformerList' : 'scrapeSinglePerformer', 'v0.10.0');
}

/** As the interface document has it: the list holds just names. */
function documented(query: string): Question<Matches> {
  const operation = 'scrapeSitePerformerList';
  return {
    operation,
    document: 'query ($query: String!) { scrapeSitePerformerList(query: $query) }',
    variables: { query },
    read: shaped(listOf(isText), (names) => ({
      operation,
      matches: names.map((name) => ({ name })),
      mixed: false,
    })),
  };
}

/**
 * A script may list somebody without a name, who cannot be asked for. Before v0.12.0 (where `scrapeFreeones` went) it has
 * another reason: a name that several share was listed once, and each later name stood beside the address of somebody
 * else, the last one's of nobody (seen on v0.7.0 and v0.11.0). Then only the names are true.
 */
function readMatches(operation: string, schema: Schema): (value: unknown) => Matches {
  return shaped(listOf(isRecord), (performers) => {
    const named = performers.filter(({ name }) => isText(name) && name !== '');
    const mixed = named.length < performers.length && schema.has('Query', 'scrapeFreeones');
    const told = mixed ? (['name'] as const) : matchFields;
    const matches = named.map((performer) => {
      const known = told.map((field) => [field, performer[field]] as const);
      return Object.fromEntries(
        known.filter(([, value]) => isText(value) && value !== ''),
      ) as unknown as Match;
    });
    return { operation, matches, mixed };
  });
}
