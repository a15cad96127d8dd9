import { setTimeout as sleep } from 'node:timers/promises';

/** What is waited for now, with what is known of it. */
const waiting = new Set<() => string>();

/**
 * Waits until messages, statuses or a server make the condition true, as long as the test may take. The failure of a test
 * that runs out of time names the condition and what `describe` returns.
 */
export async function until(condition: () => boolean, describe = () => ''): Promise<void> {
  const report = () => `${String(condition)}\n${describe()}`.trim();
  waiting.add(report);
  // The test has failed by then; but a run must come to its end.
  const end = performance.now() + 120_000;
  while (!condition() && performance.now() < end) await sleep(2);
  waiting.delete(report);
}

/** What a test that has just failed was waiting for, if anything. */
export function waitedInVain(): string {
  const all = [...waiting].map((report) => `Waited in vain for ${report()}`);
  waiting.clear();
  return all.join('\n');
}
