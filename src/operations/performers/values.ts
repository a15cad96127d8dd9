import type { Schema } from '../../server';
import { HEAD, isImage } from './image-type';

/**
 * Readers of texts as sites and people write them, for the fields of a performer that Stash holds as another type. Each returns
 * undefined for a text that it cannot read.
 */
export type ValueReader = (text: string, schema: Schema) => string | number | undefined;

const AMOUNT = /^(\d+(?:[.,]\d+)?)\s*([a-z]*)\.?$/i;
/** Feet, with or without inches: 5'7", 5 ft 7 in. */
const FEET =
  /^(\d)\s*(?:['′’]|ft\.?|feet|foot)\s*(?:(\d{1,2}(?:[.,]\d+)?)\s*(?:["″”]|''|in\.?|inch(?:es)?)?)?$/i;

const LENGTHS = { '': 1, cm: 1, m: 100, in: 2.54 };
const WEIGHTS = { '': 1, kg: 1, lb: 0.4536, lbs: 0.4536 };

/** The tallest and the heaviest that is believed: a text above is in another unit, or no number for a person. */
const TALLEST = 300;
const SMALLEST = 30;
const HEAVIEST = 700;

/** A height in whole centimetres. A number without a unit is in centimetres, as scrapers give it. */
export const height: ValueReader = (text) => {
  const [, feet, inches = '0'] = FEET.exec(text) ?? [];
  const found = feet === undefined ? amountOf(text, LENGTHS) : (Number(feet) * 12 + decimalOf(inches)) * 2.54;
  return found !== undefined && found >= SMALLEST && found <= TALLEST ? Math.round(found) : undefined;
};

/** A weight in whole kilograms. A number without a unit is in kilograms, as scrapers give it. */
export const weight: ValueReader = (text) => {
  const found = amountOf(text, WEIGHTS);
  return found !== undefined && found >= 1 && found <= HEAVIEST ? Math.round(found) : undefined;
};

const CAREER = /^(\d{4})?\s*(?:[-–—]\s*(?:(\d{4})|present)?)?$/i;

/** Returns the years of a career: `2012 - 2020`, `2012 -`, `2012-present` or `2012`, as sites and Stash write it. Undefined for any other text. */
export function yearsIn(text: string): Partial<Record<'career_start' | 'career_end', string>> | undefined {
  const [, start, end] = CAREER.exec(text) ?? [];
  if (start === undefined && end === undefined) return undefined;
  return {
    ...(start !== undefined && { career_start: start }),
    ...(end !== undefined && { career_end: end }),
  };
}

/** A length in centimetres. */
export const length: ValueReader = (text) => amountOf(text, LENGTHS);

const GENDERS: Readonly<Record<string, string>> = {
  F: 'FEMALE',
  WOMAN: 'FEMALE',
  M: 'MALE',
  MAN: 'MALE',
  TRANS_FEMALE: 'TRANSGENDER_FEMALE',
  TRANS_WOMAN: 'TRANSGENDER_FEMALE',
  TRANS_MALE: 'TRANSGENDER_MALE',
  TRANS_MAN: 'TRANSGENDER_MALE',
  NONBINARY: 'NON_BINARY',
};

/** A gender. Scrapers give a free text, Stash holds one of a list. */
export const gender: ValueReader = (text, schema) => enumChoice(schema, 'gender', text, GENDERS);

export const circumcised: ValueReader = (text, schema) => enumChoice(schema, 'circumcised', text, {});

/** Servers find out the type of a picture from its content, and ignore that in a data URL. */
const DATA = 'data:image/*;base64,';

export function dataUrlOf(content: Buffer): string {
  return DATA + content.toString('base64');
}

/** Returns the content of a picture in a data URL that `dataUrlOf` has made; undefined for any other text. */
export function contentOf(picture: string): Buffer | undefined {
  return picture.startsWith(DATA) ? Buffer.from(picture.slice(DATA.length), 'base64') : undefined;
}

/** A picture: a data URL, or an address from which the server fetches it. */
export const picture: ValueReader = (text) => (pictureFaultIn(text) === undefined ? text : undefined);

/**
 * Why a picture is not saved. `noPicture`: no data URL in base64, and no address. `notImage`: the content is no image. `notFetched`:
 * the server could not fetch it. `otherFetched`: what it has fetched is no image.
 */
export type PictureFault = 'noPicture' | 'notImage' | 'notFetched' | 'otherFetched';

/** Returns why a text is no picture; undefined if it is one, or an address. */
export function pictureFaultIn(text: string): PictureFault | undefined {
  if (isAddress(text)) return undefined;
  // In base64, three bytes are four characters.
  const content = contentOf(text.slice(0, DATA.length + (HEAD / 3) * 4));
  if (content) return isImage(content) ? undefined : 'notImage';
  return /^data:[^,]*;base64,/i.test(text.slice(0, 300)) ? 'notImage' : 'noPicture';
}

/** Whether a text is an address in the web. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text) && URL.canParse(text);
}

/** Returns the value of an enum, whose name the schema tells: Stash has misspelt one up to v0.30.1. */
function enumChoice(schema: Schema, field: string, text: string, others: Readonly<Record<string, string>>) {
  const type = schema.fieldsOf('PerformerUpdateInput')?.get(field)?.name ?? '';
  const name = text.toUpperCase().replace(/[\s_-]+/g, '_');
  const choice = others[name] ?? name;
  return schema.has(type, choice) ? choice : undefined;
}

function amountOf(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const [, number, unit = ''] = AMOUNT.exec(text) ?? [];
  const factor = units[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : decimalOf(number) * factor;
}

function decimalOf(text: string): number {
  return Number(text.replace(',', '.'));
}

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
export function urlFieldOf(url: string): UrlField {
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
    const field = urlFieldOf(url);
    const text = (fields[field] ??= url);
    isWhole &&= isSameUrl(addressOf(field, text), url);
  }
  return { fields, isWhole };
}

/**
 * Returns the list of addresses after a change, the given fields that change it, and those whose address `fill` leaves out. `fill` adds an address, unless the list has
 * it or, for Twitter and Instagram, has one of the same site. `replace` puts an address in the place of the first one of its
 * site, as Stash does with these fields since v0.27.0; if a list is given, all given addresses replace the whole list.
 */
export function mergedUrls(
  current: readonly string[],
  { urls = [], ...given }: Urls,
  existing: 'fill' | 'replace',
): { list: string[]; changed: (keyof Urls)[]; kept: (keyof Urls)[] } {
  const isNew = existing === 'replace' && urls.length > 0;
  const list = isNew ? [] : [...current];
  const keys = new Set(list.map(urlKey));
  const added = new Set<keyof Urls>();
  const kept: (keyof Urls)[] = [];
  const add = (field: keyof Urls, url: string, at = -1) => {
    if (keys.has(urlKey(url))) return;
    keys.add(urlKey(url));
    if (at < 0) list.push(url);
    else list[at] = url;
    if (!current.some((one) => isSameUrl(one, url))) added.add(field);
  };
  for (const field of urlFields) {
    const text = given[field];
    if (text === undefined) continue;
    const at = list.findIndex((one) => urlFieldOf(one) === field);
    if (existing === 'replace') add(field, addressOf(field, text), isNew ? -1 : at);
    else if (field === 'url' || at < 0) add(field, addressOf(field, text));
    else if (!keys.has(urlKey(addressOf(field, text)))) kept.push(field);
  }
  for (const url of urls) add('urls', url);
  // An address that is no longer in the list.
  if (isNew && current.some((url) => !keys.has(urlKey(url)))) added.add('urls');
  return { list, changed: [...added], kept };
}

/** Whether two addresses are the same, apart from the scheme, `www.`, and a slash at the end. */
function isSameUrl(one: string, other: string): boolean {
  return urlKey(one) === urlKey(other);
}

function urlKey(url: string): string {
  const [, host = '', rest = ''] = /^(?:https?:\/\/)?(?:www\.)?([^/]*)(.*?)\/?$/is.exec(url) ?? [];
  return host.toLowerCase() + rest;
}
