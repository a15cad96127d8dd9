import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { words } from '../support/words';
import type { Dialog } from './dialog';
import type { FlowNode } from './editor';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

const TAB = 'outputs';

/** A property that adds a second output for progress, or removes it. */
interface Choice {
  property: string;
  /** The saved values without the second output, and with it. */
  values: [without: unknown, second: unknown];
  add: (dialog: Dialog) => Promise<void>;
  take: (dialog: Dialog) => Promise<void>;
  /** The labels of the first output, in the same order. */
  labels: [without: string, second: string];
}

const reply: Choice = {
  property: 'reply',
  values: ['started', 'finished'],
  add: (dialog) => dialog.choose('reply', words('server', 'reply.finished')),
  take: (dialog) => dialog.choose('reply', words('server', 'reply.started')),
  labels: ['output.job', 'output.result'],
};

const choices: Record<string, Choice> = {
  scan: reply,
  backup: {
    property: 'download',
    values: [false, true],
    add: async (dialog) => {
      await dialog.chooseOwn('destination', words('backup', 'destination.folder'));
      await dialog.typeValue('folder', '/backups/stash');
    },
    take: (dialog) => dialog.chooseOwn('destination', words('backup', 'destination.server')),
    labels: ['output.result', 'output.result'],
  },
};

