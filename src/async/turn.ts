import { setImmediate } from 'node:timers/promises';

/**
 * Resolves when timers and connections that are due have had their turn. One `setImmediate` is not enough for timers: after
 * the event of a connection, it is due before them.
 */
export async function othersTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
