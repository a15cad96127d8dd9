import { arrayOf, isRecord, isString, parsed } from '../guards';
import type { Operation, Schema, SendThrottled, Server } from '../server';
import { normalized, tidy } from './performer-names';

/** The scraper of every release that leads to the site of the interface document. */
export const BUILTIN_SCRAPER = 'builtin_freeones';

/** The operation of today's servers, for the list and for a page alike. */
export const SCRAPE_SINGLE = 'scrapeSinglePerformer';

/** Whose turn a look-up waits for: the built-in site is the same under the name of its scraper. */
export function siteOf(source: string): string {
  return source === BUILTIN_SCRAPER ? '' : source;
}

/** What tells people of one name apart, as far as a scraper gives it in its list. */
const listedFields = ['name', 'url', 'disambiguation', 'gender', 'birthdate', 'country', 'aliases'] as const;

/** Somebody in the site's list; only what the server told. */
export interface ListedPerformer extends Partial<Record<(typeof listedFields)[number], string>> {
  name: string;
}

/** What the site lists for a name, an alias, or a part of either. */
export interface PerformerList {
  /** The root field of the request. */
  operation: string;
  /** In the site's order. Who stands there twice, with one address and the same in everything, is in it once. */
  listed: ListedPerformer[];
  /** Whether some share a name or an address, and the server cannot tell who is who (see `readList`). */
  isMixed: boolean;
  /** What may stand beside somebody else in it, so that only a page tells whose it is (see `readList`). */
  doubtful: (keyof ListedPerformer)[];
  /** Before v0.7.0 a failure of the site comes as an empty list. */
  mayBeFailure: boolean;
}

/** More than a site lists for a name; what comes after them in its list is left out. */
const MOST_LISTED = 2000;

interface ListInput {
  name: string;
  /** The id of one of the server's performer scrapers; empty for the built-in site. */
  source: string;
  /** In minutes; a list that is remembered and not older is as good as a new one. None is for 0. */
  maxAge: number;
}

/**
 * What the site lists for a name. Only a list that was asked for this very name is remembered for it: in one for a part
 * of the name the site may have left somebody out. And only for who asks with the same credentials, so that wrong ones
 * are never passed over.
 * @param send belongs to a look-up at the head of its queue, because the one before may have fetched the same list.
 */
export async function fetchList(
  server: Pick<Server, 'identity'>,
  { name, source, maxAge }: ListInput,
  send: SendThrottled,
): Promise<PerformerList> {
  const key = JSON.stringify([server.identity, source, normalized(name)]);
  const known = cache.get(key, maxAge * 60_000);
  if (known) return known;
  const list = await send((schema) => listOperation(schema, tidy(name), source));
  if (!list.mayBeFailure) cache.set(key, list);
  return list;
}

/**
 * Lists as they were told, kept as text: whatever a flow does to one, it does to its own. Together they have at most so
 * many characters: those go that were not needed for the longest time.
 */
export class PerformerListCache {
  readonly #lists = new Map<string, { text: string; since: number }>();
  readonly #most: number;
  #characters = 0;

  constructor(most: number) {
    this.#most = most;
  }

  set(key: string, list: PerformerList): void {
    const text = JSON.stringify(list);
    if (key.length + text.length > this.#most) this.#take(key);
    else this.#put(key, text, performance.now());
    for (const oldest of this.#lists.keys()) {
      if (this.#characters <= this.#most) return;
      this.#take(oldest);
    }
  }

  /** The list under `key` if it is younger than that, in milliseconds. */
  get(key: string, maxAge: number): PerformerList | undefined {
    const found = this.#lists.get(key);
    if (!found || performance.now() - found.since >= maxAge) return undefined;
    this.#put(key, found.text, found.since);
    return JSON.parse(found.text) as PerformerList;
  }

  /** As the one that was needed last. */
  #put(key: string, text: string, since: number): void {
    this.#take(key);
    this.#lists.set(key, { text, since });
    this.#characters += key.length + text.length;
  }

  #take(key: string): void {
    const text = this.#lists.get(key)?.text;
    if (text === undefined) return;
    this.#lists.delete(key);
    this.#characters -= key.length + text.length;
  }
}

/**
 * For the life of the process, outside the config nodes, so that a redeploy makes no site answer twice. Enough for the
 * lists of some thousand names, and at most 8 MB.
 */
const cache = new PerformerListCache(4_000_000);

function listOperation(schema: Schema, query: string, source: string): Operation<PerformerList> {
  if (source === '' && schema.has('Query', 'scrapeSitePerformerList')) return documented(query);
  const fields = listedFields.filter((field) => schema.has('ScrapedPerformer', field)).join(' ');
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
  throw schema.lacks(source === '' ? 'scrapeSitePerformerList' : 'scrapeSinglePerformer', 'v0.10.0');
}

/**
 * One question for both: with a `query` as its input it gives the list, with a `performer_input` what is on a page.
 * @param scraper_id the id of the scraper.
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

/** As the interface document has it: the list holds just names. */
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
      mayBeFailure: false,
    })),
  };
}

/**
 * A script may list somebody without a name, who cannot be asked for. Before v0.12.0 (where `scrapeFreeones` went) it has
 * another reason: what several share, be it a name, an address or a date, was listed once, and what came after it stood
 * beside somebody else, the last ones had none (seen on v0.7.0 and v0.11.0). So there only what all have is true, and
 * without the names or the addresses nobody knows who is who. Later releases list repeated things as often as they are there, but
 * a scraper that reads a page still fills each column from the top, whoever lacks something (seen on v0.30.1): what only the first
 * ones have is theirs, or others'.
 */
function readList(operation: string, schema: Schema): (value: unknown) => PerformerList {
  const shifts = schema.has('Query', 'scrapeFreeones');
  return parsed(arrayOf(isRecord), (all) => {
    const performers = all.slice(0, MOST_LISTED);
    const has = (field: string) => performers.filter((one) => isFilled(one[field])).length;
    // Of a list that was cut it is not known what the others lack.
    const isWhole = performers.length === all.length;
    const mayLack = (field: string) => has(field) > 0 && (!isWhole || has(field) < performers.length);
    const isShifted = (field: string) => shifts && mayLack(field);
    const isMixed = isShifted('name') || isShifted('url');
    const told = listedFields.filter((field) => field === 'name' || !(isMixed || isShifted(field)));
    const named = performers.filter(({ name }) => isFilled(name));
    const listed = named.map((performer) => {
      const known = told.map((field) => [field, performer[field]] as const);
      return Object.fromEntries(known.filter(([, value]) => isFilled(value))) as unknown as ListedPerformer;
    });
    const areFirst = (field: string) => performers.slice(0, has(field)).every((one) => isFilled(one[field]));
    const doubtful = (['name', 'url', 'aliases'] as const).filter(
      (field) => mayLack(field) && areFirst(field),
    );
    const mayBeFailure = listed.length === 0 && !schema.has('Query', 'systemStatus');
    return { operation, listed: withoutDuplicates(listed), isMixed, doubtful, mayBeFailure };
  });
}

function isFilled(value: unknown): value is string {
  return isString(value) && value !== '';
}

/** Without those that are the same in everything; but of two without an address nobody knows whether they are one. */
function withoutDuplicates(listed: readonly ListedPerformer[]): ListedPerformer[] {
  const seen = new Set<string>();
  return listed.filter((one) => {
    const text = JSON.stringify(one);
    const isKnown = one.url !== undefined && seen.has(text);
    seen.add(text);
    return !isKnown;
  });
}
