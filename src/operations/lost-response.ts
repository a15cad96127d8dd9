import { sleep } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import { timing } from '../timing';

/**
 * After the lost response to a mutation, checks several times whether it ran, because the server may still be writing, or restart.
 * @param check returns undefined while nothing shows that it ran.
 * @throws the reason of the call's signals, once one is aborted.
 */
export async function checkLost<T>(
  { signal, waiting }: Call,
  check: (call: Call) => Promise<T | undefined>,
): Promise<T | undefined> {
  const ended = AbortSignal.any([signal, waiting]);
  for (let number = 0, wait = timing.lostSave.first; number < timing.lostSave.checks; number++, wait *= 2) {
    await sleep(wait, ended);
    try {
      const found = await check({ signal: ended, waiting: ended });
      if (found !== undefined) return found;
    } catch (error) {
      // A server that is unreachable now may be back at the next check.
      if (ended.aborted || !(error instanceof StashError)) throw error;
    }
  }
  return undefined;
}
