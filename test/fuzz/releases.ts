import * as fc from 'fast-check';
import type { ComingOptions } from '../fake-stash/coming';
import { changedSchema, changesOf, isRoot, namesOf, type SchemaChange } from '../fake-stash/schema-change';
import { releases } from '../fake-stash/releases';
import { updateKinds } from '../../src/contract/update';
import { allKinds } from '../../src/contract/kinds';
import { taskNames } from '../../src/operations/tasks/kinds';
import { timing } from '../../src/timing';
import type { Kind } from './kind';
import { type Trial, tryOut } from './lab';
import { nodes } from './nodes';

interface Case {
  changes: readonly SchemaChange[];
  /** What it has of open pull requests. */
  coming: ComingOptions;
  /** What is chosen in the nodes that offer a choice. */
  chosen: { task: (typeof taskNames)[number]; found: string; updated: string; source: string };
}

const newest = releases.at(-1) ?? 'documented';
const { schema } = changedSchema(newest, [], { verifies: true, role: 'READ' });
const possible = changesOf(schema);

/** Changes of the operations themselves, or of one of the other types, however many fields it has. */
const change = fc.oneof(fc.constantFrom(...possible.filter(({ type }) => isRoot(type))), {
  weight: 2,
  arbitrary: fc
    .constantFrom(...new Set(possible.map(({ type }) => type)))
    .chain((type) => fc.constantFrom(...possible.filter((one) => one.type === type))),
});

/** The task that others are to replace. */
const noClean: SchemaChange = { how: 'removed', type: 'Mutation', field: 'metadataClean' };

const coming: fc.Arbitrary<ComingOptions> = fc.record(
  { verifies: fc.boolean(), role: fc.constantFrom('READ', 'MODIFY', 'ADMIN') },
  { requiredKeys: [] },
);

/** Releases that nobody knows yet: the schema of the newest one, with what is to come, and with changes. */
export const unknownReleases: Kind<Case> = {
  name: 'unknown releases',
  cases: fc.record({
    changes: fc.array(fc.oneof({ weight: 20, arbitrary: change }, fc.constant(noClean)), {
      minLength: 1,
      maxLength: 6,
    }),
    coming,
    chosen: fc.record({
      task: fc.constantFrom(...taskNames),
      found: fc.constantFrom(...allKinds),
      updated: fc.constantFrom(...updateKinds),
      source: fc.constantFrom('', 'localtest'),
    }),
  }),
  check: tryRelease,
};

/** The time limits, in seconds. Only the server is to blame for an error, never a busy machine. */
const LIMIT = 10;

async function tryRelease({ changes, coming, chosen }: Case): Promise<void> {
  const { longestIdle } = timing.downloads;
  timing.downloads.longestIdle = LIMIT * 1000;
  try {
    await tryOut(trialOf(changes, coming, chosen));
  } finally {
    timing.downloads.longestIdle = longestIdle;
  }
}

function trialOf(
  changes: Case['changes'],
  coming: ComingOptions,
  { task, found, updated, source }: Case['chosen'],
): Trial {
  const { role = 'ADMIN' } = coming;
  return {
    stash: { release: newest, schemaChanges: changes, ...coming },
    auth: coming.role ? 'apiKey' : 'none',
    notAllowed: role === 'ADMIN' ? [] : role === 'READ' ? [...starting, ...writing] : starting,
    server: { timeout: LIMIT, lookupTimeout: LIMIT, backupTimeout: LIMIT },
    nodes: {
      ...nodes,
      scan: { ...nodes.scan, waitLimit: '1' },
      generate: { ...nodes.generate, waitLimit: '1' },
      task: { ...nodes.task, waitLimit: '1', task, ...options[task] },
      find: { ...nodes.find, kind: found, filter: JSON.stringify(criterionOf(found)), filterType: 'json' },
      update: { ...nodes.update, kind: updated },
      'performer-search': { ...nodes['performer-search'], source, sourceType: 'str' },
      'performer-scrape': { ...nodes['performer-scrape'], source, sourceType: 'str' },
    },
    inParts: ['query'],
    prepare: (stash) => {
      stash.people.add({ name: 'Hana Sato' });
      stash.library.add({ path: '/media/pictures/harbour.zip' }, stash.clock.now());
    },
    reasons: changes.flatMap((one) => namesOf(schema, one)),
  };
}

/** The nodes whose mutations only an administrator may send, and those for which it is enough to may change items. */
const starting = ['scan', 'generate', 'task', 'backup', 'pause', 'stop'];
const writing = ['performer-save', 'update'];

/** What the fake server can find items of a kind by. */
function criterionOf(kind: string): object {
  return ['performer', 'studio', 'tag'].includes(kind)
    ? { name: { value: 'a', modifier: 'INCLUDES' } }
    : { created_at: { value: '2020-01-01', modifier: 'GREATER_THAN' } };
}

const options: Partial<Record<(typeof taskNames)[number], object>> = {
  metadataIdentify: {
    options: '{"sources": [{"source": {"scraper_id": "builtin_autotag"}}]}',
    optionsType: 'json',
  },
  runPluginTask: { plugin: 'tidy', pluginTask: 'Tidy up' },
};
