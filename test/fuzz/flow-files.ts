import path from 'node:path';
import * as fc from 'fast-check';
import { samples } from '../support/nodes';
import type { Kind } from './kind';
import { tryOut } from './lab';
import { jsonValue, oddText } from './values';
import { serverDefaults } from '../../src/contract/server';

type Properties = Record<string, unknown>;

interface Case {
  /** The properties that differ from those of a dialog, by node. */
  nodes: Readonly<Record<string, Properties>>;
  server: Properties;
  credentials: Readonly<Record<string, string>>;
  payload: unknown;
}

/** The properties that the dialogs save. */
const kept = Object.fromEntries(samples().map(([name, { byHand }]) => [name, byHand.kept]));

const value = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', '0', '1', '-1', 'abc', true, false, null, [], {}, ['id'], '[]', '{}'),
  },
  // Node-RED itself cannot load a value that has no text.
  {
    weight: 3,
    arbitrary: jsonValue(oddText).filter((one) => !/"(?:toString|valueOf)":/.test(JSON.stringify(one))),
  },
);

const type = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        'msg',
        'flow',
        'global',
        'str',
        'num',
        'bool',
        'json',
        'bin',
        'date',
        'env',
        'jsonata',
        're',
        'cred',
      ],
      ...[
        'none',
        'all',
        'any',
        'library',
        'server',
        'message',
        'graphql',
        'scene',
        'performer',
        'folders',
        'scenes',
      ],
    ),
  },
  value,
);

/** Returns values for some properties. */
function some(names: readonly string[]): fc.Arbitrary<Properties> {
  const one = fc.constantFrom(...names).chain((name) => valueOf(name).map((given) => [name, given] as const));
  return fc.array(one, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));
}

function valueOf(name: string): fc.Arbitrary<unknown> {
  if (name.endsWith('Type') && name !== 'packageType') return type;
  // No test writes a file anywhere but into its own folder.
  if (name === 'folder') return value.filter((one) => typeof one !== 'string' || !mayBeFolder(one));
  return value;
}

function mayBeFolder(text: string): boolean {
  return path.isAbsolute(text) || text.startsWith('$');
}

const names = Object.keys(kept);
const serverNames = ['name', ...Object.keys(serverDefaults)];
const credentialNames = ['apiKey', 'username', 'password', 'headers'] as const;

/** Flow files in which any property has any value, or is missing. */
export const flowFiles: Kind<Case> = {
  name: 'flow files',
  cases: fc.record({
    nodes: fc.record(Object.fromEntries(names.map((name) => [name, some(Object.keys(kept[name] ?? {}))]))),
    server: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, some(serverNames)),
    credentials: fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.dictionary(fc.constantFrom(...credentialNames), oddText, { maxKeys: 3 }),
    ),
    payload: fc.constantFrom('Robin Vale', '1', ['1'], { id: '1' }, { name: 'Robin Vale' }),
  }),
  check: ({ nodes, server, credentials, payload }) =>
    tryOut({
      nodes: Object.fromEntries(names.map((name) => [name, { ...kept[name], ...OWN[name], ...nodes[name] }])),
      server,
      credentials,
      message: () => ({ payload: structuredClone(payload) }),
      inParts: ['query', 'performer-search'],
      // A dialog may ask for any wait.
      patience: 1500,
    }),
};

/** What a trial needs instead of what was entered by hand. */
const OWN: Readonly<Record<string, Properties>> = {
  scan: { settle: '0', collect: '0', waitLimit: '0.01' },
  backup: { folder: '', folderType: 'message' },
};
