import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import type { Kind } from './kind';
import { database } from '../fake-stash/database';
import { tryOut } from './lab';
import {
  type Change,
  change,
  changed,
  type Damage,
  damage,
  damaged,
  jsonOf,
  type Mutation,
  mutated,
  mutation,
} from './mutations';
import { oddText, seldom } from './values';
import { MANIFEST_OWNER, TempFile } from '../../src/backups/folder';

/** What lies in the folder before the backup. A link leads out of the folder. */
interface Entry {
  name: string;
  what: 'file' | 'folder' | 'link' | 'linkToFolder' | 'brokenLink';
}

interface Case {
  entries: readonly Entry[];
  /** The manifest: none, one with these changes, or any text. */
  manifest: undefined | { changes: readonly Change[] } | { text: string };
  damage: readonly Damage[];
  /** The name of the database at the server, which is in the link. */
  databaseName: string;
  link: string | undefined;
  delivery: Mutation | undefined;
  filename: { filename?: string; filenameType: string };
  overwrite: boolean;
  keep: string;
  quickCheck: boolean | undefined;
}

const MANIFEST = '.stash-backups.json';
const CONTENT = database();

const NAMES = [
  'night.sqlite',
  'old.sqlite',
  'older.sqlite',
  MANIFEST,
  ...['backup', MANIFEST_OWNER].map((node) =>
    path.basename(new TempFile('', node).path).replace(/\w{16}(?=\.partial$)/, '0123456789abcdef'),
  ),
];

const fileName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
  oddText.map((text) => text.replaceAll(/[/\0]/g, '_').slice(0, 60)),
);

const databaseName = fc.oneof(
  { weight: 2, arbitrary: fc.constant('stash-go.sqlite') },
  oddText.map((text) => text.slice(0, 2000)),
  fc.constantFrom(
    '..',
    '../..',
    '..%2f..%2foutside',
    '%2e%2e/%2e%2e/outside.txt',
    '..\\..\\outside.txt',
    'a/../../../outside.txt',
    'nul',
    'CON.sqlite',
    'night.sqlite:stream',
    'a\u202egpj.sqlite',
    '%00',
    '%ff%fe',
    'x'.repeat(300),
    'ä'.repeat(300),
    MANIFEST,
    '?x=1',
    '#x',
  ),
);

const template = fc.oneof(
  oddText.filter((text) => !text.startsWith('${')),
  fc.constantFrom('night.sqlite', '{server}', '{schema}/x', MANIFEST, '{server}.{time}', 'ſ', 'a\u0300'),
  fc.constantFrom('../{date}', '../outside.txt', '../outside/{server}', './../x', 'a/../../x'),
);

/** Backups of any content and name, into a folder with anything in it. */
export const files: Kind<Case> = {
  name: 'files',
  cases: fc.record({
    entries: fc.uniqueArray(
      fc.record({
        name: fileName,
        what: fc.constantFrom('file', 'file', 'folder', 'link', 'linkToFolder', 'brokenLink'),
      }),
      { maxLength: 5, selector: ({ name }) => name },
    ),
    manifest: fc.oneof(
      fc.constant(undefined),
      fc.record({ changes: fc.array(change, { maxLength: 2 }) }),
      fc.record({ text: oddText }),
    ),
    damage: fc.oneof({ weight: 3, arbitrary: fc.constant<Damage[]>([]) }, fc.array(damage, { maxLength: 2 })),
    databaseName,
    link: seldom(
      fc.constantFrom(
        '//127.0.0.1:1/x',
        'http://127.0.0.1:1/downloads/x',
        '',
        '\\\\x',
        '/../x',
        'file:///etc/passwd',
      ),
    ),
    delivery: seldom(mutation),
    filename: fc.oneof(
      fc.constant({ filenameType: 'server' }),
      fc.record({ filename: template, filenameType: fc.constant('str') }),
    ),
    overwrite: fc.boolean(),
    keep: fc.constantFrom('0', '1', '2'),
    quickCheck: seldom(fc.constant(true)),
  }),
  check: async ({ entries, manifest, damage: damages, link, delivery, quickCheck, filename, ...one }) => {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'node-red-stash-')));
    const folder = path.join(root, 'backups');
    try {
      prepareFolder(root, folder, entries);
      if (manifest) writeManifest(folder, manifest);
      const before = treeOf(root);
      await tryOut({
        nodes: {
          backup: {
            download: true,
            folder,
            folderType: 'str',
            quickCheck: quickCheck === true,
            overwrite: one.overwrite,
            keep: one.keep,
            ...filename,
          },
        },
        prepare: (stash) => {
          stash.backups.content = damages.reduce(damaged, CONTENT);
          stash.backups.databaseName = one.databaseName;
          if (link !== undefined) {
            stash.answerWith(mutated({ ...EMPTY, changes: [{ at: 2, set: link }] }), {
              field: 'backupDatabase',
            });
          }
          if (delivery) stash.answerWith(mutated(delivery), { path: '/downloads' });
        },
      });
      compare(before, treeOf(root), folder, one.overwrite);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
};

