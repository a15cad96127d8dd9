import { setImmediate } from 'node:timers/promises';

/**
 * Resolves after all due timers and I/O callbacks have run. It awaits two immediates, because the first one that an I/O
 * callback sets runs before the timers.
 */
export async function yieldToEventLoop(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
