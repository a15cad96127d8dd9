import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { StashError } from '../errors';
import { checkArchive } from './archive';
import { checkDatabase, HEAD_BYTES, kindOf } from './content';
import type { Verification, VerifyWorkerData } from './verifier';

// Runs as a thread of its own, so that it does not block Node-RED. Reads the file right behind the writer, so that the hash is
// that of the file on disk.

const piece = Buffer.allocUnsafe(1024 * 1024);
const hash = createHash('sha256');
const { file, stopped } = workerData as VerifyWorkerData;
const descriptor = openSync(file, 'r');
let position = 0;

let isChecking = false;

parentPort?.on('message', (message: { end: number; isWhole: boolean }) => void onMessage(message));

async function onMessage({ end, isWhole }: { end: number; isWhole: boolean }): Promise<void> {
  // The check notices by itself that it has to stop.
  if (isChecking) return;
  try {
    hashUntil(end);
    if (isStopped()) finish();
    else if (isWhole) {
      isChecking = true;
      finish(await findings(end));
    }
  } catch (error) {
    finish(isStopped() ? undefined : failure(error));
  }
}

function isStopped(): boolean {
  return Atomics.load(stopped, 0) !== 0;
}

function hashUntil(end: number): void {
  while (position < end && !isStopped()) {
    const length = readSync(descriptor, piece, 0, Math.min(piece.length, end - position), position);
    if (length === 0) throw new Error('The file is shorter than what was written to it.');
    hash.update(piece.subarray(0, length));
    position += length;
  }
}

async function findings(bytes: number): Promise<Verification> {
  const sha256 = hash.digest('hex');
  const head = Buffer.alloc(Math.min(HEAD_BYTES, bytes));
  readSync(descriptor, head, 0, head.length, 0);
  if (kindOf(head) === 'database') return { sha256, checked: checkDatabase(head, bytes), pictures: null };
  return { sha256, ...(await checkArchive({ source: descriptor, bytes }, throwIfStopped)) };
}

function throwIfStopped(): void {
  if (isStopped()) throw new Error('The check has to stop.');
}

function failure(error: unknown): object {
  if (error instanceof StashError) return { failed: error.case, details: error.details };
  return { code: error instanceof Error && 'code' in error ? error.code : String(error) };
}

function finish(message?: object): void {
  // A message that has already arrived would read the closed file.
  parentPort?.removeAllListeners('message');
  closeSync(descriptor);
  if (message) parentPort?.postMessage(message);
  parentPort?.close();
}
