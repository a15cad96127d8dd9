const PAGE = 4096;

/**
 * A whole SQLite database without tables, byte by byte after https://www.sqlite.org/fileformat.html, so
 * that any check of a downloaded backup (its head, its length, an integrity check) finds it sound.
 */
export function emptyDatabase(): Buffer {
  const page = Buffer.alloc(PAGE);
  page.write('SQLite format 3\0', 0, 'latin1');
  page.writeUInt16BE(PAGE, 16);
  page.set([1, 1, 0, 64, 32, 32], 18); // rollback journal, no reserved bytes, the fixed payload fractions
  page.writeUInt32BE(1, 24); // change counter, the same as at 92: the length at 28 is valid
  page.writeUInt32BE(1, 28); // length of the file in pages
  page.writeUInt32BE(4, 44); // schema format
  page.writeUInt32BE(1, 56); // UTF-8
  page.writeUInt32BE(1, 92);
  page.writeUInt32BE(3_045_000, 96); // the SQLite release that wrote it
  page.writeUInt8(13, 100); // an empty leaf page of the schema table
  page.writeUInt16BE(PAGE, 105);
  return page;
}
