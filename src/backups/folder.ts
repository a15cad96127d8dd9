import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, open, readdir, realpath, stat, statfs, unlink } from 'node:fs/promises';
import path from 'node:path';
import { StashError } from '../errors';
import { sizeOf } from '../size';

/** Whose the temporary files of ledgers are, which all nodes share. */
export const LEDGERS = 'backups';

/** Those that this process has in hand: what else has such a name was left over. */
const inUse = new Set<string>();

/**
 * The folder for backups, as it really is, links in its path resolved.
 * @throws {StashError} DISK where it is none, or nothing may be written there.
 */
export async function openFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if (!(await stat(real)).isDirectory()) throw new StashError('DISK.noFolder', { details: { folder } });
    await access(real, constants.W_OK | constants.X_OK);
    return real;
  } catch (error) {
    throw diskError(error, folder);
  }
}

/**
 * Whether a name is taken, be it by a link that leads nowhere.
 * @param mayReplace whether what has it may be replaced, as a folder never may.
 * @throws {StashError} DISK.
 */
export async function isTaken(folder: string, name: string, mayReplace = false): Promise<boolean> {
  try {
    const found = await look(path.join(folder, name));
    return found !== undefined && (!mayReplace || found.isDirectory());
  } catch (error) {
    throw diskError(error, folder);
  }
}

/** What stands there itself, though it be a link to something else. */
export async function look(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Looks whether so many bytes find room, as far as the file system tells.
 * @throws {StashError} DISK.full, and DISK for what else is wrong with it.
 */
export async function checkRoom(folder: string, bytes: number): Promise<void> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    const free = bavail * bsize;
    // Some shares tell nothing.
    if (blocks === 0 || bytes <= free) return;
    const details = { folder, needed: sizeOf(bytes), free: sizeOf(free) };
    throw new StashError('DISK.full', { details });
  } catch (error) {
    throw diskError(error, folder);
  }
}

/** Makes what has happened to the names in a folder outlast a power failure, where a system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Windows opens no folders, and some shares cannot do this.
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(codeOf(error)))
      throw diskError(error, folder);
  }
}

/** The name of a hidden file that a node works on until it gets its own name, if it does. */
export class Temporary {
  readonly path: string;

  constructor(folder: string, node: string) {
    this.path = path.join(folder, `${prefixOf(node)}${randomBytes(8).toString('hex')}.partial`);
    inUse.add(this.path);
  }

  /** Removes what still has the name. @throws {StashError} DISK. */
  async remove(): Promise<void> {
    try {
      await removeIfThere(this.path);
    } finally {
      inUse.delete(this.path);
    }
  }
}

const RANDOM_PART = /^[0-9a-f]{16}\.partial$/;

/** Removes what a node left in a folder when it was stopped amid a backup. @throws {StashError} DISK. */
export async function sweep(folder: string, node: string): Promise<void> {
  const prefixes = [node, LEDGERS].map(prefixOf);
  const isOurs = (file: string) =>
    prefixes.some((prefix) => file.startsWith(prefix) && RANDOM_PART.test(file.slice(prefix.length)));
  try {
    for (const file of await readdir(folder)) {
      const leftover = path.join(folder, file);
      if (isOurs(file) && !inUse.has(leftover)) await removeIfThere(leftover);
    }
  } catch (error) {
    throw diskError(error, folder);
  }
}

/** The id of a node comes from a flow file, where it may be any text. */
function prefixOf(node: string): string {
  return `.stash-${node.replace(/[^\w-]/g, '_').slice(0, 100)}-`;
}

async function removeIfThere(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw diskError(error, path.dirname(file));
  }
}

/**
 * What an error of a file system means.
 * @param got how far a backup had come.
 */
export function diskError(error: unknown, folder: string, got = '0 B'): StashError {
  if (error instanceof StashError) return error;
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new StashError('DISK.noFolder', { details: { folder } });
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    return new StashError('DISK.notAllowed', { details: { folder, code } });
  }
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StashError('DISK.filled', { details: { folder, got } });
  return new StashError('DISK.failed', { details: { folder, code, got } });
}

/** The code of an error of a file system, or what else it says. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
