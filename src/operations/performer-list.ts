import type { Schema } from '../server/schema';
import type { AskSite, Question } from '../server/server';
import { isRecord, isText, listOf, shaped } from '../server/shape';
import { tidy } from './performer-names';

/** The scraper of every release that leads to the site of the interface document. */
export const BUILTIN_SCRAPER = 'builtin_freeones';

/** What tells people of one name apart, as far as a scraper gives it in its list. */
const listedFields = ['name', 'url', 'disambiguation', 'gender', 'birthdate', 'country', 'aliases'] as const;

/** Somebody in the site's list; only what the server told. */
export interface Listed extends Partial<Record<(typeof listedFields)[number], string>> {
  name: string;
}

/** What the site lists for a name, an alias, or a part of either. */
export interface List {
  /** The root field that was asked. */
  operation: string;
  /** In the site's order. What it lists twice, the same in everything, is in it once. */
  listed: Listed[];
  /** Whether some share a name, and the server cannot tell who is who (see `readList`). */
  mixed: boolean;
}

/**
 * What the site lists for a name.
 * @param source the id of one of the server's performer scrapers; empty for the built-in site.
 */
export async function askList(name: string, source: string, ask: AskSite): Promise<List> {
  return ask((schema) => question(schema, tidy(name), source));
}

function question(schema: Schema, query: string, source: string): Question<List> {
  if (source === '' && schema.has('Query', 'scrapeSitePerformerList')) return documented(query);
  const fields = listedFields.filter((field) => schema.has('ScrapedPerformer', field)).join(' ');
  const scraper_id = source || BUILTIN_SCRAPER;
  if (schema.has('Query', 'scrapeSinglePerformer')) {
    const operation = 'scrapeSinglePerformer';
    return {
      operation,
      document: `query ($source: ScraperSourceInput!, $input: ScrapeSinglePerformerInput!) {
        scrapeSinglePerformer(source: $source, input: $input) { ${fields} }
      }`,
      variables: { source: { scraper_id }, input: { query } },
      read: readList(operation, schema),
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
      read: readList(operation, schema),
    };
  }
  throw schema.lacks(source === '' ? 'scrapeSitePerformerList' : 'scrapeSinglePerformer', 'v0.10.0');
}

/** As the interface document has it: the list holds just names. */
function documented(query: string): Question<List> {
  const operation = 'scrapeSitePerformerList';
  return {
    operation,
    document: 'query ($query: String!) { scrapeSitePerformerList(query: $query) }',
    variables: { query },
    read: shaped(listOf(isText), (names) => ({
      operation,
      listed: eachOnce(names.map((name) => ({ name }))),
      mixed: false,
    })),
  };
}

/**
 * A script may list somebody without a name, who cannot be asked for. Before v0.12.0 (where `scrapeFreeones` went) it has
 * another reason: a name that several share was listed once, and each later name stood beside the address of somebody
 * else, the last one's of nobody (seen on v0.7.0 and v0.11.0). Then only the names are true.
 */
function readList(operation: string, schema: Schema): (value: unknown) => List {
  return shaped(listOf(isRecord), (performers) => {
    const named = performers.filter(({ name }) => isText(name) && name !== '');
    const mixed = named.length < performers.length && schema.has('Query', 'scrapeFreeones');
    const told = mixed ? (['name'] as const) : listedFields;
    const listed = named.map((performer) => {
      const known = told.map((field) => [field, performer[field]] as const);
      return Object.fromEntries(
        known.filter(([, value]) => isText(value) && value !== ''),
      ) as unknown as Listed;
    });
    return { operation, listed: eachOnce(listed), mixed };
  });
}

function eachOnce(listed: readonly Listed[]): Listed[] {
  return [...new Map(listed.map((one) => [JSON.stringify(one), one])).values()];
}
