import * as fc from 'fast-check';
import { type Release, releases } from '../fake-stash/releases';
import type { Kind } from './kind';
import { tryOut } from './lab';
import { type Mutation, mutated, mutation } from './mutations';
import { nodes } from './nodes';
import { seldom } from './values';

/** A disturbance of some requests. */
interface Fault {
  /** The requests that get other responses: those with a root field, those for a path, or all to /graphql. */
  requests: { field?: string; path?: string };
  /** How many of these requests get their real response first. */
  after: number;
  times: number;
  mutation: Mutation;
}

interface Case {
  release: Release;
  auth: 'none' | 'apiKey' | 'session';
  faults: readonly Fault[];
  redeployAfter: number | undefined;
}

/** The root fields that the nodes below use with some release. */
const fields = [
  '__schema',
  'version',
  'systemStatus',
  'configuration',
  'metadataScan',
  'metadataGenerate',
  'metadataAutoTag',
  'jobQueue',
  'backupDatabase',
  'allStudios',
  'scrapeSitePerformerList',
  'scrapeSite',
  'scrapePerformerList',
  'scrapePerformer',
  'scrapeSinglePerformer',
  'findPerformers',
  'performerCreate',
  'findScenes',
  'findScene',
  'findImages',
  'findGalleries',
  'stats',
  'stopJob',
];

const fault: fc.Arbitrary<Fault> = fc.record({
  requests: fc.oneof(
    { weight: 8, arbitrary: fc.record({ field: fc.constantFrom(...fields) }) },
    fc.constant({}),
    fc.record({ path: fc.constantFrom('/', '/downloads', '/login', '/scene', '/image') }),
  ),
  after: fc.nat(3),
  times: fc.constantFrom(1, 2, 1000),
  mutation,
});

/** Responses of the real operations, changed in structure, bytes, headers and delivery. */
export const responses: Kind<Case> = {
  name: 'responses',
  cases: fc.record({
    release: fc.constantFrom(...releases),
    auth: fc.constantFrom('none', 'apiKey', 'session'),
    faults: fc.array(fault, { minLength: 1, maxLength: 4 }),
    redeployAfter: seldom(fc.nat(60)),
  }),
  check: ({ release, auth, faults, redeployAfter }) =>
    tryOut({
      stash: { release },
      auth,
      nodes,
      redeployAfter,
      inParts: ['query'],
      prepare: (stash) => {
        for (const { requests, after, times, mutation: how } of faults) {
          if (after > 0) stash.answerWith(mutated(NOTHING), { ...requests, times: after });
          stash.answerWith(mutated(how), { ...requests, times });
        }
      },
    }),
};

const NOTHING: Mutation = { changes: [], damage: [], status: undefined, headers: {}, delivery: 'whole' };
