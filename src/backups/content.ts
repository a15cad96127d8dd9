import { formatBytes } from '../contract/units';
import { StashError } from '../errors';

/**
 * A check that a backup passed. `length`: it has the announced size. `header`: it begins with the header of an SQLite database.
 * `pageCount`: its size fits the page count in the header. `zip`: it is a complete archive. `quickCheck`: SQLite found no
 * damage.
 */
export type BackupCheck = 'length' | 'header' | 'pageCount' | 'zip' | 'quickCheck';

/** Enough of the beginning to recognize a database, an archive or a web page. */
export const HEAD_BYTES = 4096;

/** https://www.sqlite.org/fileformat.html, 1.3. */
const DATABASE = Buffer.from('SQLite format 3\0');
const DATABASE_HEADER_BYTES = 100;

/**
 * The signatures and lengths of the records of an archive: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.
 */
const ARCHIVE = Buffer.from('PK\x03\x04');
const END = 0x06054b50;
const END_BYTES = 22;
const END64 = 0x06064b50;
const END64_BYTES = 56;
const LOCATOR64 = 0x07064b50;
const LOCATOR64_BYTES = 20;
const MOST_COMMENT_BYTES = 0xffff;

/** The end that always contains the last records of an archive. */
export const TAIL_BYTES = END64_BYTES + LOCATOR64_BYTES + END_BYTES + MOST_COMMENT_BYTES;

/**
 * Checks by its first and last bytes whether a file can be a whole backup.
 * @param head the first HEAD_BYTES of the file, or all of a shorter one.
 * @param tail the last TAIL_BYTES of the file, or all of a shorter one.
 * @param bytes the size of the file.
 * @returns the checks that the file passed.
 * @throws {StashError} BACKUP_INVALID.
 */
export function checkContent(head: Buffer, tail: Buffer, bytes: number): BackupCheck[] {
  if (startsWith(head, DATABASE) && head.length >= DATABASE_HEADER_BYTES) return checkDatabase(head, bytes);
  if (startsWith(head, ARCHIVE)) return checkArchive(tail, bytes);
  throw new StashError(isPage(head) ? 'BACKUP_INVALID.page' : 'BACKUP_INVALID.notBackup');
}

/** Formats a size to the byte, so that people can compare it with another. */
export function exactSize(bytes: number): string {
  return bytes < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${bytes} B)`;
}

function checkDatabase(head: Buffer, bytes: number): BackupCheck[] {
  // 65,536 does not fit into two bytes, so the header has 1 for it.
  const stated = head.readUInt16BE(16);
  const pageSize = stated === 1 ? 65_536 : stated;
  const isPowerOfTwo = (pageSize & (pageSize - 1)) === 0;
  if (pageSize < 512 || !isPowerOfTwo) throw new StashError('BACKUP_INVALID.notBackup');

  const pageCount = head.readUInt32BE(28);
  // A program that does not know the page count leaves it out of date; then the two counters differ.
  const isCounted = pageCount > 0 && head.readUInt32BE(24) === head.readUInt32BE(92);
  if (isCounted && bytes !== pageSize * pageCount) throw wrongSize(exactSize(pageSize * pageCount), bytes);
  if (bytes % pageSize !== 0) throw wrongSize(`n × ${pageSize} B`, bytes);
  return isCounted ? ['header', 'pageCount'] : ['header'];
}

/** In a complete archive, only the records with the position and size of its directory follow the directory. */
function checkArchive(tail: Buffer, bytes: number): BackupCheck[] {
  const end = findEnd(tail);
  if (end === undefined || !followsDirectory(tail, end, bytes - tail.length)) {
    throw new StashError('BACKUP_INVALID.brokenZip');
  }
  return ['zip'];
}

/** Finds the record that ends an archive. A comment with any content may follow it. */
function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    const ends = at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length;
    if (ends && tail.readUInt32LE(at) === END) return at;
  }
  return undefined;
}

/**
 * @param end where in the tail the last record begins.
 * @param tailAt where in the archive the tail begins.
 */
function followsDirectory(tail: Buffer, end: number, tailAt: number): boolean {
  const locator = end - LOCATOR64_BYTES;
  if (locator < 0 || tail.readUInt32LE(locator) !== LOCATOR64) {
    return tail.readUInt32LE(end + 16) + tail.readUInt32LE(end + 12) === tailAt + end;
  }
  const end64 = Number(tail.readBigUInt64LE(locator + 8)) - tailAt;
  if (end64 < 0 || end64 > locator - END64_BYTES || tail.readUInt32LE(end64) !== END64) return false;
  const directoryEnd = tail.readBigUInt64LE(end64 + 48) + tail.readBigUInt64LE(end64 + 40);
  return Number(directoryEnd) === tailAt + end64;
}

/** Whether the content is a web page, such as a proxy's sign-in page or error. */
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
