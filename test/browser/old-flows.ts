import assert from 'node:assert/strict';
import { words } from '../flow/words';
import { samples } from '../support/nodes';
import { SERVER, type Stage } from './stage';

const TAB = 'old-flows';
const LINK = 'old-link';

/** The nodes that are valid with their defaults. An old flow file may lack all their properties. */
const types = samples()
  .filter(([, { asDragged }]) => asDragged?.code === undefined)
  .map(([name]) => `stash-${name}`);

/** A tab with a node of each type whose only property is its server. */
export const oldFlows: object[] = [
  { id: TAB, type: 'tab', label: 'old', disabled: false, info: '' },
  ...types.map((type, index) => ({
    id: `old-${type}`,
    type,
    z: TAB,
    server: SERVER.id,
    x: 200,
    y: 100 + 60 * index,
    wires: [[], []],
  })),
  {
    id: LINK,
    type: 'stash-backup',
    z: TAB,
    d: true,
    server: SERVER.id,
    download: true,
    x: 460,
    y: 100,
    wires: [[]],
  },
];

/** The part of the editor's API with the defaults of a new node. */
declare const RED: {
  nodes: { getType(type: string): { defaults: Record<string, { value?: unknown; type?: string }> } };
};

/** Describes the dialogs of nodes that an older version saved without some properties. */
export function describeOldFlows(stage: Stage): void {
  for (const type of types) {
    it(`${type}: the dialog of a node of an older version opens with the defaults and without errors`, async () => {
      const { editor } = stage;
      await editor.show(TAB);
      const node = editor.node(`old-${type}`);
      assert.equal(await node.flag.isVisible(), false);
      const dialog = await editor.openDialog(node);
      const shown = await dialog.values();
      for (const [property, value] of Object.entries(await defaultsOf(type))) {
        if (property === 'reply') assert.equal(shown[property], words('server', 'reply.started'));
        else if (property === 'outputs') assert.equal(shown[property], String(value));
        else if (property !== 'name') assert.deepEqual(shown[property], value, property);
      }
      assert.equal(await editor.page.locator('#dialog-form .input-error').count(), 0);
      await dialog.cancel();
    });
  }

  it('stash-server: the dialog of a node of an older version opens with the defaults and without errors', async () => {
    const { editor } = stage;
    const server = await editor.openServer(SERVER.id);
    const { retryFor, timeout, lookupTimeout, backupTimeout } = await server.values();
    assert.deepEqual([retryFor, timeout, lookupTimeout, backupTimeout], ['60', '30', '90', '3600']);
    assert.equal(await editor.page.locator('#node-config-dialog-edit-form .input-error').count(), 0);
    await server.cancel();
  });

  it('stash-backup: a node that used to return a link is invalid until it has a folder', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const node = editor.node(LINK);
    assert.deepEqual((await node.reasons()).slice(1), [words('backup', 'invalid.folder')]);
    const dialog = await editor.openDialog(node);
    await dialog.text(words('backup', 'invalid.folder')).waitFor();
    await dialog.cancel();
  });

  /** Returns the properties of a new node of a type, except for config nodes. */
  async function defaultsOf(type: string): Promise<Record<string, unknown>> {
    return await stage.editor.page.evaluate((typeName) => {
      const { defaults } = RED.nodes.getType(typeName);
      const own = Object.entries(defaults).filter(([, property]) => property.type === undefined);
      return Object.fromEntries(own.map(([name, { value }]) => [name, value]));
    }, type);
  }
}
