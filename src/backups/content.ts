import { formatBytes } from '../contract/units';
import { StashError } from '../errors';

/**
 * A check that a backup passed. `length`: it has the announced size. `header`: it begins with the header of an SQLite database.
 * `pageCount`: its size fits the page count in the header. `quickCheck`: SQLite found no damage. `zip`: it is an archive, all of
 * whose entries have their sizes and checksums; the other checks are then those of the database in it.
 */
export type BackupCheck = 'length' | 'header' | 'pageCount' | 'zip' | 'quickCheck';

/** Enough of the beginning to recognize a database, an archive or a web page. */
export const HEAD_BYTES = 4096;

/** https://www.sqlite.org/fileformat.html, 1.3. */
const DATABASE = Buffer.from('SQLite format 3\0');
const DATABASE_HEADER_BYTES = 100;

const ARCHIVE = Buffer.from('PK\x03\x04');

/**
 * Returns what a file is, by its first bytes.
 * @param head the first HEAD_BYTES of the file, or all of a shorter one.
 * @throws {StashError} BACKUP_INVALID for anything that is no backup.
 */
export function kindOf(head: Buffer): 'database' | 'archive' {
  if (isDatabase(head)) return 'database';
  if (startsWith(head, ARCHIVE)) return 'archive';
  throw new StashError(isPage(head) ? 'BACKUP_INVALID.page' : 'BACKUP_INVALID.notBackup');
}

/** Whether a file begins like a database. */
export function isDatabase(head: Buffer): boolean {
  return startsWith(head, DATABASE) && head.length >= DATABASE_HEADER_BYTES;
}

/** Formats a size to the byte, so that people can compare it with another. */
export function exactSize(bytes: number): string {
  return bytes < 1024 ? formatBytes(bytes) : `${formatBytes(bytes)} (${bytes} B)`;
}

/**
 * Checks by its first bytes whether a database can be whole.
 * @param head as of `kindOf`.
 * @param bytes the size of the database.
 * @returns the checks that it passed.
 * @throws {StashError} BACKUP_INVALID.
 */
export function checkDatabase(head: Buffer, bytes: number): BackupCheck[] {
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
