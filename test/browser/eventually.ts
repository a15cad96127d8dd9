import { setTimeout as sleep } from 'node:timers/promises';

/** Reads something until a check of it passes; if that takes too long, the check's own error tells what it was last. */
export async function eventually<Value>(
  read: () => Promise<Value>,
  check: (value: Value) => void,
): Promise<void> {
  const end = performance.now() + 30_000;
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
