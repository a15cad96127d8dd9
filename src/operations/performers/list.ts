import { JsonCache } from '../../async';
import { arrayOf, isRecord, isString, parsed } from '../../guards';
import { BUILTIN_SCRAPER, type Operation, type Schema, type SendThrottled, type Server } from '../../server';
import { normalized, tidy } from '../items';

/** The root field of today's servers, both for a list and for a page. */
export const SCRAPE_SINGLE = 'scrapeSinglePerformer';

/** The fields of a performer in a list: those that tell performers of the same name apart. */
const listedFields = ['name', 'url', 'disambiguation', 'gender', 'birthdate', 'country', 'aliases'] as const;

/** A performer in a site's list. A field that the scraper does not give is absent. */
export interface ListedPerformer extends Partial<Record<(typeof listedFields)[number], string>> {
  name: string;
}

/** A site's list of performers for a name, an alias, or a part of either. */
export interface PerformerList {
  /** The root field of the request. */
  operation: string;
  /** In the site's order. Entries that are the same in all fields, with an address, are in it once. */
  listed: ListedPerformer[];
  /** Whether a name and its address may belong to different performers, so that none is certain (see `readList`). */
  isMixed: boolean;
  /** Fields whose values may belong to another performer, so that only the performer's page decides (see `readList`). */
  doubtful: (keyof ListedPerformer)[];
}

/** More performers than a site lists for a name. Further ones are left out. */
const MOST_LISTED = 2000;

/**
 * Returns the site's list for a name, from the cache or from the server. The cache key is the name, because a list for a
 * part of it may be incomplete, and the identity of the server, so that wrong credentials are never hidden.
 * @param maxAge the oldest cached list to accept, in minutes; 0 for none.
 * @param send sends for the look-up at the head of the queue. The look-up before it may have fetched the same list.
 * @throws {StashError} what `send` throws; UNSUPPORTED if the server cannot list performers.
 */
export async function fetchList(
  server: Pick<Server, 'identity'>,
  { name, source, maxAge }: { name: string; source: string; maxAge: number },
  send: SendThrottled,
): Promise<PerformerList> {
  const key = JSON.stringify([server.identity, source, normalized(name)]);
  const cached = cache.get(key, maxAge * 60_000);
  if (cached) return cached;
  const list = await send((schema) => listOperation(schema, tidy(name), source));
  cache.set(key, list);
  return list;
}

/**
 * Lives as long as the process, outside the config nodes, so that a redeploy repeats no request to a site. Has room for
 * the lists of some thousand names, in at most 8 MB.
 */
const cache = new JsonCache<PerformerList>(4_000_000);

function listOperation(schema: Schema, query: string, source: string): Operation<PerformerList> {
  if (source === '' && schema.has('Query', 'scrapeSitePerformerList')) return documented(query);
  const fields = listedFields.filter((field) => schema.has('ScrapedPerformer', field)).join(' ');
  // Otherwise a list without names would seem to be empty.
  if (!schema.has('ScrapedPerformer', 'name')) throw schema.lacks('ScrapedPerformer.name');
  const scraper_id = source || BUILTIN_SCRAPER;
  if (schema.has('Query', SCRAPE_SINGLE)) {
    return scrapeSingle(scraper_id, { query }, fields, readList(SCRAPE_SINGLE, schema));
  }
  if (schema.has('Query', 'scrapePerformerList')) {
    const operation = 'scrapePerformerList';
    return {
      rootField: operation,
      document: `query ($scraper_id: ID!, $query: String!) {
        scrapePerformerList(scraper_id: $scraper_id, query: $query) { ${fields} }
      }`,
      variables: { scraper_id, query },
      read: readList(operation, schema),
    };
  }
  throw schema.lacks(SCRAPE_SINGLE, 'v0.10.0');
}

/**
 * Builds the operation for `scrapeSinglePerformer`.
 * @param input `query` for a list, `performer_input` for a page.
 * @param fields the selection, as text.
 */
export function scrapeSingle<Result>(
  scraper_id: string,
  input: Readonly<Record<string, unknown>>,
  fields: string,
  read: Operation<Result>['read'],
): Operation<Result> {
  return {
    rootField: SCRAPE_SINGLE,
    document: `query ($source: ScraperSourceInput!, $input: ScrapeSinglePerformerInput!) {
      scrapeSinglePerformer(source: $source, input: $input) { ${fields} }
    }`,
    variables: { source: { scraper_id }, input },
    read,
  };
}

/** Builds the operation of the interface document (part 4), whose list consists of names only. */
function documented(query: string): Operation<PerformerList> {
  const operation = 'scrapeSitePerformerList';
  return {
    rootField: operation,
    document: 'query ($query: String!) { scrapeSitePerformerList(query: $query) }',
    variables: { query },
    read: parsed(arrayOf(isString), (names) => ({
      operation,
      listed: names.slice(0, MOST_LISTED).map((name) => ({ name })),
      isMixed: false,
      doubtful: [],
    })),
  };
}

/**
 * Returns a function that reads a list and finds out which of its values can be trusted.
 *
 * Before v0.12.0, which removed `scrapeFreeones`, servers dropped repeated values within a field. All later values moved up
 * to another performer, and the last performers had none (seen on v0.11.0). On such a server only a field that
 * every performer has is right. If names or addresses moved, the list is mixed.
 *
 * Later servers keep repeated values, but a scraper that reads a page still fills each field from the top, even if a
 * performer in between has no value (seen on v0.30.1). A field that only the first performers have is therefore doubtful.
 *
 * A performer without a name cannot be looked up and is left out.
 */
function readList(operation: string, schema: Schema): (value: unknown) => PerformerList {
  const shifts = schema.has('Query', 'scrapeFreeones');
  return parsed(arrayOf(isRecord), (all) => {
    const performers = all.slice(0, MOST_LISTED);
    const has = (field: string) => performers.filter((one) => hasText(one[field])).length;
    // Performers that were cut off may lack any field.
    const isWhole = performers.length === all.length;
    const mayLack = (field: string) => has(field) > 0 && (!isWhole || has(field) < performers.length);
    const isShifted = (field: string) => shifts && mayLack(field);
    const isMixed = isShifted('name') || isShifted('url');
    const trusted = listedFields.filter((field) => field === 'name' || !(isMixed || isShifted(field)));
    const named = performers.filter(({ name }) => hasText(name));
    const listed = named.map((performer) => {
      const values = trusted.map((field) => [field, performer[field]] as const);
      return Object.fromEntries(values.filter(([, value]) => hasText(value))) as unknown as ListedPerformer;
    });
    const areFirst = (field: string) => performers.slice(0, has(field)).every((one) => hasText(one[field]));
    const doubtful = (['name', 'url', 'aliases'] as const).filter(
      (field) => mayLack(field) && areFirst(field),
    );
    return { operation, listed: withoutDuplicates(listed), isMixed, doubtful };
  });
}

function hasText(value: unknown): value is string {
  return isString(value) && value !== '';
}

/** Removes repeated performers. Two without an address may be different people, so both stay. */
function withoutDuplicates(listed: readonly ListedPerformer[]): ListedPerformer[] {
  const seen = new Set<string>();
  return listed.filter((one) => {
    const text = JSON.stringify(one);
    const isRepeated = one.url !== undefined && seen.has(text);
    seen.add(text);
    return !isRepeated;
  });
}
