// Formats the results of the benchmark.

export const MIB = 2 ** 20;
export const mib = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;
export const ms = (milliseconds) => `${milliseconds.toFixed(1)} ms`;
export const seconds = (milliseconds) => milliseconds / 1000;

/** A target, the measured value, and whether it meets the target. */
export function target(text, value, met) {
  return { text, value, met };
}

/** Returns a line for each missed target of each runtime, with the measured value. */
export function missedOf(runtimes, targets) {
  return runtimes.flatMap((runtime, index) =>
    targets[index].filter(({ met }) => !met).map(({ text, value }) => `${runtime}: ${text}: ${value}`),
  );
}

/** Prints the missed targets at the very end, where nobody overlooks them. @returns the status for the process. */
export function tellMissed(missed) {
  for (const line of missed) console.error(`MISSED ${line}`);
  console.log(missed.length === 0 ? 'Every target is met.' : `${missed.length} targets are missed.`);
  return missed.length === 0 ? 0 : 1;
}

export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Returns a table of targets for each runtime; missed ones are in bold. */
export function tableOfTargets(runtimes, targets) {
  return table(
    ['target', ...runtimes],
    targets[0].map(({ text }, index) => [
      text,
      ...targets.map((all) => (all[index].met ? all[index].value : `**${all[index].value}**`)),
    ]),
  );
}

/** Returns of what there is more than before, and how much. */
export function differences(after, before) {
  const all = Object.entries(after).map(([what, count]) => [what, count - (before[what] ?? 0)]);
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}