/** A node of each type with progress messages, as a flow written by hand may have it: one output, no `outputs` property. */
export const outputFlows: object[] = [
  { id: TAB, type: 'tab', label: 'outputs', disabled: false, info: '' },
  ...Object.keys(choices).flatMap((name, index) => [
    {
      id: `outputs-${name}`,
      type: `stash-${name}`,
      z: TAB,
      server: SERVER.id,
      sprites: true,
      x: 200,
      y: 100 + 200 * index,
      wires: [[`outputs-${name}-0`]],
    },
    ...[0, 1].map((output) => ({
      id: `outputs-${name}-${output}`,
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

/** Describes how outputs and rows follow the choices in a dialog. */
export function describeOutputs(stage: Stage): void {
  for (const [name, { property, values, add, take, labels }] of Object.entries(choices)) {
    it(`stash-${name}: ${property} adds and removes the second output without losing another wire`, async () => {
      const { editor, nodeRed } = stage;
      const saved = async () => {
        const flows = (await nodeRed.get('flows')) as Record<string, unknown>[];
        const node = flows.find(({ id }) => id === `outputs-${name}`) ?? {};
        return [node[property], node['outputs'], node['wires']];
      };
      const first = [`outputs-${name}-0`];
      const second = [`outputs-${name}-1`];
      await editor.show(TAB);
      const node = editor.node(`outputs-${name}`);
      await hasOutputs(node, 1);

      // A change of another property adds neither an output nor a wire.
      await edit(stage, node, (dialog) => dialog.type('name', 'looked at'));
      await editor.deploy();
      assert.deepEqual(await saved(), [values[0], 1, [first]]);

      await edit(stage, node, add);
      await hasOutputs(node, 2);
      assert.deepEqual(await labelsOf(stage, node), [inServer(labels[1]), inServer('output.progress')]);
      await editor.wire(node, editor.node(`outputs-${name}-1`), 1);
      await editor.deploy();
      assert.deepEqual(await saved(), [values[1], 2, [first, second]]);

      await edit(stage, node, take);
      await hasOutputs(node, 1);
      assert.deepEqual(await labelsOf(stage, node), [inServer(labels[0])]);
      await editor.deploy();
      assert.deepEqual(await saved(), [values[0], 1, [first]]);
    });
  }

  it('stash-scan: options for a finished job appear only with that reply, never invalid while hidden', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const node = editor.node('outputs-scan');
    const dialog = await editor.openDialog(node);
    const about = ['sendFailed', 'waitLimit', 'stalledAfter'];
    const section = dialog.text(words('server', 'section.waiting'));
    assert.equal(await dialog.input('listNew').isVisible(), false);
    assert.equal(await section.isVisible(), false);
    await dialog.choose('reply', words('server', 'reply.finished'));
    assert.equal(await dialog.input('listNew').inputValue(), '5');
    for (const property of about) assert.equal(await dialog.input(property).isVisible(), false, property);
    await dialog.openSection('waiting');
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

  it('stash-backup: options appear only where they apply, and are never invalid while hidden', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const node = editor.node('outputs-backup');
    const dialog = await editor.openDialog(node);
    const shown = async () => {
      const rows = ['folder', 'filename', 'messageLimit', 'overwrite', 'keep', 'keepMonthly', 'quickCheck'];
      const visible = await Promise.all(rows.map((property) => dialog.isShown(property)));
      return rows.filter((_, index) => visible[index]);
    };
    const inFolder = ['folder', 'filename', 'keep', 'keepMonthly', 'quickCheck'];
    const inMessage = ['filename', 'messageLimit'];
    const template = dialog.text(words('backup', 'note.template'));
    assert.deepEqual(await shown(), []);
    await dialog.text(words('backup', 'hint.server')).waitFor();

    await dialog.chooseOwn('destination', words('backup', 'destination.folder'));
    assert.deepEqual(await shown(), inFolder);
    await dialog.text(words('backup', 'hint.folder')).waitFor();
    await dialog.typeValue('folder', '');
    await dialog.tells('folder', words('backup', 'invalid.folder'));
    for (const [folder, right] of [
      ['backups', false],
      ['./backups', false],
      ['C:backups', false],
      ['${STASH_BACKUPS}', true],
      ['D:\\backups', true],
      ['\\\\nas\\backups', true],
      ['/backups', true],
    ] as const) {
      await dialog.typeValue('folder', folder);
      await (right ? dialog.isSilent('folder') : dialog.tells('folder', words('backup', 'invalid.folder')));
    }

    const missing = path.join(tmpdir(), 'no-such-folder');
    const noFolder = (folder: string) =>
      `${words('server', 'errors.DISK.noFolder.text', { folder })} ${words('server', 'errors.DISK.noFolder.remedy')}`;
    await dialog.typeValue('folder', missing);
    await dialog.text(noFolder(missing)).waitFor();
    await dialog.typeValue('folder', tmpdir());
    await dialog.text(noFolder(missing)).waitFor({ state: 'hidden' });

    await dialog.chooseType('filename', 'string');
    await dialog.tells('filename', words('backup', 'invalid.filename'));
    assert.ok(await dialog.isShown('overwrite'), 'names of Stash never collide, but these may');
    await template.waitFor();
    for (const [name, right] of [
      ['../stash.sqlite', false],
      ['a\\b', false],
      ['.hidden', false],
      ['stash.', false],
      ['CON', false],
      ['nul.sqlite', false],
      ['say "stash"', false],
      ['stash {date} {time} {server}.{schema}', true],
      ['console', true],
    ] as const) {
      await dialog.typeValue('filename', name);
      await (right
        ? dialog.isSilent('filename')
        : dialog.tells('filename', words('backup', 'invalid.filename')));
    }
    await dialog.typeValue('filename', '{day} {date} {Time}');
    await dialog.text(words('backup', 'note.unknownWords', { words: '{day}, {Time}' })).waitFor();
    assert.equal(await dialog.isFlagged('filename'), false, 'unknown placeholders are valid');

    await dialog.type('keepDaily', '7.5');
    await dialog.tells('keepDaily', words('backup', 'invalid.keep'));
    await dialog.type('keepWeekly', '4');
    await dialog.chooseOwn('destination', words('backup', 'destination.message'));
    assert.deepEqual(await shown(), inMessage);
    const { keepDaily, keepWeekly } = await dialog.values();
    assert.deepEqual([keepDaily, keepWeekly], ['0', '4']);
    assert.equal(await editor.page.locator('#dialog-form .input-error').count(), 0);
    await dialog.type('messageLimit', '0');
    await dialog.tells('messageLimit', words('backup', 'invalid.messageLimit'));

    await dialog.chooseOwn('destination', words('backup', 'destination.folder'));
    assert.deepEqual((await shown()).sort(), [...inFolder, 'overwrite'].sort());
    assert.equal((await dialog.values())['messageLimit'], '64');
    await dialog.typeValue('folder', 'backups');
    await dialog.typeValue('filename', 'a/b');
    await dialog.tells('filename', words('backup', 'invalid.filename'));
    await dialog.tells('folder', words('backup', 'invalid.folder'));
    await dialog.chooseOwn('destination', words('backup', 'destination.server'));
    assert.deepEqual(await shown(), []);
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

/** Waits until the editor has drawn the outputs of a node. */
async function hasOutputs(node: FlowNode, expected: number): Promise<void> {
  await eventually(
    () => node.outputs.count(),
    (count) => {
      assert.equal(count, expected);
    },
  );
}

/** Returns the tooltip of each output. */
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
