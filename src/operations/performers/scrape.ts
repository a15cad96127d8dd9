import type { Call } from '../../call';
import type { performerFields } from '../../contract/performers';
import { arrayOf, isRecord, isString, nullable, parsed } from '../../guards';
import {
  BUILTIN_SCRAPER,
  fieldsOf,
  firstOf,
  type Operation,
  type Schema,
  select,
  type Selection,
  type Server,
  siteOf,
} from '../../server';
import { fetchList, type ListedPerformer, SCRAPE_SINGLE, scrapeSingle } from './list';
import { bestFirst, type Candidate, fitting, rate } from './match';
import { urlFieldOf } from './values';

type PerformerField = (typeof performerFields)[number];

/** What the dialog offers that not every release has. */
export const performerScrapeRequirements = fieldsOf('ScrapedPerformer', {
  disambiguation: 'v0.19.0',
  penis_length: 'v0.21.0',
  circumcised: 'v0.21.0',
  urls: 'v0.27.0',
  career_start: 'v0.31.0',
  career_end: 'v0.31.0',
});

/**
 * A performer with only the selected attributes; null for an attribute that the site does not have. All are texts except `urls`. The
 * picture is a data URL, or its address if the server has not fetched it.
 */
export type Performer = Partial<Record<PerformerField, string | readonly string[] | null>>;

/** A performer that the site has, from its list or from a message. */
interface SitePerformer {
  /** The name, as the site or the message spells it. */
  name: string;
  url?: string;
  /** The score of a candidate that a node sent. */
  score?: number;
}

/** The performer to look up: a name, or a candidate that a node sent or a flow made. */
export type WantedPerformer = string | SitePerformer;

/** Whom to look up, and what to return. */
export interface ScrapeInput {
  performer: WantedPerformer;
  fields: readonly PerformerField[];
  /** The id of one of the server's performer scrapers; empty for the built-in site. */
  source: string;
  /** The oldest cached list to accept, in minutes; 0 for none. */
  listMaxAge: number;
}

interface FoundPerformer {
  /** The root field of the last request. */
  operation: string;
  /** The name, as the site's list spells it. */
  name: string;
  /** Whether the given name is only an alias in the list. */
  byAlias: boolean;
  performer: Performer;
  /** Selected attributes that this server cannot give. */
  missing: PerformerField[];
}

/** No performer was found, or several. */
interface NotFound {
  /** The root field of the last request. */
  operation: string;
  /** AMBIGUOUS: several performers match, or the list and the page contradict each other. */
  reason: 'NOT_FOUND' | 'AMBIGUOUS';
  /** The performers of the site's list, best match first. */
  candidates: Candidate[];
  /** How many performers of the list have the name or alias. NOT_FOUND with 1 means that the performer's page is empty. */
  fitting: number;
}

/** The result of a look-up. Not finding a performer is a result, not an error. */
export type Scraped = FoundPerformer | NotFound;

interface ScrapedPage extends Pick<FoundPerformer, 'operation' | 'missing'> {
  /** The selected attributes; undefined for a page without a performer. */
  performer: Performer | undefined;
  /** The name and aliases on the page; the name is empty and the aliases absent if the page lacks them. */
  page: ListedPerformer;
}

/**
 * Looks up one performer at the external site. Requests the site's list first, and the attributes only of a name that is in
 * it exactly once (interface document, part 4, rule 1). Otherwise, or if the page contradicts the list, the result is
 * the candidates. A candidate, or a performer with an address, needs no list.
 * @throws {StashError} as `Server.lookUp` and its requests; UNSUPPORTED if the server cannot look up performers.
 */
export async function scrapePerformer(
  server: Server,
  { performer, fields, source, listMaxAge }: ScrapeInput,
  call: Call,
): Promise<Scraped> {
  return await server.lookUp({ source: siteOf(source), call }, async (send): Promise<Scraped> => {
    const open = (who: SitePerformer) => send((schema) => scrapeOperation(schema, who, fields, source));
    if (isSitePerformer(performer)) {
      const { operation, missing, performer: found } = await open(performer);
      return found
        ? { operation, name: performer.name, byAlias: false, performer: found, missing }
        : { operation, reason: 'NOT_FOUND', candidates: [], fitting: 1 };
    }
    const name = wantedName(performer);
    const list = await fetchList(server, { name, source, maxAge: listMaxAge }, send);
    const candidates = bestFirst(rate(name, list.listed));
    const fits = fitting(candidates);
    const [fit, ...others] = fits;
    const nobody = { operation: list.operation, candidates, fitting: fits.length };
    if (fit === undefined) return { ...nobody, reason: 'NOT_FOUND' };
    if (others.length > 0 || list.isMixed) return { ...nobody, reason: 'AMBIGUOUS' };
    const { operation, missing, performer: found, page } = await open(fit);
    if (!found) return { ...nobody, operation, reason: 'NOT_FOUND' };
    const byAlias = fit.reason === 'alias';
    const isDoubtful = list.doubtful.some((field) => field !== 'aliases' || byAlias);
    if (isDoubtful && fitting(rate(name, [page])).length === 0) {
      return { ...nobody, operation, reason: 'AMBIGUOUS' };
    }
    return { operation, name: fit.name, byAlias, performer: found, missing };
  });
}

