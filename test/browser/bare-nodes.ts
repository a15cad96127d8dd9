import assert from 'node:assert/strict';
import { samples } from '../support/nodes';
import { SERVER, type Stage } from './stage';

const TAB = 'bare-nodes';

/** The nodes that are valid with their defaults. A flow written by hand may lack all their properties. */
const types = samples()
  .filter(([, { asDragged }]) => asDragged?.code === undefined)
  .map(([name]) => `stash-${name}`);

/** A tab with a node of each type whose only property is its server. */
export const bareNodes: object[] = [
  { id: TAB, type: 'tab', label: 'bare', disabled: false, info: '' },
  ...types.map((type, index) => ({
    id: `bare-${type}`,
    type,
    z: TAB,
    server: SERVER.id,
    x: 200,
    y: 100 + 60 * index,
    wires: [[], []],
  })),
];

/** The part of the editor's API with the defaults of a new node. */
declare const RED: {
  nodes: { getType(type: string): { defaults: Record<string, { value?: unknown; type?: string }> } };
};

/** Describes the dialogs of nodes without properties. */
export function describeBareNodes(stage: Stage): void {
  for (const type of types) {
    it(`${type}: the dialog of a node without properties opens with the defaults and without errors`, async () => {
      const { editor } = stage;
      await editor.show(TAB);
      const node = editor.node(`bare-${type}`);
      assert.equal(await node.flag.isVisible(), false);
      const dialog = await editor.openDialog(node);
      const shown = await dialog.values();
      for (const [property, value] of Object.entries(await defaultsOf(type))) {
        const option = editor.page.locator(`select#node-input-${property}:not([multiple]) option:checked`);
        if ((await option.count()) > 0) assert.equal(await option.getAttribute('value'), value, property);
        else if (property === 'outputs') assert.equal(shown[property], String(value));
        else if (property !== 'name') assert.deepEqual(shown[property], value, property);
      }
      assert.equal(await editor.page.locator('#dialog-form .input-error').count(), 0);
      await dialog.cancel();
    });
  }

  it('stash-server: the dialog of a node without properties opens with the defaults and without errors', async () => {
    const { editor } = stage;
    const server = await editor.openServer(SERVER.id);
    const { retryFor, timeout, lookupTimeout, backupTimeout } = await server.values();
    assert.deepEqual([retryFor, timeout, lookupTimeout, backupTimeout], ['60', '30', '90', '3600']);
    assert.equal(await editor.page.locator('#node-config-dialog-edit-form .input-error').count(), 0);
    await server.cancel();
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
