import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromBufferPromise, fromFdPromise, openPromise, type ZipFile } from 'yauzl';
import { StashError } from '../errors';
import { type BackupCheck, checkDatabase, HEAD_BYTES, isDatabase } from './content';

/**
 * A backup with the pictures is an archive as Stash writes it since v0.31.0: the database, and then each picture below `blobs/`
 * (https://github.com/stashapp/stash/pull/6586). yauzl reads it: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. What
 * it does not look at is checked here: checksums, and that the file consists of the entries and their directory and of nothing else.
 */
export interface Archive {
  /** The descriptor of the file, or its content. */
  source: number | Buffer;
  bytes: number;
  bytesAt: (from: number, length: number) => Buffer;
}

/** What a whole archive contains. */
export interface ArchiveFindings {
  checked: BackupCheck[];
  /** Which entry is the database, counted from 0. */
  database: number;
}

/** Why an archive is refused: the place in APPNOTE.TXT, or what is wrong about an entry. */
type Reason =
  | 'checksum'
  | 'descriptor'
  | 'directory'
  | 'encrypted'
  | 'header'
  | 'link'
  | 'method'
  | 'name'
  | 'position'
  | 'repeated'
  | 'size'
  | 'unreadable';

/** To close an archive would close its descriptor, which belongs to the caller. */
const OPTIONS = { autoClose: false, strictFileNames: true };

const END = 0x06054b50;
const END_BYTES = 22;
const END64 = 0x06064b50;
const END64_BYTES = 56;
const LOCATOR64 = 0x07064b50;
const LOCATOR64_BYTES = 20;
const LISTED_BYTES = 46;
const DESCRIPTOR = 0x08074b50;
const STORED = 0;
const DEFLATED = 8;
/** The flag of an entry whose sizes follow it, because they were unknown when it began. */
const HAS_DESCRIPTOR = 8;
/** The types of files in the upper half of `externalFileAttributes`, as Unix has them: 0 where the system has none. */
const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
/** No archive of Stash has more. Their names would take too much memory. */
const MOST_ENTRIES = 5_000_000;

/**
 * Reads all of an archive.
 * @param stopped throws to end that.
 * @throws {StashError} BACKUP_INVALID; what `stopped` throws; an error of the file system.
 */
export async function checkArchive(archive: Archive, stopped: () => void): Promise<ArchiveFindings> {
  const directory = directoryOf(archive);
  const { source } = archive;
  let number = 0;
  try {
    const zip = await (typeof source === 'number'
      ? fromFdPromise(source, OPTIONS)
      : fromBufferPromise(source, OPTIONS));
    if (zip.entryCount > MOST_ENTRIES) throw broken(0, 'directory');
    const names = new Set<string>();
    let database: ArchiveFindings | undefined;
    let at = 0;
    let listed = directory.start;
    for await (const entry of zip.eachEntry()) {
      stopped();
      checkEntry(entry, number, at, names);
      const { head, end } = await checkFile(archive, zip, entry, number, stopped);
      at = end;
      listed += LISTED_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      if (!entry.fileName.startsWith('blobs/') && isDatabase(head)) {
        if (database) throw broken(number, 'repeated');
        database = { checked: ['zip', ...checkDatabase(head, entry.uncompressedSize)], database: number };
      }
      number += 1;
    }
    if (at !== directory.start || listed !== directory.end) throw broken(number, 'directory');
    if (!database) throw new StashError('BACKUP_INVALID.noDatabase');
    return database;
  } catch (error) {
    stopped();
    throw isOfArchive(error) ? broken(number, 'unreadable') : error;
  }
}

/**
 * Writes a file of an archive that has been checked.
 * @param number which entry, counted from 0.
 * @param reserve is called with the size in bytes before anything is written.
 * @throws an error of the file system; the reason of the signal.
 */
export async function extract(
  archive: string,
  number: number,
  target: string,
  reserve: (bytes: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const zip = await openPromise(archive, OPTIONS);
  try {
    let index = 0;
    for await (const entry of zip.eachEntry()) {
      if (index++ !== number) continue;
      await reserve(entry.uncompressedSize);
      const content = await zip.openReadStreamPromise(entry);
      await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600 }), { signal });
      return;
    }
    throw new Error('The archive has changed.');
  } finally {
    zip.close();
  }
}

/** Checks what the directory says of an entry. @param at where the entry before it ends. */
function checkEntry(entry: Entry, number: number, at: number, names: Set<string>): void {
  const { fileName, externalFileAttributes, compressionMethod, relativeOffsetOfLocalHeader } = entry;
  // yauzl has refused names that lead out of a folder. Two names that differ in case are one file on some systems.
  if (!/^[^/\p{Cc}]+(?:\/[^/\p{Cc}]+)*$/u.test(fileName) || /(?:^|\/)\.(?:\/|$)/.test(fileName))
    throw broken(number, 'name');
  const key = fileName.normalize().toLowerCase();
  if (names.has(key)) throw broken(number, 'repeated');
  names.add(key);
  const type = (externalFileAttributes >>> 16) & FILE_TYPE;
  if (type !== 0 && type !== REGULAR_FILE) throw broken(number, 'link');
  if (entry.isEncrypted()) throw broken(number, 'encrypted');
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) throw broken(number, 'method');
  if (relativeOffsetOfLocalHeader !== at) throw broken(number, 'position');
}

