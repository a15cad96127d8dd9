import assert from 'node:assert/strict';
import { words } from '../support/words';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

const TAB = 'labels';
const SCENES = words('find', 'kind.scene');
const [TAGS, RATING] = [words('update', 'fields.tags'), words('update', 'fields.rating')];

/** The properties of a node, and its label in the flow. */
const labelled: [type: string, properties: object, label: string][] = [
  ['scan', {}, 'stash scan'],
  ['scan', { paths: '/data/downloads', pathsType: 'str' }, 'scan: downloads'],
  ['scan', { paths: 'C:\\media\\new\\', pathsType: 'str' }, 'scan: new'],
  ['scan', { paths: '["/data/a", "/data/b"]', pathsType: 'json' }, 'scan: a, b'],
  ['scan', { paths: '[', pathsType: 'json' }, 'stash scan'],
  ['scan', { paths: 'filename', pathsType: 'msg' }, 'scan: msg.filename'],
  ['scan', { paths: '/data/a', pathsType: 'str', name: 'new films' }, 'new films'],
  ['generate', { sceneIDs: 'payload.new', sceneIDsType: 'msg' }, 'generate: msg.payload.new'],
  ['generate', { sceneIDs: '[12, 13]', sceneIDsType: 'json' }, 'generate: 12, 13'],
  ['generate', { paths: '/data/a', pathsType: 'str' }, 'generate: a'],
  ['backup', { folder: '/backups', folderType: 'str' }, 'stash backup'],
  ['backup', { download: true, folder: '/backups', folderType: 'str' }, 'backup → /backups'],
  [
    'backup',
    { download: true, folder: '/a/rather/long/path/to/the/backups', folderType: 'str' },
    'backup → …/backups',
  ],
  ['backup', { download: true, folder: 'D:\\stash\\nightly\\', folderType: 'str' }, 'backup → …/nightly'],
  ['backup', { download: true, folder: 'BACKUPS', folderType: 'env', keep: '7' }, 'backup → ${BACKUPS}'],
  ['backup', { download: true, folderType: 'message' }, 'backup → msg.payload'],
  ['performer-search', { query: 'payload', queryType: 'msg' }, 'stash performer search'],
  ['performer-search', { query: 'Robin Vale', queryType: 'str' }, 'performer search: Robin Vale'],
  [
    'performer-scrape',
    { performer: '["Robin Vale"]', performerType: 'json' },
    'performer scrape: Robin Vale',
  ],
  [
    'performer-scrape',
    { performer: 'a name that is far too long for a label', performerType: 'str' },
    'performer scrape: a name that is far too …',
  ],
  [
    'find',
    { filter: 'http://nas:9999/scenes?c=("type":"x")', filterType: 'url' },
    `find: ${SCENES}, /scenes?…`,
  ],
  [
    'find',
    { filter: 'http://nas:9999/studios/2/scenes', filterType: 'url' },
    `find: ${SCENES}, /studios/2/scenes`,
  ],
  [
    'update',
    { changes: [change('tags', 'add', 'To do', 'str')], dryRun: true },
    `update: ${words('update', 'what.dryRun', { what: `${TAGS} + To do` })}`,
  ],
  ['update', { changes: [change('tags', 'add', 'Watched', 'str')] }, `update: ${TAGS} + Watched`],
  ['update', { changes: [change('tags', 'remove', '[{"name":"new"}]', 'tag')] }, `update: ${TAGS} − new`],
  ['update', { changes: [change('tags', 'set', '["12"]', 'tag')] }, `update: ${TAGS}`],
  ['update', { changes: [change('tags', 'add', 'payload', 'msg')] }, `update: ${TAGS}`],
  ['update', { changes: [change('rating', 'set', '80', 'num')] }, `update: ${RATING} = 80`],
  [
    'update',
    { changes: [change('tags', 'add', 'a', 'str'), change('rating', 'clear', '', 'num')] },
    `update: ${TAGS}, ${RATING}`,
  ],
  ['stop', { jobType: 'all', job: '' }, `stop: ${words('stop', 'everything.job')}`],
  ['stop', { job: '12', jobType: 'str' }, 'stop: 12'],
  [
    'player',
    { action: 'message', value: 'Dinner', valueType: 'str' },
    `player: ${words('player', 'action.message')}`,
  ],
];

export const labelFlows: object[] = [
  { id: TAB, type: 'tab', label: 'labels', disabled: false, info: '' },
  ...labelled.map(([type, properties], index) => ({
    ...{ id: `labels-${index}`, type: `stash-${type}`, z: TAB, d: true, server: SERVER.id, name: '' },
    ...{ sprites: true, x: 200, y: 60 + 40 * index, wires: [[], []] },
    ...properties,
  })),
];

/** Returns a row of stash-update as the flow file has it. */
function change(field: string, action: string, value: string, valueType: string): object {
  return { field, action, value, valueType };
}

/** Describes the labels of nodes in the flow. */
export function describeLabels(stage: Stage): void {
  it('stash-backup: a new node saves to the folder of another one, and keeps as many', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const node = await editor.drag('stash-backup', 500, 60);
    await node.locator.getByText('backup → ${BACKUPS}').waitFor();
    assert.equal(await node.outputs.count(), 2);
    const dialog = await editor.openDialog(node);
    const { keep, keepDaily } = await dialog.values();
    assert.deepEqual([keep, keepDaily], ['7', '0']);
    await dialog.cancel();
    await editor.remove(node);
  });

  it('the label of a node shows its main value, unless it has a name', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    // The editor draws changes in its next frame.
    await eventually(
      async () => {
        const nodes = labelled.map((_, index) => editor.node(`labels-${index}`).locator);
        return await Promise.all(
          nodes.map((node) => node.locator('.red-ui-flow-node-label').allTextContents()),
        );
      },
      (shown) => {
        assert.deepEqual(
          shown.map((lines) => lines.join('').trim()),
          labelled.map(([, , label]) => label),
        );
      },
    );
  });
}
