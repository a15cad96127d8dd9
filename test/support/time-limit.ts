import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import { useFakeTimers } from 'sinon';
import { until } from './waiting';

/**
 * Calls `ask`, and lets its time limit pass once `isPending` is true, no sooner. Nothing waits for real, so a machine that
 * pauses ends nothing that should be answered.
 */
export async function passTimeLimit<T>(
  seconds: number,
  ask: () => Promise<T>,
  isPending: () => boolean,
): Promise<T> {
  const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
  try {
    let hasEnded = false;
    const answer = ask().finally(() => {
      hasEnded = true;
    });
    await until(isPending);
    clock.tick(seconds * 1000 - 1);
    await immediately();
    assert.equal(hasEnded, false, 'it ends before the time limit');
    clock.tick(1);
    // What follows waits for real.
    clock.restore();
    return await answer;
  } finally {
    clock.restore();
  }
}
