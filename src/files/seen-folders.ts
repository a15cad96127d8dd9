import { stat } from 'node:fs/promises';
import path from 'node:path';
import { untilAborted, withTimeLimit } from '../async';
import { check, NoAnswer } from './checks';

/**
 * Finds out which folders this machine sees, in their order.
 * @returns undefined if a share does not answer in time.
 * @param atMost how long to wait, in milliseconds.
 * @throws the signal's reason once it is aborted.
 */
export async function seenFolders(
  folders: readonly string[],
  atMost: number,
  signal: AbortSignal,
): Promise<readonly boolean[] | undefined> {
  const limit = new AbortController();
  const seen = Promise.all(folders.map(isFolder));
  try {
    return await withTimeLimit(limit, atMost / 1000, () =>
      untilAborted(seen, AbortSignal.any([signal, limit.signal])),
    );
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The begin of a path to another machine or to a device, on Windows. */
const ELSEWHERE = /^[\\/]{2}/;

/** @throws {NoAnswer} */
async function isFolder(text: string): Promise<boolean> {
  // A server may run another system. It must not choose the machines that Windows connects and signs in to.
  if (!path.isAbsolute(text) || ELSEWHERE.test(text)) return false;
  try {
    return (await check(text, () => stat(text))).isDirectory();
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    return false;
  }
}
