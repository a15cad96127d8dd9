import * as fc from 'fast-check';

/** One kind of input that is made up at random. */
export interface Kind<Case> {
  name: string;
  cases: fc.Arbitrary<Case>;
  /** Rejects if something is wrong. */
  check: (one: Case) => Promise<void>;
}

/** What a kind of input has led to. */
interface Outcome {
  /** How many cases were tried. */
  cases: number;
  /** What is wrong, once for each text, with the seed and the smallest case that fails. */
  findings: string[];
}

/** Tries a fixed number of cases of a fixed seed. */
export async function tryFixed<Case>({ cases, check }: Kind<Case>, numRuns: number): Promise<void> {
  await fc.assert(fc.asyncProperty(cases, check), { seed: 1, numRuns, includeErrorInReport: true });
}

/** How many cases one seed makes. A finding ends the cases of its seed. */
const CASES = 25;

/** Tries other cases each time, for some minutes. */
export async function tryFor<Case>({ cases, check }: Kind<Case>, minutes: number): Promise<Outcome> {
  const end = performance.now() + minutes * 60_000;
  const findings = new Map<string, string>();
  let count = 0;
  const counted = async (one: Case) => {
    count += 1;
    await check(one);
  };
  while (performance.now() < end) {
    const details = await fc.check(fc.asyncProperty(cases, counted), { numRuns: CASES });
    if (!details.failed) continue;
    const { errorInstance: error } = details;
    const what = error instanceof Error ? error.message : String(error);
    const key = what.replace(/\d+/g, '');
    if (!findings.has(key)) findings.set(key, `${what}\n${fc.defaultReportMessage(details) ?? ''}`);
  }
  return { cases: count, findings: [...findings.values()] };
}
