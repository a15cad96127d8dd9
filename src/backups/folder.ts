import { createHash, randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, open, opendir, realpath, stat, statfs, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { formatBytes } from '../bytes';
import { StashError } from '../errors';

/** Whose the temporary files of ledgers are, which all nodes share. */
export const LEDGER_OWNER = 'backups';

/** Those that this process has in hand. */
const filesInUse = new Set<string>();
/** This machine or container, in the names of temporary files. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** Longer than any backup leaves its file untouched, with room for the clocks of two machines to differ. */
const LONGEST_PAUSE_MILLISECONDS = 12 * 3_600_000;

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
    const found = await statIfExists(path.join(folder, name));
    return found !== undefined && (!mayReplace || found.isDirectory());
  } catch (error) {
    throw diskError(error, folder);
  }
}

/** What stands there itself, though it be a link to something else. */
export async function statIfExists(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (codeOrMessage(error) === 'ENOENT') return undefined;
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
    const details = { folder, needed: formatBytes(bytes), free: formatBytes(free) };
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
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(codeOrMessage(error)))
      throw diskError(error, folder);
  }
}

/** The name of a hidden file that a node works on until it gets its own name, if it does. */
export class TempFile {
  readonly path: string;

  constructor(folder: string, node: string) {
    const random = randomBytes(8).toString('hex');
    this.path = path.join(folder, `${prefixOf(node)}${HOST}-${process.pid}-${random}.partial`);
    filesInUse.add(this.path);
  }

  /** Removes what still has the name. @throws {StashError} DISK. */
  async remove(): Promise<void> {
    try {
      await removeIfThere(this.path);
    } finally {
      filesInUse.delete(this.path);
    }
  }
}

/** What stands behind the prefix. The first release did not tell whose a file is. */
const MAKER = /^(?:(?<host>[0-9a-f]{8})-(?<pid>\d{1,10})-)?[0-9a-f]{16}\.partial$/;

/**
 * Removes what a node left in a folder when it was stopped amid a backup. Two Node-REDs may have the same flow and the same
 * folder: what another one is working on stays.
 * @throws {StashError} DISK.
 */
export async function removeStaleTempFiles(folder: string, node: string): Promise<void> {
  const prefixes = [node, LEDGER_OWNER].map(prefixOf);
  try {
    // A folder with 100,000 files is read in parts, so that nothing else waits for it.
    for await (const { name } of await opendir(folder, { bufferSize: 1000 })) {
      const prefix = prefixes.find((one) => name.startsWith(one));
      const maker = prefix === undefined ? null : MAKER.exec(name.slice(prefix.length));
      const file = path.join(folder, name);
      if (maker && !filesInUse.has(file) && (await isLeftOver(file, maker.groups))) await removeIfThere(file);
    }
  } catch (error) {
    throw diskError(error, folder);
  }
}

async function isLeftOver(file: string, { host, pid }: Record<string, string | undefined> = {}) {
  if (pid === undefined || (host === HOST && !isOtherProcess(Number(pid)))) return true;
  const found = await statIfExists(file);
  return found !== undefined && Date.now() - found.mtimeMs > LONGEST_PAUSE_MILLISECONDS;
}

/** Whether such a process runs, and is not this one, which knows its own files: a container's ids repeat. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOrMessage(error) !== 'ESRCH';
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
    if (codeOrMessage(error) !== 'ENOENT') throw diskError(error, path.dirname(file));
  }
}

/**
 * What an error of a file system means.
 * @param got how far a backup had come.
 */
export function diskError(error: unknown, folder: string, got = '0 B'): StashError {
  if (error instanceof StashError) return error;
  const code = codeOrMessage(error);
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
export function codeOrMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
