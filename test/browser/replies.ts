import assert from 'node:assert/strict';
import { words } from '../words';
import type { Dialog } from './dialog';
import type { FlowNode } from './editor';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

const TAB = 'replies';
const names = ['scan', 'generate'];

/** A node for each type that starts jobs, as an older version saved it: with one output, which it does not tell. */
export const replyFlows: object[] = [
  { id: TAB, type: 'tab', label: 'replies', disabled: false, info: '' },
  ...names.flatMap((name, index) => [
    {
      id: `replies-${name}`,
      type: `stash-${name}`,
      z: TAB,
      server: SERVER.id,
      sprites: true,
      x: 200,
      y: 100 + 200 * index,
      wires: [[`replies-${name}-0`]],
    },
    ...[0, 1].map((output) => ({
      id: `replies-${name}-${output}`,
      type: 'debug',
      z: TAB,
      name: output === 0 ? 'result' : 'progress',
      active: false,
      tosidebar: true,
      console: false,
      tostatus: false,
      complete: 'payload',
      targetType: 'msg',
      statusVal: '',
      statusType: 'auto',
      x: 420,
      y: 80 + 60 * output + 200 * index,
      wires: [],
    })),
  ]),
];

/** When a node that starts a job sends its message on, by hand. */
export function describeReplies(stage: Stage): void {
  for (const name of names) {
    it(`stash-${name}: an output comes and goes with the reply, and no other wire with it`, async () => {
      const { editor, nodeRed } = stage;
      const saved = async () => {
        const flows = (await nodeRed.get('flows')) as Record<string, unknown>[];
        const { reply, outputs, wires } = flows.find(({ id }) => id === `replies-${name}`) ?? {};
        return { reply, outputs, wires };
      };
      const first = [`replies-${name}-0`];
      const second = [`replies-${name}-1`];
      await editor.show(TAB);
      const node = editor.node(`replies-${name}`);
      assert.equal(await outputsOf(node), 1);

      // Somebody who looks at it and changes nothing else gets neither an output nor a wire.
      await edit(stage, node, (dialog) => dialog.type('name', 'looked at'));
      await editor.deploy();
      assert.deepEqual(await saved(), { reply: 'started', outputs: 1, wires: [first] });

      await edit(stage, node, (dialog) => dialog.choose('reply', words('server', 'reply.finished')));
      assert.equal(await outputsOf(node), 2);
      assert.deepEqual(await labelsOf(stage, node), ['output.result', 'output.progress'].map(inServer));
      await editor.wire(node, editor.node(`replies-${name}-1`), 1);
      await editor.deploy();
      assert.deepEqual(await saved(), { reply: 'finished', outputs: 2, wires: [first, second] });

      await edit(stage, node, (dialog) => dialog.choose('reply', words('server', 'reply.started')));
      assert.equal(await outputsOf(node), 1);
      assert.deepEqual(await labelsOf(stage, node), [inServer('output.job')]);
      await editor.deploy();
      assert.deepEqual(await saved(), { reply: 'started', outputs: 1, wires: [first] });
    });
  }

  it('stash-scan: what is about the end of a job shows only where it is waited for, and is never wrong unseen', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const node = editor.node('replies-scan');
    const dialog = await editor.openDialog(node);
    const about = ['sendFailed', 'waitLimit', 'stalledAfter', 'listNew'];
    for (const property of about) assert.equal(await dialog.input(property).isVisible(), false, property);
    await dialog.choose('reply', words('server', 'reply.finished'));
    for (const property of about) assert.equal(await dialog.input(property).isVisible(), true, property);
    await dialog.type('waitLimit', 'long');
    await dialog.tells('waitLimit', words('server', 'invalid.waitLimit'));
    await dialog.type('stalledAfter', '30');
    await dialog.choose('reply', words('server', 'reply.started'));
    const { waitLimit, stalledAfter } = await dialog.values();
    assert.deepEqual([waitLimit, stalledAfter], ['0', '30']);
    assert.equal(await editor.page.locator('#dialog-form .input-error').count(), 0);
    await dialog.close();
    assert.equal(await node.flag.isVisible(), false);
  });
}

function inServer(key: string): string {
  return words('server', key);
}

async function edit(
  { editor }: Stage,
  node: FlowNode,
  how: (dialog: Dialog) => Promise<void>,
): Promise<void> {
  const dialog = await editor.openDialog(node);
  await how(dialog);
  await dialog.close();
}

function outputsOf(node: FlowNode): Promise<number> {
  return node.outputs.count();
}

/** What is told when the mouse is on an output. */
async function labelsOf({ editor }: Stage, node: FlowNode): Promise<string[]> {
  const labels: string[] = [];
  const tooltip = editor.page.locator('.red-ui-flow-port-tooltip');
  for (const output of await node.outputs.all()) {
    await editor.page.mouse.move(0, 0);
    await tooltip.waitFor({ state: 'detached' });
    await output.hover();
    await eventually(
      () => tooltip.allTextContents(),
      ([text]) => {
        assert.ok(text);
        labels.push(text);
      },
    );
  }
  return labels;
}
