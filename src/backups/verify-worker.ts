import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { StashError } from '../errors';
import { checkContent, HEAD_BYTES, TAIL_BYTES } from './content';
import type { Verification, VerifyWorkerData } from './verifier';

// Runs as a thread of its own, so that it does not block Node-RED. Reads the file right behind the writer, so that the hash is
// that of the file on disk.

const piece = Buffer.allocUnsafe(1024 * 1024);
const hash = createHash('sha256');
const { file, stopped } = workerData as VerifyWorkerData;
const descriptor = openSync(file, 'r');
let position = 0;

parentPort?.on('message', onMessage);

function onMessage({ end, isWhole }: { end: number; isWhole: boolean }): void {
  try {
    hashUntil(end);
    if (isStopped()) finish();
    else if (isWhole) finish(findings(end));
  } catch (error) {
    finish(failure(error));
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

function findings(bytes: number): Verification {
  const head = bytesAt(0, Math.min(HEAD_BYTES, bytes));
  const tail = bytesAt(Math.max(0, bytes - TAIL_BYTES), Math.min(TAIL_BYTES, bytes));
  return { sha256: hash.digest('hex'), checked: checkContent(head, tail, bytes) };
}

function bytesAt(from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(descriptor, bytes, 0, length, from);
  return bytes;
}

function failure(error: unknown): object {
  if (error instanceof StashError) return { failed: error.case, details: error.details };
  return { code: error instanceof Error && 'code' in error ? error.code : String(error) };
}

function finish(message?: object): void {
  // A message that has already arrived would read the closed file.
  parentPort?.off('message', onMessage);
  closeSync(descriptor);
  if (message) parentPort?.postMessage(message);
  parentPort?.close();
}
