/** The sites for which releases before v0.27.0 have fields of their own. */
const SITES = {
  twitter: { page: /^https?:\/\/(?:www\.|mobile\.)?(?:twitter|x)\.com\//i, host: 'twitter.com' },
  instagram: { page: /^https?:\/\/(?:www\.)?instagram\.com\//i, host: 'instagram.com' },
} as const;

const ADDRESS = /^https?:\/\//i;

/** A field that holds one address. */
type UrlField = 'url' | keyof typeof SITES;

/** The addresses of a performer, as given: each in the field of its own, or in a list. */
export interface Urls extends Partial<Record<UrlField, string>> {
  urls?: readonly string[];
}

/** The fields for one address, in the order in which Stash reads them. */
export const urlFields = ['url', 'twitter', 'instagram'] as const satisfies readonly UrlField[];

/** Returns the field that a release without a list has for this address. */
function fieldOf(url: string): UrlField {
  if (SITES.twitter.page.test(url)) return 'twitter';
  return SITES.instagram.page.test(url) ? 'instagram' : 'url';
}

/** Returns the address for what a field holds: scrapers and people also write a handle, such as `@name`. */
function addressOf(field: UrlField, text: string): string {
  if (field === 'url' || ADDRESS.test(text)) return text;
  const { host } = SITES[field];
  const handle = text.replace(/^@/, '');
  return handle.includes('/') ? `https://${handle}` : `https://${host}/${handle}`;
}

/**
 * Spreads a list over the fields of a release without one: each address to its own field, if that is not given.
 * @returns the fields, and whether they hold all addresses of the list.
 */
export function spread({ urls = [], ...given }: Urls): { fields: Urls; isWhole: boolean } {
  const fields: Urls = { ...given };
  let isWhole = true;
  for (const url of urls) {
    const field = fieldOf(url);
    const known = (fields[field] ??= url);
    isWhole &&= isSame(addressOf(field, known), url);
  }
  return { fields, isWhole };
}

/**
 * Returns the list of addresses after a change, and the given fields that change it. `fill` adds an address, unless the list has
 * it or, for Twitter and Instagram, has one of the same site. `replace` puts an address in the place of the first one of its
 * site, as Stash does with these fields since v0.27.0; if a list is given, all given addresses replace the whole list.
 */
export function mergedUrls(
  current: readonly string[],
  { urls = [], ...given }: Urls,
  existing: 'fill' | 'replace',
): { list: string[]; changed: (keyof Urls)[] } {
  const isNew = existing === 'replace' && urls.length > 0;
  const list = isNew ? [] : [...current];
  const known = new Set(list.map(keyOf));
  const added = new Set<keyof Urls>();
  const add = (field: keyof Urls, url: string, at = -1) => {
    if (known.has(keyOf(url))) return;
    known.add(keyOf(url));
    if (at < 0) list.push(url);
    else list[at] = url;
    if (!current.some((one) => isSame(one, url))) added.add(field);
  };
  for (const field of urlFields) {
    const text = given[field];
    if (text === undefined) continue;
    const at = list.findIndex((one) => fieldOf(one) === field);
    if (existing === 'replace') add(field, addressOf(field, text), isNew ? -1 : at);
    else if (field === 'url' || at < 0) add(field, addressOf(field, text));
  }
  for (const url of urls) add('urls', url);
  // An address that is no longer in the list.
  if (isNew && current.some((url) => !known.has(keyOf(url)))) added.add('urls');
  return { list, changed: [...added] };
}

/** Whether two addresses are the same, apart from the scheme, `www.`, and a slash at the end. */
function isSame(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(url: string): string {
  const [, host = '', rest = ''] = /^(?:https?:\/\/)?(?:www\.)?([^/]*)(.*?)\/?$/is.exec(url) ?? [];
  return host.toLowerCase() + rest;
}
