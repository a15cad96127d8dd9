import { KeyedLock } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { Server } from '../server';

/** The key is the address, because two config nodes may have the same. */
const lock = new KeyedLock<string>();

/**
 * Runs what looks at a server's items and then changes them, one after another in this process, so that two messages that name the same
 * new tag or performer create one.
 * @param full the error if too many wait.
 */
export async function whenOthersHaveWritten<Result>(
  { url, maxQueued }: Server,
  full: 'QUEUE_FULL.updates' | 'QUEUE_FULL.saves',
  call: Call,
  write: () => Promise<Result>,
): Promise<Result> {
  if (lock.waiting(url) >= maxQueued) {
    throw new StashError(full, { details: { count: maxQueued }, retry: true });
  }
  if (lock.isLocked(url)) call.report?.({ queue: 'waiting' });
  return await lock.run(url, call.waiting, write);
}
