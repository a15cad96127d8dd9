import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Reads a value until `check` accepts it.
 * @throws the last error of `check` after the time limit.
 */
export async function eventually<Value>(
  read: () => Promise<Value>,
  check: (value: Value) => void,
): Promise<void> {
  const end = performance.now() + 60_000;
  for (;;) {
    const value = await read();
    try {
      check(value);
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await sleep(30);
  }
}
