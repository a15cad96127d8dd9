/**
 * What nobody sees: soft hyphens, marks of direction, characters of no width. But for the two joiners, which some
 * scripts need to spell a word.
 */
const INVISIBLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;
const JOINERS = /[\u200c\u200d]/gu;
/**
 * A longer text is no name. It stays as it is, because putting the accents of a long text into their order takes time
 * that grows with the square of its length.
 */
export const LONGEST_NAME = 200;
/** With those that break no line, and with tabs and line breaks. */
const BLANKS = /\s+/gu;

/**
 * A name as a site is asked for it: letters with their accents as one character, as sites store them (names of files on
 * a Mac have them apart), and without what came along when it was copied from a page.
 */
export function tidy(name: string): string {
  if (name.length > LONGEST_NAME) return name;
  return name.replace(INVISIBLE, '').normalize('NFC').replace(BLANKS, ' ').trim();
}

/**
 * Names that are the same come out as the same text: what they are in capitals (where ß is SS and both small sigmas
 * are one), with other forms of a character, such as wide ones, as the usual one.
 */
export function normalized(name: string): string {
  if (name.length > LONGEST_NAME) return name;
  // In small letters first, as the capital ß stays one otherwise.
  const capitals = name.normalize('NFKC').toLowerCase().toUpperCase();
  return tidy(capitals.replace(JOINERS, ''));
}
