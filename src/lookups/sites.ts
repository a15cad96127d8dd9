import { StashError } from '../errors';

/** The id of the scraper for the built-in site, which the interface document describes (all releases). */
export const BUILTIN_SCRAPER = 'builtin_freeones';

/** Returns the site whose queue a look-up with this scraper uses; empty for the built-in site. */
export function siteOf(scraper: string): string {
  return scraper === BUILTIN_SCRAPER ? '' : scraper;
}

/** Returns the queue for a site that is known by the address of a page or a file. */
export function siteOfAddress(address: string): string {
  return `host ${hostOf(address)}`;
}

/** Returns the host of an address; empty for any other text. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}

/** HTTP statuses with which a site refuses this client for now. For a single picture, 403 is a refusal for ever. */
const REFUSED = { lookup: new Set(['403', '429', '503']), picture: new Set(['429', '503']) };
/** How servers pass on a response of the site (v0.8.0 to v0.30.1). */
const HTTP_ERROR = /\bhttp error (\d{3})\b/i;
/** Words in the errors of scraper scripts, and on CAPTCHA pages. */
const WORDS =
  /\btoo many requests\b|\brate.?limit|\bcaptcha\b|\bcloudflare\b|\bjust a moment\b|\battention required\b|\bchecking your browser\b|\bverify(ing)? (that )?you are( a)? human\b|\baccess denied\b/i;
/** Quoted text, such as the searched name, may contain any words. */
const QUOTED = /"[^"]*"/g;
const RETRY_AFTER = /\bretry[- ]after\b["':=\s]*([^"'\n;]+)/i;

/**
 * Returns SITE_REFUSED if the error of a look-up quotes a refusal by the external site, with the seconds to wait if the site
 * names them; otherwise returns the error unchanged.
 * @param kind `picture` if the server was to fetch a single file.
 */
export function siteRefusal(error: unknown, kind: keyof typeof REFUSED = 'lookup'): unknown {
  if (!(error instanceof StashError) || error.case !== 'GRAPHQL.failed') return error;
  const { status } = error;
  const text = String(error.details['text']);
  const unquoted = text.replaceAll(QUOTED, '');
  const [, code] = HTTP_ERROR.exec(unquoted) ?? [];
  if (code === undefined ? !WORDS.test(unquoted) : !REFUSED[kind].has(code)) return error;
  const details = { text, ...retryAfterIn(text) };
  return new StashError('SITE_REFUSED.refused', { status: status ?? undefined, details, retry: true });
}

/** Reads `Retry-After` as HTTP defines it: a number of seconds, or a date. A number with another unit is ignored. */
function retryAfterIn(text: string): { seconds?: number } {
  const [, after = ''] = RETRY_AFTER.exec(text) ?? [];
  const [number] = /^\d+(?!\d|\s*[a-rt-z])/i.exec(after) ?? [];
  const seconds = number === undefined ? (Date.parse(after) - Date.now()) / 1000 : Number(number);
  return Number.isFinite(seconds) && seconds >= 0 ? { seconds } : {};
}
