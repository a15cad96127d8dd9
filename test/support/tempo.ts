import { setTimeout as wait } from 'node:timers/promises';
import { timing } from '../../src/timing';

/** How much faster time passes in suites about long times, for the package and the fake server alike. */
export const TEMPO = 5;

/** Makes the package's own times pass faster in the suite that calls this. The fake server has an option for it. */
export function hasten(): void {
  const usual = structuredClone(timing);
  before(() => {
    const { jobs, files, newItems, activity, collect } = timing;
    for (const name of Object.keys(jobs) as (keyof typeof jobs)[]) jobs[name] /= TEMPO;
    for (const name of Object.keys(files) as (keyof typeof files)[]) files[name] /= TEMPO;
    for (const name of Object.keys(newItems) as (keyof typeof newItems)[]) newItems[name] /= TEMPO;
    for (const name of Object.keys(activity) as (keyof typeof activity)[]) activity[name] /= TEMPO;
    for (const name of Object.keys(collect) as (keyof typeof collect)[]) collect[name] /= TEMPO;
    jobs.longestLog = usual.jobs.longestLog;
    timing.statusInterval /= TEMPO;
  });
  after(() => {
    Object.assign(timing, usual);
  });
}

/** Waits for a time in milliseconds, shortened as by `hasten`. */
export async function sleep(milliseconds: number): Promise<void> {
  await wait(milliseconds / TEMPO);
}
