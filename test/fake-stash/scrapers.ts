import type { GraphQLResolveInfo } from 'graphql';
import type { Performer } from './performers';
import type { Quirks } from './quirks';
import type { Context } from './resolvers';
import { type Site, SiteError } from './site';

/** The parts of the server that the scrapers use. */
export interface ScraperState {
  readonly quirks: Quirks;
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  /** The site of the built-in scraper. */
  readonly site: Site;
  /** The site of an added scraper. */
  readonly localSite: Site;
}

interface Scraper {
  id: string;
  name: string;
  site: Site;
  /** Whether the list contains the address of the page. */
  givesUrl: boolean;
}

/** An entry of a list; null where the scraper finds nothing. */
type Hit = Readonly<Record<string, unknown>>;

/** The root field that needs the site, and the signal that aborts its request. */
interface SiteRequest {
  operation: string;
  until: AbortSignal | undefined;
}

type Fragment = Readonly<Record<string, unknown>> & { url?: string | null; urls?: string[] | null };
interface Input {
  query?: string | null;
  performer_input?: Fragment | null;
}

/** Returns the resolvers that use an external site. */
export function scraperResolvers(server: ScraperState) {
  const { quirks } = server;
  const all: Scraper[] = [
    { id: 'builtin_freeones', name: 'Freeones', site: server.site, givesUrl: true },
    { id: 'localtest', name: 'localtest', site: server.localSite, givesUrl: false },
  ];

  function find(id: string): Scraper {
    if (server.status === 'NEEDS_MIGRATION') throw new Error(quirks.noDatabase);
    const scraper = server.status === 'OK' && all.find((each) => each.id === id);
    if (scraper) return scraper;
    throw new Error(quirks.tellsScraper ? `scraper not found: id ${id}` : `Scraper with ID ${id} not found`);
  }

  /** Returns the result of a request, or throws its error in the words of the release. */
  async function ask<T>(prefix: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof SiteError)) throw error;
      const page = quirks.tellsPage ? `failed to load URL "${error.address}": ` : '';
      throw new Error(`${quirks.tellsScraper ? prefix : ''}${page}${error.message}`, { cause: error });
    }
  }

  function doing(what: 'name' | 'fragment', id: string): string {
    return `error while ${what} scraping with scraper ${id}: `;
  }

  async function search(id: string, query: string, request: SiteRequest): Promise<Hit[]> {
    const { site } = find(id);
    if (id === 'localtest' && query === '') return []; // the other site lists everybody for an empty text
    const { operation, until } = request;
    const found = await ask(doing('name', id), () => site.search(operation, query, until));
    const columns = site.listed.map((field) => {
      const column = found.map((performer) => performer[field] ?? null);
      return [field, quirks.mixesNames ? [...new Set(column)] : column] as const;
    });
    return found.map((_, index) => {
      const hit: Hit = Object.fromEntries(columns.map(([field, column]) => [field, column[index] ?? null]));
      return { ...hit, urls: hit['url'] ? [hit['url']] : null };
    });
  }

  /** Reads a performer from a page, whose address must be on the scraper's site. */
  async function read(id: string, { url, urls }: Fragment, request: SiteRequest): Promise<object | null> {
    const scraper = find(id);
    const address = url ?? urls?.[0];
    if (!address) {
      if (!quirks.tellsScraper) return null;
      throw new Error(`${doing('fragment', id)}scraper operation not supported`);
    }
    return isPageOf(scraper, address) ? await page(scraper, address, request, doing('fragment', id)) : null;
  }

  async function page(scraper: Scraper, address: string, { operation, until }: SiteRequest, prefix = '') {
    const found = await ask(prefix, () => scraper.site.open(operation, address, until));
    return describe(found, scraper, quirks);
  }

  /** Returns the context of a request to a site. */
  function siteRequest({ gone }: Context, { fieldName }: GraphQLResolveInfo): SiteRequest {
    return { operation: fieldName, until: quirks.cutsSiteCalls ? gone : undefined };
  }

  return {
    listPerformerScrapers: () => (server.status === 'SETUP' ? [] : all.map(listed)),
    listScrapers({ types }: { types: readonly string[] }) {
      return server.status === 'SETUP' || !types.includes('PERFORMER') ? [] : all.map(listed);
    },

    // Always null: the built-in scraper cannot look up a name.
    scrapeFreeones: () => null,
    async scrapeFreeonesPerformerList(
      { query }: { query: string },
      context: Context,
      info: GraphQLResolveInfo,
    ) {
      const found = await search('builtin_freeones', query, siteRequest(context, info));
      return found.map(({ name }) => name);
    },
    scrapePerformerList(
      { scraper_id, query }: { scraper_id: string; query: string },
      context: Context,
      info: GraphQLResolveInfo,
    ) {
      return search(scraper_id, query, siteRequest(context, info));
    },
    scrapePerformer(
      { scraper_id, scraped_performer }: { scraper_id: string; scraped_performer: Fragment },
      context: Context,
      info: GraphQLResolveInfo,
    ) {
      return read(scraper_id, scraped_performer, siteRequest(context, info));
    },
    async scrapeSinglePerformer(
      { source, input }: { source: { scraper_id?: string | null }; input: Input },
      context: Context,
      info: GraphQLResolveInfo,
    ) {
      const { scraper_id: id } = source;
      const { query, performer_input } = input;
      if (id === undefined || id === null) throw new Error('scraper_id or stash_box_index must be set');
      if (performer_input) {
        const found = await read(id, performer_input, siteRequest(context, info));
        return found ? [found] : [];
      }
      if (typeof query === 'string') return await search(id, query, siteRequest(context, info));
      throw new Error('not implemented');
    },
    scrapePerformerURL({ url }: { url: string }, context: Context, info: GraphQLResolveInfo) {
      const scraper = all.find((each) => isPageOf(each, url));
      if (scraper) return page(scraper, url, siteRequest(context, info));
      if (!quirks.tellsScraper) return null;
      throw new Error('Internal system error. Error <runtime error: index out of range [0] with length 0>');
    },
  };
}

function listed({ id, name, site }: Scraper) {
  return { id, name, performer: { urls: [site.host], supported_scrapes: ['NAME', 'URL'] } };
}

function isPageOf({ site }: Scraper, address: string): boolean {
  return address.includes(`${site.host}/`);
}

function describe(performer: Performer, { givesUrl }: Scraper, { minor }: Quirks): object {
  const { url, images, urls, ...attributes } = performer;
  const list = givesUrl && url !== null ? [url] : null;
  return {
    ...attributes,
    ...(minor >= 31 && careerOf(attributes.career_length)),
    url: givesUrl ? url : null,
    urls: list,
    ...(urls && minor >= 27 && { url: urls[0], urls, twitter: null, instagram: null }),
    image: images?.[0],
    images,
  };
}

/** Returns the years of a career, which scrapers of older sites give as one text. */
function careerOf(length: string | null) {
  const [, career_start = null, career_end = null] = /^(\d{4})(?: - (\d{4})?)?/.exec(length ?? '') ?? [];
  return { career_start, career_end };
}
