import * as fc from 'fast-check';
import type { Kind } from './kind';
import { tryOut } from './lab';
import { jsonValue, make, oddText, type Recipe, recipes, seldom } from './values';

interface Case {
  payload: Recipe;
  others: Readonly<Record<string, Recipe>>;
  isFrozen: boolean;
  redeployAfter: number | undefined;
}

/** Values that a node understands, at least one of them, or nearly. */
const known = fc.constantFrom<unknown>(
  'Robin Vale',
  { name: 'Robin Vale', url: 'https://test.example/robin', birthdate: '1990-01-01', weight: Infinity },
  [{ name: 'Hana Mori', tattoos: null, aliases: ['a', 'b'], gender: 'FEMALE' }],
  { id: '1', status: 'FINISHED', description: 'Scanning...', new: { scenes: { ids: ['1', '2'], count: 2 } } },
  { id: '1', added: '2026-01-11T04:41:59Z' },
  ['/media/videos', '/media/videos/../films'],
  '{ allStudios { id name } }',
  'query ($filter: FindFilterType) { findScenes(filter: $filter) { count scenes { id title } } }',
  'mutation { metadataScan(input: {}) }',
  'subscription { jobsSubscribe { type } }',
  { plugin: 'hasher', task: 'Hash all' },
  { dryRun: true, paths: ['/media'] },
  7,
  '7 days',
);

const recipe = recipes(fc.oneof({ weight: 2, arbitrary: known }, jsonValue(oddText)));

const fromMessage = (name: string) => ({ [name]: 'payload', [`${name}Type`]: 'msg' });

/** Each node with all inputs from the message that it can have. */
const nodes = {
  scan: { ...fromMessage('paths'), ...fromMessage('minModTime') },
  generate: {
    sprites: true,
    ...fromMessage('sceneIDs'),
    markerIDs: 'markers',
    markerIDsType: 'msg',
    paths: 'paths',
    pathsType: 'msg',
  },
  task: { task: 'metadataAutoTag', ...fromMessage('options'), paths: 'paths', pathsType: 'msg' },
  backup: { download: true, folderType: 'message', ...fromMessage('filename') },
  studios: {},
  'performer-search': { ...fromMessage('query'), source: 'source', sourceType: 'msg' },
  'performer-scrape': fromMessage('performer'),
  'performer-save': fromMessage('performer'),
  query: { ...fromMessage('document'), variables: 'variables', variablesType: 'msg', pages: true },
  status: {},
  stop: fromMessage('job'),
};

/** Messages with any values, as a function node may send them. */
export const messages: Kind<Case> = {
  name: 'messages',
  cases: fc.record({
    payload: recipe,
    others: fc.dictionary(
      fc.constantFrom('paths', 'markers', 'source', 'variables', 'parts', 'stash', 'topic', 'req', '_msgid'),
      recipe,
      { maxKeys: 4 },
    ),
    isFrozen: fc.boolean(),
    redeployAfter: seldom(fc.nat(30)),
  }),
  check: ({ payload, others, isFrozen, redeployAfter }) =>
    tryOut({
      nodes,
      redeployAfter,
      inParts: ['query'],
      message: () => {
        const properties = Object.entries(others).map(([name, one]) => [name, make(one)] as const);
        const msg = { payload: make(payload), ...Object.fromEntries(properties) };
        return isFrozen ? Object.freeze(msg) : msg;
      },
    }),
};