/** Returns the name to look up, as it was given. */
export function wantedName(wanted: WantedPerformer): string {
  return typeof wanted === 'string' ? wanted : wanted.name;
}

/** Whether a performer comes from the site: a candidate, or one with an address. An object with only a name is no more than a name. */
function isSitePerformer(wanted: WantedPerformer): wanted is SitePerformer {
  return typeof wanted !== 'string' && (wanted.url !== undefined || wanted.score !== undefined);
}

/** How releases have the fields whose names have changed. */
const variants = {
  url: [{ name: 'url' }, { name: 'urls', read: firstOf }],
  picture: [
    { name: 'images', read: firstOf },
    { name: 'image', read: firstOf },
  ],
};

/**
 * Builds the operation for a page: that of the interface document (part 4) if the server has it, otherwise one that scrapes
 * the address from the list with the same scraper. Not `scrapeFreeones`: it has the documented shape, but every real
 * server returns null for it.
 */
function scrapeOperation(
  schema: Schema,
  chosen: SitePerformer,
  fields: readonly PerformerField[],
  source: string,
): Operation<ScrapedPage> {
  const selection = select(schema, 'ScrapedPerformer', fields, variants);
  const { text } = selection;
  if (source === '' && schema.has('Query', 'scrapeSite')) {
    const operation = 'scrapeSite';
    return {
      rootField: operation,
      document: `query ($performer_name: String!) { scrapeSite(performer_name: $performer_name) { ${text} } }`,
      variables: { performer_name: chosen.name },
      read: parsed(nullable(isRecord), (one) => pageOf(operation, { selection }, one)),
    };
  }
  const scraper_id = source || BUILTIN_SCRAPER;
  const { name, url } = chosen;
  const address = url && (schema.has('ScrapedPerformerInput', 'url') ? { url } : { urls: [url] });
  const wanted = { name, ...address };
  const about = { selection, address: url };
  // The name and aliases show whether the page has a performer, and which. The list of addresses completes the single ones.
  const needed = ['name', 'aliases', 'urls'].filter((field) => schema.has('ScrapedPerformer', field));
  const fragment = [...needed, text].join(' ');
  if (schema.has('Query', SCRAPE_SINGLE)) {
    const read = parsed(arrayOf(isRecord), ([one]) => pageOf(SCRAPE_SINGLE, about, unlessEmpty(one)));
    return scrapeSingle(scraper_id, { performer_input: wanted }, fragment, read);
  }
  const operation = 'scrapePerformer';
  if (!schema.has('Query', operation)) {
    throw schema.lacks(SCRAPE_SINGLE, 'v0.10.0');
  }
  return {
    rootField: operation,
    document: `query ($scraper_id: ID!, $scraped_performer: ScrapedPerformerInput!) {
      scrapePerformer(scraper_id: $scraper_id, scraped_performer: $scraped_performer) { ${fragment} }
    }`,
    variables: { scraper_id, scraped_performer: wanted },
    read: parsed(nullable(isRecord), (one) => pageOf(operation, about, unlessEmpty(one))),
  };
}

/**
 * Drops a result without anything but pictures and addresses: Stash returns that for a page without a performer, such as a CAPTCHA.
 */
function unlessEmpty(one: Record<string, unknown> | null | undefined) {
  const isAbout = ([field, value]: [string, unknown]) => value !== null && !/^(urls?|images?)$/.test(field);
  return one && Object.entries(one).some(isAbout) ? one : undefined;
}

/** Reads a page. @param address the requested address, which most scrapers do not return; undefined if unknown. */
function pageOf(
  operation: string,
  { selection, address }: { selection: Selection<PerformerField>; address?: string | undefined },
  one: Record<string, unknown> | null | undefined,
): ScrapedPage {
  const { missing, read } = selection;
  const { name, aliases } = one ?? {};
  const page = { name: isString(name) ? name : '', ...(isString(aliases) && { aliases }) };
  const performer: Performer | undefined = one ? read(one) : undefined;
  if (performer && 'url' in performer && !performer.url) performer.url = address ?? performer.url;
  const urls = Array.isArray(one?.['urls']) ? one['urls'].filter(isString) : [];
  for (const field of ['twitter', 'instagram'] as const) {
    if (!performer || !(field in performer)) continue;
    // Since v0.27.0, a scraper may give it in the list only.
    performer[field] ??= urls.find((url) => urlFieldOf(url) === field) ?? null;
  }
  return { operation, missing, performer, page };
}