const EMPTY: Mutation = { changes: [], damage: [], status: undefined, headers: {}, delivery: 'whole' };

function prepareFolder(root: string, folder: string, entries: readonly Entry[]): void {
  mkdirSync(folder);
  mkdirSync(path.join(root, 'outside'));
  writeFileSync(path.join(root, 'outside', 'old.sqlite'), 'outside');
  writeFileSync(path.join(root, 'outside.txt'), 'outside');
  for (const { name, what } of entries) {
    const place = path.join(folder, name);
    // The system does not allow some names.
    const isFree = name !== '' && lstatSync(place, { throwIfNoEntry: false }) === undefined;
    if (!isFree) continue;
    if (what === 'folder') mkdirSync(place);
    else if (what === 'link') symlinkSync(path.join(root, 'outside.txt'), place);
    else if (what === 'linkToFolder') symlinkSync(path.join(root, 'outside'), place);
    else if (what === 'brokenLink') symlinkSync(path.join(root, 'nothing'), place);
    else writeFileSync(place, 'old');
  }
}

/** Writes a manifest that names the files of this node, with changes. */
function writeManifest(folder: string, manifest: NonNullable<Case['manifest']>): void {
  const file = path.join(folder, MANIFEST);
  if (lstatSync(file, { throwIfNoEntry: false })) return;
  const sha256 = createHash('sha256').update('old').digest('hex');
  const backups = ['old.sqlite', 'older.sqlite'].map((name, index) => ({
    owner: 'backup server',
    file: name,
    bytes: 3,
    sha256,
    madeAt: new Date(index).toISOString(),
  }));
  const content = { version: 1, backups };
  const text =
    'text' in manifest ? manifest.text : jsonOf(manifest.changes.reduce<unknown>(changed, content));
  writeFileSync(file, text);
}

/** Returns the content of all files below a folder, without following links. */
function treeOf(folder: string, tree = new Map<string, string>()): Map<string, string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      tree.set(place, 'folder');
      treeOf(place, tree);
    } else
      tree.set(place, entry.isSymbolicLink() ? `-> ${readlinkSync(place)}` : readFileSync(place, 'latin1'));
  }
  return tree;
}

/** @throws if something outside the folder changed, or if something in it changed that is neither the backup nor the manifest. */
function compare(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  folder: string,
  overwrite: boolean,
): void {
  const isInside = (place: string) => path.dirname(place) === folder;
  const added = [...after.keys()].filter((place) => !before.has(place));
  const lost = [...before.keys()].filter((place) => !after.has(place));
  const other = [...before].filter(([place, content]) => after.has(place) && after.get(place) !== content);
  for (const place of [...added, ...lost, ...other.map(([changedPlace]) => changedPlace)]) {
    if (!isInside(place)) throw new Error(`${place} outside of the folder changed`);
  }
  const left = added.filter((place) => place.endsWith('.partial'));
  if (left.length > 0) throw new Error(`${left.join()} is left`);
  for (const place of lost) {
    const name = path.basename(place);
    const mayGo = ['old.sqlite', 'older.sqlite'].includes(name) || name.endsWith('.partial');
    if (!mayGo) throw new Error(`${place} was removed`);
  }
  for (const [place] of other) {
    const mayChange = overwrite || path.basename(place) === MANIFEST;
    if (!mayChange) throw new Error(`${place} was replaced`);
  }
  const backups = added.filter((place) => path.basename(place) !== MANIFEST);
  if (backups.length > 1) throw new Error(`${backups.join()} were added`);
}
