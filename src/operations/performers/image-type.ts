/** The first bytes of pictures, read as Latin-1. */
const SIGNATURES = [
  // JPEG
  /^\xff\xd8\xff/,
  /^\x89PNG\r\n/,
  /^GIF8[79]a/,
  /^RIFF[^]{4}WEBP/,
  // BMP, whose four bytes after the size are reserved
  /^BM[^]{4}\0{4}/,
  // AVIF, whose brand is the first one or among those that follow
  /^[^]{4}ftyp[^]{0,48}avi[fs]/,
];

const LONGEST_SIGNATURE = 64;
/** How much of a file is read, in bytes: drawing programs write a long document type and comments before the drawing. */
export const HEAD = 60_000;

/**
 * Returns whether a file is an image, by its first bytes: JPEG, PNG, GIF, WebP, AVIF, BMP or SVG. Servers store anything as a picture,
 * also the web page or the text that a site sends instead of one.
 */
export function isImage(content: Buffer): boolean {
  const start = content.toString('latin1', 0, LONGEST_SIGNATURE);
  return (
    SIGNATURES.some((signature) => signature.test(start)) || isDrawing(content.toString('utf8', 0, HEAD))
  );
}

/** Returns whether a text is an SVG document: what is before its first element is passed over. */
function isDrawing(text: string): boolean {
  let index = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    index = endOf(/\s*/y, text, index);
    if (text.startsWith('<?', index)) index = after('?>', text, index);
    else if (text.startsWith('<!--', index)) index = after('-->', text, index);
    else if (text.startsWith('<!DOCTYPE svg', index)) {
      // It may have declarations in brackets.
      const declarations = after('[', text, index);
      const end = after('>', text, index);
      index = declarations < end ? after('>', text, after(']', text, declarations)) : end;
    } else return endOf(/<(?:svg:)?svg[\s/>]/y, text, index) > index;
  }
}

/** Returns the index after the next `end`; Infinity if there is none. */
function after(end: string, text: string, from: number): number {
  const index = text.indexOf(end, from);
  return index < 0 ? Infinity : index + end.length;
}

/** Returns the index after what a sticky pattern finds; the same if it finds nothing. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
