import { formatBytes } from '../bytes';
import { StashError } from '../errors';

/**
 * What was found right about a backup: it has the length that was told; it begins as a database; it has as many
 * pages as it says; it is a whole archive; SQLite found no damage.
 */
export type Check = 'length' | 'header' | 'pageCount' | 'zip' | 'quickCheck';

/** Enough of the beginning to know a database, an archive or a web page. */
export const HEAD_BYTES = 4096;

/** https://www.sqlite.org/fileformat.html, 1.3 */
const DATABASE = Buffer.from('SQLite format 3\0');
const DATABASE_HEADER_BYTES = 100;

/** https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3: the signatures and lengths of an archive's records. */
const ARCHIVE = Buffer.from('PK\x03\x04');
const END = 0x06054b50;
const END_BYTES = 22;
const END64 = 0x06064b50;
const END64_BYTES = 56;
const LOCATOR64 = 0x07064b50;
const LOCATOR64_BYTES = 20;
const MOST_COMMENT_BYTES = 0xffff;

/** Enough of the end to hold the last records of an archive. */
export const TAIL_BYTES = END64_BYTES + LOCATOR64_BYTES + END_BYTES + MOST_COMMENT_BYTES;

/**
 * Looks whether a file can be a whole backup, by its first and its last bytes.
 * @param head the first HEAD_BYTES of it, or all if it has less.
 * @param tail the last TAIL_BYTES of it, or all if it has less.
 * @returns the checks that it passed.
 * @throws {StashError} BACKUP_INVALID
 */
export function checkContent(head: Buffer, tail: Buffer, bytes: number): Check[] {
  if (startsWith(head, DATABASE) && head.length >= DATABASE_HEADER_BYTES) return checkDatabase(head, bytes);
  if (startsWith(head, ARCHIVE)) return checkArchive(tail, bytes);
  throw new StashError(isPage(head) ? 'BACKUP_INVALID.page' : 'BACKUP_INVALID.notBackup');
}

/** A size to be compared with another one, to the byte. */
export function exactSize(bytes: number): string {
  return bytes < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${bytes} B)`;
}

function checkDatabase(head: Buffer, bytes: number): Check[] {
  // 65,536 does not fit into two bytes, and stands there as 1.
  const stated = head.readUInt16BE(16);
  const pageSize = stated === 1 ? 65_536 : stated;
  const isPowerOfTwo = (pageSize & (pageSize - 1)) === 0;
  if (pageSize < 512 || !isPowerOfTwo) throw new StashError('BACKUP_INVALID.notBackup');

  const pageCount = head.readUInt32BE(28);
  // A program that does not know of the page count leaves it as it was; then the two counters differ.
  const isCounted = pageCount > 0 && head.readUInt32BE(24) === head.readUInt32BE(92);
  if (isCounted && bytes !== pageSize * pageCount) throw wrongSize(exactSize(pageSize * pageCount), bytes);
  if (bytes % pageSize !== 0) throw wrongSize(`n × ${pageSize} B`, bytes);
  return isCounted ? ['header', 'pageCount'] : ['header'];
}

/** The list of an archive's files is followed only by the records that tell where it begins and how long it is. */
function checkArchive(tail: Buffer, bytes: number): Check[] {
  const end = findEnd(tail);
  if (end === undefined || !followsList(tail, end, bytes - tail.length)) {
    throw new StashError('BACKUP_INVALID.brokenZip');
  }
  return ['zip'];
}

/** Where the record begins that ends an archive; a comment, which may hold anything, may stand behind it. */
function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    const ends = at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length;
    if (ends && tail.readUInt32LE(at) === END) return at;
  }
  return undefined;
}

/** @param tailAt where in the archive its tail begins. */
function followsList(tail: Buffer, end: number, tailAt: number): boolean {
  const locator = end - LOCATOR64_BYTES;
  if (locator < 0 || tail.readUInt32LE(locator) !== LOCATOR64) {
    return tail.readUInt32LE(end + 16) + tail.readUInt32LE(end + 12) === tailAt + end;
  }
  const end64 = Number(tail.readBigUInt64LE(locator + 8)) - tailAt;
  if (end64 < 0 || end64 > locator - END64_BYTES || tail.readUInt32LE(end64) !== END64) return false;
  const listEnd = tail.readBigUInt64LE(end64 + 48) + tail.readBigUInt64LE(end64 + 40);
  return Number(listEnd) === tailAt + end64;
}

/** Whether somebody else answered, as a proxy with its sign-in page or an error. */
function isPage(head: Buffer): boolean {
  const text = head
    .toString()
    .replace(/<!--[\s\S]*?-->/g, '')
    .trimStart();
  return /^(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b/i.test(text);
}

function startsWith(content: Buffer, signature: Buffer): boolean {
  return content.subarray(0, signature.length).equals(signature);
}

function wrongSize(expected: string, actual: number): StashError {
  return new StashError('BACKUP_INVALID.wrongSize', { details: { expected, actual: exactSize(actual) } });
}