/** Reads the content of an entry. @returns its first bytes, and where it ends. */
async function checkFile(
  { bytesAt }: Archive,
  zip: ZipFile,
  entry: Entry,
  number: number,
  stopped: () => void,
): Promise<{ head: Buffer; end: number }> {
  const { compressedSize, uncompressedSize, compressionMethod, generalPurposeBitFlag: flags } = entry;
  const header = await zip.readLocalFileHeaderPromise(entry);
  const isSame =
    header.fileName.equals(entry.fileNameRaw) &&
    header.compressionMethod === compressionMethod &&
    header.generalPurposeBitFlag === flags;
  if (!isSame) throw broken(number, 'header');

  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  const head: Buffer[] = [];
  let size = 0;
  let sum = 0;
  const count = async (content: AsyncIterable<Buffer>) => {
    for await (const piece of content) {
      stopped();
      if (size < HEAD_BYTES) head.push(piece.subarray(0, HEAD_BYTES - size));
      size += piece.length;
      // A bomb: it ends here, and not when the disk or the hour is full.
      if (size > uncompressedSize) throw new Error('The rest is not needed.');
      sum = crc32(piece, sum);
    }
  };
  const inflated = createInflateRaw();
  try {
    await (compressionMethod === STORED ? pipeline(packed, count) : pipeline(packed, inflated, count));
  } catch (error) {
    // Node.js 20 may report that the stream was destroyed, and not why.
    throw size > uncompressedSize ? broken(number, 'size') : error;
  }
  // The inflater takes less than all of it, if something follows the end of the content.
  const read = compressionMethod === STORED ? size : inflated.bytesWritten;
  if (size !== uncompressedSize || read !== compressedSize) throw broken(number, 'size');
  if (sum !== entry.crc32) throw broken(number, 'checksum');
  const end = header.fileDataStart + compressedSize;
  const hasDescriptor = (flags & HAS_DESCRIPTOR) !== 0;
  return { head: Buffer.concat(head), end: hasDescriptor ? descriptorEnd(bytesAt, end, entry, number) : end };
}

/** The descriptor may begin with a signature, and its sizes have four or eight bytes. */
function descriptorEnd(bytesAt: Archive['bytesAt'], at: number, entry: Entry, number: number): number {
  const { crc32: sum, compressedSize, uncompressedSize } = entry;
  const bytes = bytesAt(at, 24);
  for (const start of [4, 0]) {
    if (start === 4 && (bytes.length < 4 || bytes.readUInt32LE(0) !== DESCRIPTOR)) continue;
    for (const length of [4, 8]) {
      const end = start + 4 + 2 * length;
      if (bytes.length < end || bytes.readUInt32LE(start) !== sum) continue;
      const sizeAt = (from: number) =>
        length === 4 ? bytes.readUInt32LE(from) : Number(bytes.readBigUInt64LE(from));
      if (sizeAt(start + 4) === compressedSize && sizeAt(start + 4 + length) === uncompressedSize)
        return at + end;
    }
  }
  throw broken(number, 'descriptor');
}

/** Returns where the directory of an archive is. Nothing but its end records follows it, and they end the file. */
function directoryOf({ bytes, bytesAt }: Archive): { start: number; end: number } {
  const last = bytes - END_BYTES;
  const end = last < 0 ? undefined : bytesAt(last, END_BYTES);
  if (end?.readUInt32LE(0) !== END || end.readUInt16LE(20) !== 0)
    throw new StashError('BACKUP_INVALID.brokenZip');
  const locator = last - LOCATOR64_BYTES;
  const hasLocator = locator >= END64_BYTES && bytesAt(locator, 4).readUInt32LE(0) === LOCATOR64;
  const at = hasLocator ? locator - END64_BYTES : last;
  const record = bytesAt(at, END64_BYTES);
  const isThere =
    !hasLocator || (record.readUInt32LE(0) === END64 && positionIn(bytesAt(locator, 20), 8) === at);
  const size = hasLocator ? positionIn(record, 40) : end.readUInt32LE(12);
  const start = hasLocator ? positionIn(record, 48) : end.readUInt32LE(16);
  if (!isThere || start + size !== at) throw new StashError('BACKUP_INVALID.brokenZip');
  return { start, end: at };
}

function positionIn(record: Buffer, at: number): number {
  return Number(record.readBigUInt64LE(at));
}

function broken(number: number, reason: Reason): StashError {
  return new StashError('BACKUP_INVALID.damagedZip', { details: { number: number + 1, reason } });
}

/** Whether an error is about the content, and not one of the file system. */
function isOfArchive(error: unknown): boolean {
  return error instanceof Error && !(error instanceof StashError) && !('syscall' in error);
}
