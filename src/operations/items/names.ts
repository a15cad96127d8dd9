import { isString } from '../../guards';
import { type RawItem, textsIn } from './values';

/**
 * Invisible characters: soft hyphens, direction marks, characters without width. Not the two joiners, which some scripts
 * need to spell a word.
 */
const INVISIBLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;
const JOINERS = /[\u200c\u200d]/gu;
/**
 * The longest name, in UTF-16 units. Longer text is left as it is, because Unicode normalization takes time that grows with
 * the square of the number of accents in a row.
 */
export const LONGEST_NAME = 200;
/** Sites, and servers before v0.19.0, give the aliases as one text. */
export const BETWEEN_ALIASES = /[,;，；、\r\n]/;
/** All white space, with non-breaking spaces, tabs and line breaks. */
const BLANKS = /\s+/gu;

/**
 * Returns a name as it is sent to a site: in NFC, as sites store names (macOS file names are in NFD), and without invisible
 * characters and extra white space that a copy from a page brings along.
 */
export function tidy(name: string): string {
  if (name.length > LONGEST_NAME) return name;
  return name.replace(INVISIBLE, '').normalize('NFC').replace(BLANKS, ' ').trim();
}

/**
 * Returns the same text for all spellings of a name: in NFKC, which also unifies wide characters, and in upper case, where
 * ß is SS and both small sigmas are one.
 */
export function normalized(name: string): string {
  if (name.length > LONGEST_NAME) return name;
  // Lower case first, because upper case leaves the capital ẞ as it is.
  const capitals = name.normalize('NFKC').toLowerCase().toUpperCase();
  return tidy(capitals.replace(JOINERS, ''));
}

export function aliasesOf(text: string): string[] {
  return text
    .split(BETWEEN_ALIASES)
    .map((alias) => alias.trim())
    .filter((alias) => alias !== '');
}

/** Returns the aliases of an item, which performers before v0.19 had in one text. */
export function aliasesIn({ alias_list: list, aliases }: RawItem): readonly string[] {
  if (isString(aliases) && list === undefined) return aliasesOf(aliases);
  return textsIn(list ?? aliases);
}

/** Whether two lists have the same texts, in any order. */
export function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  const texts = new Set(one);
  return texts.size === new Set(other).size && other.every((text) => texts.has(text));
}
