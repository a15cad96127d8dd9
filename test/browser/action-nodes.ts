import assert from 'node:assert/strict';
import type { Editor, FlowNode } from './editor';
import { dialogOf } from '../support/dialog';
import { eventually } from './eventually';
import type { Walkthrough } from './walkthrough';
import { SERVER, type Stage } from './stage';
import { words } from '../support/words';
import { samples } from '../support/nodes';
import { NEWEST, runtime } from '../support/runtime';
import { until } from '../support/waiting';

const NO_SERVER = 'Server: property value missing';

/** On an older Node-RED, those that between them have every kind of input. */
const EVERY_INPUT = ['scan', 'query', 'performer-scrape'];

const walkthroughs = Object.fromEntries(
  samples()
    .filter(([name]) => runtime === NEWEST || EVERY_INPUT.includes(name))
    .map(([name, { byHand }]) => [name, byHand]),
);

/** Makes a tab for each node with inject and debug nodes, which have all properties of an export. */
export function flowsAround(): object[] {
  return Object.keys(walkthroughs).flatMap((name) => [
    { id: name, type: 'tab', label: name, disabled: false, info: '' },
    ...['Robin Vale', 'Robin'].map((performer, index) => ({
      id: `${name}-inject${index}`,
      type: 'inject',
      z: name,
      name: performer,
      props: [{ p: 'payload' }],
      repeat: '',
      crontab: '',
      once: false,
      onceDelay: 0.1,
      topic: '',
      payload: JSON.stringify({ name: performer }),
      payloadType: 'json',
      x: 120,
      y: 100 + 100 * index,
      wires: [],
    })),
    ...['payload', 'stash.summary'].map((property, index) => ({
      id: `${name}-${property.replace('.', '-')}`,
      type: 'debug',
      z: name,
      name: property,
      active: true,
      tosidebar: true,
      console: false,
      tostatus: false,
      complete: property,
      targetType: 'msg',
      statusVal: '',
      statusType: 'auto',
      x: 620,
      y: 100 + 100 * index,
      wires: [],
    })),
  ]);
}

/** Describes that each node works by hand, from the palette to the result. */
export function describeActionNodes(stage: Stage): void {
  for (const [name, one] of Object.entries(walkthroughs)) {
    it(`stash-${name}: works by hand from the palette to the result, and keeps the entered values`, async () => {
      const node = await placed(stage, name, one);
      await filledIn(stage, node, name, one);
      await sendAndCheck(stage, node, name, one);
    });
  }
}

/** Drags the node from the palette and wires it. */
async function placed({ editor }: Stage, name: string, { answers }: Walkthrough): Promise<FlowNode> {
  await editor.show(name);
  const node = await editor.drag(`stash-${name}`, 360, 160);
  if (!answers.some(({ happens }) => happens)) {
    for (const inject of injectsOf(editor, name)) await editor.wire(inject, node);
  }
  for (const { output = 0 } of answers) {
    for (const debug of debugsOf(editor, name)) await editor.wire(node, debug, output);
  }
  return node;
}

/** Fills in the dialog, first with mistakes. */
async function filledIn({ editor }: Stage, node: FlowNode, name: string, one: Walkthrough): Promise<void> {
  let dialog = await editor.openDialog(node);
  await dialog.type('name', `my ${name}`);
  assert.equal((await dialog.values())['server'], SERVER.name, 'it has the only server');
  await dialog.choose('server', 'none');
  await dialog.tells('server', words('server', 'invalid.server'));
  await one.mistake?.(dialog);
  if (one.reasons) {
    await dialog.close();
    assert.deepEqual((await node.reasons()).slice(1), [NO_SERVER, ...one.reasons]);
    dialog = await editor.openDialog(node);
  }
  await dialog.choose('server', SERVER.name);
  await one.correct?.(dialog);
  assert.equal(await editor.page.locator('#dialog-form .input-error').count(), 0);
  await dialog.close();
  await node.flag.waitFor({ state: 'hidden' });
}

/** Deploys, sends the messages, and checks results, saved properties and status. */
async function sendAndCheck(
  { editor, nodeRed, stash }: Stage,
  node: FlowNode,
  name: string,
  one: Walkthrough,
): Promise<void> {
  const [payload, summary] = debugsOf(editor, name);
  const { plugins } = stash;
  // The jobs node would also report the end of a job of another test.
  await until(() => stash.jobs.queue === null);
  await editor.deploy();
  for (const answer of one.answers) {
    answer.before?.(stash);
    if (answer.happens) await answer.happens(stash);
    else await injectsOf(editor, name)[answer.inject ?? 0].press();
    await eventually(() => editor.debugged(payload).last().innerText(), matching(answer.payload));
    await eventually(() => editor.debugged(summary).last().innerText(), matching(answer.summary));
  }
  assert.equal(await editor.debugged(payload).count(), one.answers.length);

  const kept = { ...presetsOf(name), name: `my ${name}`, ...one.kept };
  const dialog = await editor.openDialog(node);
  const inputs = Object.entries(kept).filter(([, value]) => !isListOfRows(value));
  const shown = { ...Object.fromEntries(inputs), ...one.shown, server: SERVER.name };
  assert.deepEqual(await dialog.values(), shown);
  await dialog.close();
  const flows = (await nodeRed.get('flows')) as Record<string, unknown>[];
  const saved = flows.find(({ id }) => id === node.id) ?? {};
  for (const [property, value] of Object.entries({ ...kept, server: SERVER.id })) {
    assert.deepEqual(saved[property], value, property);
  }
  await eventually(() => node.status.textContent(), matching(one.status));
  // The next tests are of a server without the plugin.
  stash.plugins = plugins;
}

function isListOfRows(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'object';
}

/** Returns the values of a new node, except for editable lists. */
function presetsOf(name: string): Record<string, unknown> {
  const { defaults } = dialogOf(name).definition;
  const presets = Object.entries(defaults).map(([property, { value }]) => [property, value] as const);
  return Object.fromEntries(presets.filter(([, value]) => !(Array.isArray(value) && value.length === 0)));
}

function injectsOf(editor: Editor, name: string) {
  return [editor.node(`${name}-inject0`), editor.node(`${name}-inject1`)] as const;
}

function debugsOf(editor: Editor, name: string) {
  return [editor.node(`${name}-payload`), editor.node(`${name}-stash-summary`)] as const;
}

function matching(pattern: RegExp): (text: string | null) => void {
  return (text) => {
    assert.match(text ?? '', pattern);
  };
}
