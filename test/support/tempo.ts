import { setTimeout as wait } from 'node:timers/promises';
import { timing } from '../../src/timing';

/** How many times faster time passes in suites that are about long times, for the package and the fake server alike. */
export const TEMPO = 5;

/**
 * What real connections, timers and busy processors take, whatever the tempo; added where the package waits for the other
 * side.
 */
const LATENCY = 250;

/** Lets the package's own times pass faster in the suite that calls this. The fake server has an option for it. */
export function hasten(): void {
  const usual = structuredClone(timing);
  before(() => {
    const { jobs } = timing;
    for (const name of Object.keys(jobs) as (keyof typeof jobs)[]) jobs[name] /= TEMPO;
    jobs.logMargin = usual.jobs.logMargin;
    jobs.logBatch += LATENCY;
    timing.statusInterval /= TEMPO;
    timing.stateAfterError /= TEMPO;
  });
  after(() => {
    Object.assign(timing, usual);
  });
}

/** Waits for so many of the milliseconds that `hasten` makes shorter. */
export async function sleep(milliseconds: number): Promise<void> {
  await wait(milliseconds / TEMPO);
}
