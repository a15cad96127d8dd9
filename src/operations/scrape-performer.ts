import type { Call } from '../call';
import { arrayOf, isRecord, isString, nullable, parsed } from '../guards';
import type { Operation, Schema, Server } from '../server';
import {
  BUILTIN_SCRAPER,
  fetchList,
  type ListedPerformer,
  SCRAPE_SINGLE,
  scrapeSingle,
  siteOf,
} from './performer-list';
import { bestFirst, type Candidate, fitting, rate } from './performer-match';
import { firstOfUrls, select, type Selection } from './selection';

/** Selectable attributes of a performer, as the interface document names them (part 2). */
export const performerFields = [
  'name',
  'url',
  'twitter',
  'instagram',
  'birthdate',
  'ethnicity',
  'country',
  'eye_color',
  'height',
  'measurements',
  'fake_tits',
  'career_length',
  'tattoos',
  'piercings',
  'aliases',
] as const;
/** One of them. */
export type PerformerField = (typeof performerFields)[number];

/** A performer with just the selected attributes; null where the site has none. */
export type Performer = Partial<Record<PerformerField, string | null>>;

/** Somebody who is known to be at the site, from its list or from whoever wrote the message. */
interface KnownPerformer {
  name: string;
  url?: string;
  /** The one that a node gave. */
  score?: number;
}

/** Whom to look up: a name, or one of the candidates that a node gave, perhaps made by hand. */
export type WantedPerformer = string | KnownPerformer;

/** What one look-up of a performer asks for. */
export interface ScrapeInput {
  performer: WantedPerformer;
  fields: readonly PerformerField[];
  /** The id of one of the server's performer scrapers; empty for the built-in site. */
  source: string;
  /** For how many minutes the site's list for a name is good after it was asked. */
  listMaxAge: number;
}

interface Found {
  operation: string;
  /** As the site's list spells it. */
  name: string;
  /** Whether the list has the name that was asked for as an alias only. */
  byAlias: boolean;
  performer: Performer;
  /** Selected attributes that this server cannot give. */
  missing: PerformerField[];
}

interface NotFound {
  operation: string;
  reason: 'NOT_FOUND' | 'AMBIGUOUS';
  /** Who may have been meant, best first. */
  candidates: Candidate[];
  /** How many in the site's list are meant by the name; of one who is NOT_FOUND all the same, the page tells nothing. */
  fitting: number;
}

/** What a look-up of a performer comes to. That nobody was found is an answer, not an error. */
export type Scraped = Found | NotFound;

/** Who was found, or nobody. */
interface ScrapedPage extends Pick<Found, 'operation' | 'missing'> {
  performer: Performer | undefined;
  /** What the page calls them, as far as it was asked. */
  page: ListedPerformer;
}

/**
 * Looks one performer up at the external site. The site's list is asked first and the attributes only of a name that
 * is in it once (interface document, part 4, rule 1); anything else gives the candidates, and so does a page that shows
 * the list to be wrong. One of these has been in
 * the list, so only the attributes are asked; as has somebody whose address is known.
 * @throws {StashError} as `Server.lookUp` and the questions in it; UNSUPPORTED where the server cannot look anybody up.
 */
export async function scrapePerformer(
  server: Server,
  { performer, fields, source, listMaxAge }: ScrapeInput,
  call: Call,
): Promise<Scraped> {
  return server.lookUp({ source: siteOf(source), call }, async (send): Promise<Scraped> => {
    const open = (who: KnownPerformer) => send((schema) => scrapeOperation(schema, who, fields, source));
    if (isKnown(performer)) {
      const { operation, missing, performer: found } = await open(performer);
      return found
        ? { operation, name: performer.name, byAlias: false, performer: found, missing }
        : { operation, reason: 'NOT_FOUND', candidates: [], fitting: 1 };
    }
    const name = nameOf(performer);
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

/** The name of who is wanted, as it was given. */
export function nameOf(wanted: WantedPerformer): string {
  return typeof wanted === 'string' ? wanted : wanted.name;
}

/** An object that has nothing but a name tells no more than the name. */
function isKnown(wanted: WantedPerformer): wanted is KnownPerformer {
  return typeof wanted !== 'string' && (wanted.url !== undefined || wanted.score !== undefined);
}

/**
 * The document's operation where the server has it; otherwise the address that the list gave, through the same
 * scraper. `scrapeFreeones`, which had the documented shape, answers null on every real server.
 */
function scrapeOperation(
  schema: Schema,
  chosen: KnownPerformer,
  fields: readonly PerformerField[],
  source: string,
): Operation<ScrapedPage> {
  const selection = select(schema, 'ScrapedPerformer', fields, { url: firstOfUrls });
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
  const known = { name, ...address };
  const about = { selection, address: url };
  // They tell whether a page is of anybody, and of whom.
  const names = (['name', 'aliases'] as const).filter(
    (field) => !fields.includes(field) && schema.has('ScrapedPerformer', field),
  );
  const named = [...names, text].join(' ');
  if (schema.has('Query', SCRAPE_SINGLE)) {
    const read = parsed(arrayOf(isRecord), ([one]) => pageOf(SCRAPE_SINGLE, about, unlessEmpty(one)));
    return scrapeSingle(scraper_id, { performer_input: known }, named, read);
  }
  const operation = 'scrapePerformer';
  if (!schema.has('Query', operation)) {
    throw schema.lacks(source === '' ? 'scrapeSite' : 'scrapeSinglePerformer', 'v0.10.0');
  }
  return {
    rootField: operation,
    document: `query ($scraper_id: ID!, $scraped_performer: ScrapedPerformerInput!) {
      scrapePerformer(scraper_id: $scraper_id, scraped_performer: $scraped_performer) { ${named} }
    }`,
    variables: { scraper_id, scraped_performer: known },
    read: parsed(nullable(isRecord), (one) => pageOf(operation, about, unlessEmpty(one))),
  };
}

/** A page that is none of a performer, such as one that wants to see a person, comes as a performer of whom nothing is known. */
function unlessEmpty(one: Record<string, unknown> | null | undefined) {
  return one && Object.values(one).some((value) => value !== null) ? one : undefined;
}

/** @param address where the page is that was asked for; most scrapers do not give it again. */
function pageOf(
  operation: string,
  { selection, address }: { selection: Selection<PerformerField>; address?: string | undefined },
  one: Record<string, unknown> | null | undefined,
): ScrapedPage {
  const { missing, pick } = selection;
  const { name, aliases } = one ?? {};
  const page = { name: isString(name) ? name : '', ...(isString(aliases) && { aliases }) };
  const performer: Performer | undefined = one ? pick(one) : undefined;
  if (performer && 'url' in performer && !performer.url) performer.url = address ?? performer.url;
  return { operation, missing, performer, page };
}
