import { stat } from 'node:fs/promises';
import path from 'node:path';
import { answeredWithin, Semaphore } from '../async';
import { timing } from '../timing';

/** How many checks run at a time: Node.js has four threads for all files and host names of this process. */
const MOST = 2;
/** How long a check may take that runs when Node-RED exits, in milliseconds. */
const MOST_AT_EXIT = 1_000;

/** A disk or share did not answer in time. */
export class NoAnswer extends Error {}

/** A path was not checked, because calls about others take too long. That says nothing about it. */
export class NotChecked extends Error {}

const threads = new Semaphore(MOST);
/** Nothing can cancel a call of the file system: each of these has a thread until it is answered. */
const running = new Set<{
  readonly path: string;
  /** By `performance.now()`. */
  readonly begun: number;
  isLate: boolean;
}>();
/** Whether all of them are late. The last one has then given its permit back, so that those that wait get it in turn, and fail. */
let isStuck = false;

/**
 * Calls the file system, later than this returns and at most two times at once.
 * @param file what the call is about.
 * @throws {NoAnswer} if the call takes too long; without the call if a late one is about the same path or a folder above it.
 * @throws {NotChecked} without the call if as many others are late as may run.
 */
export async function check<T>(file: string | Buffer, call: () => Promise<T>): Promise<T> {
  const release = await new Promise<() => void>((admit) => threads.whenFree(admit));
  const current = { path: String(file), begun: performance.now(), isLate: false };
  const isBehindLate = [...running].some((one) => one.isLate && isWithin(current.path, one.path));
  if (isStuck || isBehindLate) {
    release();
    throw isBehindLate ? new NoAnswer() : new NotChecked();
  }
  if (running.size === 0) process.once('exit', exitAnyway);
  running.add(current);
  const answer = call().finally(() => {
    running.delete(current);
    if (running.size === 0) process.off('exit', exitAnyway);
    if (isStuck) isStuck = false;
    else release();
  });
  return await answeredWithin(timing.files.answer, answer, () => {
    current.isLate = true;
    isStuck = [...running].filter(({ isLate }) => isLate).length === MOST;
    if (isStuck) release();
    return new NoAnswer();
  });
}

function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

/** Ends this process: Node.js waits for its threads when it exits, perhaps for ever. */
function exitAnyway(): void {
  const now = performance.now();
  if ([...running].some(({ begun }) => now - begun > MOST_AT_EXIT)) process.kill(process.pid, 'SIGKILL');
}

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
  const seen = Promise.all(folders.map(isFolder));
  return await answeredWithin(atMost, seen, () => new NoAnswer(), signal).catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
}

/** The begin of a path to another machine or to a device, on Windows. */
const ELSEWHERE = /^[\\/]{2}/;

/** @throws {NoAnswer} @throws {NotChecked} */
async function isFolder(text: string): Promise<boolean> {
  // A server may run another system. It must not choose the machines that Windows connects and signs in to.
  if (!path.isAbsolute(text) || ELSEWHERE.test(text)) return false;
  try {
    return (await check(text, () => stat(text))).isDirectory();
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof NotChecked) throw error;
    return false;
  }
}
