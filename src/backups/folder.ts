import { createHash, randomBytes } from 'node:crypto';
import { constants, type Stats, unlinkSync } from 'node:fs';
import { access, lstat, open, opendir, realpath, stat, statfs, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { answeredWithin } from '../async';
import { formatBytes } from '../contract/units';
import { StashError } from '../errors';
import { timing } from '../timing';

/** The owner of the temp files of manifests, in place of a node's id: all nodes share a manifest. */
export const MANIFEST_OWNER = 'backups';

const filesInUse = new Set<string>();
// Node-RED may end while a backup is written. It waits for nothing then.
process.once('exit', () => {
  for (const file of filesInUse) {
    try {
      unlinkSync(file);
    } catch {
      // Then the next start removes it.
    }
  }
});
/** Identifies this machine or container in the names of temp files. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** A temp file of another machine that has not changed for so long is stale, even if the two clocks differ by hours. */
const LONGEST_PAUSE_MILLISECONDS = 12 * 3_600_000;

/**
 * Settles as a call of the file system does, or rejects with ETIMEDOUT: nothing can cancel a call to a disk or share that hangs.
 */
export async function answered<T>(call: Promise<T>): Promise<T> {
  return await answeredWithin(timing.disk, call, () =>
    Object.assign(new Error('The disk does not answer.'), { code: 'ETIMEDOUT' }),
  );
}

/**
 * Returns the path with all links resolved.
 * @throws {StashError} DISK if it is not a folder or not writable.
 */
export async function openFolder(folder: string): Promise<string> {
  try {
    const real = await answered(realpath(folder));
    if (!(await answered(stat(real))).isDirectory()) {
      throw new StashError('DISK.noFolder', { details: { folder } });
    }
    await answered(access(real, constants.W_OK | constants.X_OK));
    return real;
  } catch (error) {
    throw diskError(error, folder);
  }
}

/**
 * Whether a name is taken, also by a broken link.
 * @param mayReplace whether a file of this name may be replaced; then only a folder takes the name.
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

/**
 * Returns the stats of a path, of a link itself; undefined if there is nothing.
 * @throws the error of the file system.
 */
export async function statIfExists(file: string): Promise<Stats | undefined> {
  try {
    return await answered(lstat(file));
  } catch (error) {
    if (codeOrMessage(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * @throws {StashError} DISK.full without room for `bytes` bytes, if the file system reports its free space; another DISK error
 * if the folder cannot be read.
 */
export async function checkRoom(folder: string, bytes: number): Promise<void> {
  try {
    const { bavail, blocks, bsize } = await answered(statfs(folder));
    const free = bavail * bsize;
    // Some shares report nothing.
    if (blocks === 0 || bytes <= free) return;
    const details = { folder, needed: formatBytes(bytes), free: formatBytes(free) };
    throw new StashError('DISK.full', { details });
  } catch (error) {
    throw diskError(error, folder);
  }
}

/**
 * Syncs a folder, if the system can, so that the names in it survive a power failure.
 * @throws {StashError} DISK.
 */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await answered(open(folder, 'r'));
    try {
      await answered(handle.sync());
    } finally {
      await answered(handle.close());
    }
  } catch (error) {
    // Windows cannot open folders, and some shares cannot sync them.
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(codeOrMessage(error)))
      throw diskError(error, folder);
  }
}

/** The name of a hidden file that a node writes and then renames or removes. */
export class TempFile {
  readonly path: string;

  /**
   * Only reserves the name.
   * @param node the id of the node, or `MANIFEST_OWNER`.
   */
  constructor(folder: string, node: string) {
    const random = randomBytes(8).toString('hex');
    this.path = path.join(folder, `${tempPrefix(node)}${HOST}-${process.pid}-${random}.partial`);
    filesInUse.add(this.path);
  }

  /**
   * Removes the file if it still has this name, and releases the name.
   * @throws {StashError} DISK.
   */
  async remove(): Promise<void> {
    try {
      await removeIfThere(this.path);
    } finally {
      filesInUse.delete(this.path);
    }
  }
}

/** Host and process id, which follow the prefix in the name of a temp file. */
const MAKER = /^([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}\.partial$/;

/**
 * Removes the temp files that a node, or a manifest, left in a folder because Node-RED ended during a backup. Several Node-REDs
 * may share a flow and a folder, so files that another one may be writing stay.
 * @throws {StashError} DISK.
 */
export async function removeStaleTempFiles(folder: string, node: string): Promise<void> {
  const prefixes = [node, MANIFEST_OWNER].map(tempPrefix);
  try {
    // Reads a folder with 100,000 files in parts, so that it does not block the event loop.
    for await (const { name } of await answered(opendir(folder, { bufferSize: 1000 }))) {
      const prefix = prefixes.find((one) => name.startsWith(one));
      if (prefix === undefined) continue;
      const [, host, pid] = MAKER.exec(name.slice(prefix.length)) ?? [];
      const file = path.join(folder, name);
      if (pid === undefined || filesInUse.has(file)) continue;
      if (await isLeftOver(file, host, Number(pid))) await removeIfThere(file);
    }
  } catch (error) {
    throw diskError(error, folder);
  }
}

async function isLeftOver(file: string, host: string | undefined, pid: number): Promise<boolean> {
  if (host === HOST && !isOtherProcess(pid)) return true;
  const found = await statIfExists(file);
  return found !== undefined && Date.now() - found.mtimeMs > LONGEST_PAUSE_MILLISECONDS;
}

/** Whether another process with this id runs. This process knows its own files, and ids repeat in containers. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOrMessage(error) !== 'ESRCH';
  }
}

/** The id of a node comes from the flow file, so it may be any text. */
function tempPrefix(node: string): string {
  return `.stash-${node.replace(/[^\w-]/g, '_').slice(0, 100)}-`;
}

async function removeIfThere(file: string): Promise<void> {
  try {
    await answered(unlink(file));
  } catch (error) {
    if (codeOrMessage(error) !== 'ENOENT') throw diskError(error, path.dirname(file));
  }
}

/**
 * Returns the DISK error for an error of the file system; a StashError as it is.
 * @param got how much of the backup had arrived, as text.
 */
export function diskError(error: unknown, folder: string, got = '0 B'): StashError {
  if (error instanceof StashError) return error;
  const code = codeOrMessage(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new StashError('DISK.noFolder', { details: { folder } });
  if (code === 'EACCES' || code === 'EPERM')
    return new StashError('DISK.notAllowed', { details: { folder, code } });
  if (code === 'EROFS') return new StashError('DISK.readOnly', { details: { folder } });
  if (code === 'ENAMETOOLONG') return new StashError('DISK.longName', { details: { folder } });
  if (code === 'EFBIG') return new StashError('DISK.fileTooLarge', { details: { folder, got } });
  // The thread that checks a backup is loaded when it starts.
  if (code === 'MODULE_NOT_FOUND') return new StashError('DISK.notLoaded', { details: { code } });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StashError('DISK.filled', { details: { folder, got } });
  return new StashError('DISK.failed', { details: { folder, code, got } });
}

export function codeOrMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
