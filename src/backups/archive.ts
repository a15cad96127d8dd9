import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, fromFdPromise, openPromise, type ZipFile } from 'yauzl';
import { StashError } from '../errors';
import { type BackupCheck, checkDatabase, HEAD_BYTES, isDatabase } from './content';

/**
 * A backup with the pictures is an archive as Stash writes it since v0.31.0: the database, and then each picture below `blobs/`
 * (https://github.com/stashapp/stash/pull/6586). yauzl reads it, and checks the names, sizes and methods
 * (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). It does not check checksums, links and repeated names.
 */
export interface Archive {
  /** The descriptor of the file, or its content. */
  source: number | Buffer;
  bytes: number;
}

export interface ArchiveFindings {
  checked: BackupCheck[];
  /** Which entry is the database, counted from 0. */
  database: number;
  /** How many files it has beside the database. */
  pictures: number;
}

/** What is wrong about an entry, or about the directory of an archive. */
type Reason = 'checksum' | 'directory' | 'encrypted' | 'link' | 'method' | 'repeated' | 'size' | 'unreadable';

/** To close an archive would close its descriptor, which belongs to the caller. */
const OPTIONS = { autoClose: false };

/** The types of files in the upper half of `externalFileAttributes`, as Unix has them: 0 where the system has none. */
const FILE_TYPE = 0o170000;
const FILES_AND_FOLDERS = [0, 0o100000, 0o040000];
/** No archive of Stash has more. Their names would take too much memory. */
const MOST_ENTRIES = 5_000_000;

/**
 * Reads all of an archive.
 * @param stopped throws to end that.
 * @throws {StashError} BACKUP_INVALID; what `stopped` throws; an error of the file system.
 */
export async function checkArchive(
  { source, bytes }: Archive,
  stopped: () => void,
): Promise<ArchiveFindings> {
  const zip = await opened(source);
  let number = 0;
  try {
    if (zip.entryCount > MOST_ENTRIES) throw broken(0, 'directory');
    const names = new Set<string>();
    let packed = 0;
    let database: Omit<ArchiveFindings, 'pictures'> | undefined;
    let pictures = 0;
    for await (const entry of zip.eachEntry()) {
      stopped();
      checkEntry(entry, number, names);
      packed += entry.compressedSize;
      // A bomb: entries that share their content could keep this busy for days.
      if (packed > bytes) throw broken(number, 'size');
      const head = await checkContent(zip, entry, number, stopped);
      if (!entry.fileName.startsWith('blobs/') && isDatabase(head)) {
        if (database) throw broken(number, 'repeated');
        database = { checked: ['zip', ...checkDatabase(head, entry.uncompressedSize)], database: number };
      } else if (!entry.fileName.endsWith('/')) pictures += 1;
      number += 1;
    }
    if (!database) throw new StashError('BACKUP_INVALID.noDatabase');
    return { ...database, pictures };
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

/** Returns how many files an archive names beside the database; 0 for anything that is no archive, or cannot be read. */
export async function picturesIn(archive: string): Promise<number> {
  try {
    const zip = await openPromise(archive, OPTIONS);
    try {
      let files = 0;
      for await (const { fileName } of zip.eachEntry()) if (!fileName.endsWith('/')) files += 1;
      return Math.max(0, files - 1);
    } finally {
      zip.close();
    }
  } catch {
    return 0;
  }
}

async function opened(source: Archive['source']): Promise<ZipFile> {
  try {
    return await (typeof source === 'number'
      ? fromFdPromise(source, OPTIONS)
      : fromBufferPromise(source, OPTIONS));
  } catch (error) {
    throw isOfArchive(error) ? new StashError('BACKUP_INVALID.brokenZip') : error;
  }
}

/** Checks what the directory says of an entry. */
function checkEntry(entry: Entry, number: number, names: Set<string>): void {
  const name = path.posix.normalize(entry.fileName);
  if (names.has(name)) throw broken(number, 'repeated');
  names.add(name);
  if (!FILES_AND_FOLDERS.includes((entry.externalFileAttributes >>> 16) & FILE_TYPE))
    throw broken(number, 'link');
  if (!entry.canDecodeFileData()) throw broken(number, entry.isEncrypted() ? 'encrypted' : 'method');
}

/** Reads the content of an entry, which yauzl ends if it is longer than it should be. @returns its first bytes. */
async function checkContent(
  zip: ZipFile,
  entry: Entry,
  number: number,
  stopped: () => void,
): Promise<Buffer> {
  const head: Buffer[] = [];
  let size = 0;
  let sum = 0;
  await pipeline(await zip.openReadStreamPromise(entry), async (content: AsyncIterable<Buffer>) => {
    for await (const piece of content) {
      stopped();
      if (size < HEAD_BYTES) head.push(piece.subarray(0, HEAD_BYTES - size));
      size += piece.length;
      sum = crc32(piece, sum);
    }
  });
  if (sum !== entry.crc32) throw broken(number, 'checksum');
  return Buffer.concat(head);
}

function broken(number: number, reason: Reason): StashError {
  return new StashError('BACKUP_INVALID.damagedZip', { details: { number: number + 1, reason } });
}

/** Whether an error is about the content, and not one of the file system. */
function isOfArchive(error: unknown): boolean {
  return error instanceof Error && !(error instanceof StashError) && !('syscall' in error);
}
