import { setTimeout as sleep } from 'node:timers/promises';

/** What is waited for now, with what is known of it. */
const waiting = new Set<() => string>();

/**
 * Waits for something that messages, statuses or a server bring about, as long as the test may take. A test that runs out of
 * time is reported with the condition and what `describe` tells of it.
 */
export async function until(condition: () => boolean, describe = () => ''): Promise<void> {
  const told = () => `${String(condition)}\n${describe()}`.trim();
  waiting.add(told);
  // The test has failed by then; but a run must come to its end.
  const end = performance.now() + 120_000;
  while (!condition() && performance.now() < end) await sleep(2);
  waiting.delete(told);
}

/** What a test that has just failed was waiting for, if anything. */
export function waitedInVain(): string {
  const all = [...waiting].map((told) => `Waited in vain for ${told()}`);
  waiting.clear();
  return all.join('\n');
}
