import timers from 'node:timers/promises';

/** Waits for real, also while a test has a clock of its own. */
const sleep = timers.setTimeout;

/** The descriptions of the current waits. */
const waiting = new Set<() => string>();

/**
 * Waits until messages, statuses or a server make a condition true. If the test times out, its failure contains the
 * condition and the result of `describe`.
 */
export async function until(condition: () => boolean, describe = () => ''): Promise<void> {
  const report = () => `${String(condition)}\n${describe()}`.trim();
  waiting.add(report);
  // The test has failed by then, but the run must end.
  const end = performance.now() + 120_000;
  while (!condition() && performance.now() < end) await sleep(2);
  waiting.delete(report);
}

/** Returns the conditions that a failed test was waiting for. */
export function waitedInVain(): string {
  const all = [...waiting].map((report) => `Waited in vain for ${report()}`);
  waiting.clear();
  return all.join('\n');
}
