import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { words } from '../support/words';
import { violations, walk } from './accessibility';
import { checkAllWidths } from './layout';
import { SERVER, type Stage } from './stage';
import { tryIt } from './trial';
import type { State } from './walkthrough';
import { samples } from '../support/nodes';

const TAB = 'states';

/** A node without properties, as a flow written by hand may have it, and each state in which its dialog shows more rows. */
const states = samples().map(([name, { states = [] }]): [string, State[]] => [name, [{}, ...states]]);

/** The nodes that are valid with their defaults. */
const valid = samples()
  .filter(([, { asDragged }]) => asDragged?.code === undefined)
  .map(([name]) => name);

const serverStates: State[] = [
  { auth: 'none' },
  { auth: 'apiKey', apiKey: '' },
  { auth: 'session', username: '', password: '', url: '', headers: '{', pause: '', timeout: '' },
];

/** A tab with a node of each type that has hardly more than its server. */
export const stateFlows: object[] = [
  { id: TAB, type: 'tab', label: 'states', disabled: false, info: '' },
  ...states.map(([name], index) => ({
    id: `states-${name}`,
    type: `stash-${name}`,
    z: TAB,
    server: SERVER.id,
    // A deploy warns about incomplete nodes.
    ...(!valid.includes(name) && {
      sprites: true,
      changes: [{ field: 'tags', action: 'set', value: 'Sea', valueType: 'str' }],
    }),
    x: 200,
    y: 100 + 60 * index,
    wires: [[], []],
  })),
];

/** The parts of jQuery and the editor that put a dialog into a state. */
declare const $: (selector: string) => {
  val(value: string): unknown;
  prop(name: string, value: boolean): unknown;
  trigger(event: string): unknown;
  typedInput(method: string, value: string): unknown;
};

interface Property {
  value?: unknown;
  type?: string;
  validate?: (this: object, value: string, options: object) => unknown;
}

/** The part of the editor's API with the properties of a node type. */
declare const RED: {
  nodes: { getType(type: string): { defaults: Record<string, Property> } };
};

/** Describes that people can read each dialog in any width, and use it with a screen reader and without a mouse. */
export function describeStates(stage: Stage): void {
  describeStatesOf(stage, (name) => name !== 'query');

  it('stash-performer-search: the dialog fits any width if the server cannot be asked', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const error = { case: 'UNREACHABLE.refused', details: { url: 'http://nas.example:9999' } };
    await editor.page.route('**/stash-server/capabilities', (route) => route.fulfill({ json: error }));
    const dialog = await editor.openDialog(editor.node('states-performer-search'));
    const reason = words('server', `errors.${error.case}.text`, error.details);
    await dialog.text(`${reason} ${words('server', 'capabilities.unknown')}`).waitFor();
    await checkAllWidths(editor.page, '#dialog-form', 'the server is away');
    await editor.page.unroute('**/stash-server/capabilities');
    await dialog.cancel();
  });

  it('stash-server: the dialog opens with the defaults, fits any width in any state, and axe-core and the Tab key find no problem', async () => {
    const { editor } = stage;
    const server = await editor.openServer(SERVER.id);
    const { retryFor, timeout, lookupTimeout, backupTimeout } = await server.values();
    assert.deepEqual([retryFor, timeout, lookupTimeout, backupTimeout], ['60', '30', '90', '3600']);
    assert.equal(await editor.page.locator('#node-config-dialog-edit-form .input-error').count(), 0);
    await openSections(editor.page);
    await server.addPathRow('/downloads', 'wrong');
    for (const state of serverStates) {
      await put(editor.page, 'node-config-input', state);
      await server.test();
      await checkState(editor.page, '#node-config-dialog-edit-form', state);
    }
    await server.cancel();
  });

  it('each typed input says what to enter for its type if it is empty', async () => {
    const found = await stage.editor.page.evaluate(
      (types) => {
        const reasons: [input: string, type: string, reason: unknown][] = [];
        for (const nodeType of types) {
          const { defaults } = RED.nodes.getType(nodeType);
          for (const [name, { validate }] of Object.entries(defaults)) {
            if (!validate || !(`${name}Type` in defaults)) continue;
            for (const type of ['msg', 'flow', 'global', 'env', 'jsonata']) {
              // Some have no effect otherwise.
              const used = { task: 'runPluginTask', download: true, action: 'message' };
              const node = { _def: { defaults }, type: nodeType, ...used, [`${name}Type`]: type };
              reasons.push([`${nodeType} ${name}`, type, validate.call(node, '', { label: '' })]);
            }
          }
        }
        return reasons;
      },
      states.map(([name]) => `stash-${name}`),
    );
    assert.ok(found.length > 100, 'all nodes are there');
    for (const [input, type, reason] of found) {
      const key = ['msg', 'flow', 'global'].includes(type) ? 'property' : type;
      assert.equal(reason, words('server', `invalid.${key}`, { type }), `${input} as ${type}`);
    }
  });
}

/** Describes the same of the dialog with the editor for documents. */
export function describeDocumentStates(stage: Stage): void {
  describeStatesOf(stage, (name) => name === 'query');
}

function describeStatesOf(stage: Stage, isMeant: (name: string) => boolean): void {
  for (const [name, ones] of states.filter(([name]) => isMeant(name))) {
    it(`stash-${name}: the dialog opens with the defaults, fits any width in any state, and axe-core and the Tab key find no problem`, async () => {
      const { editor } = stage;
      await editor.show(TAB);
      const node = editor.node(`states-${name}`);
      if (valid.includes(name)) assert.equal(await node.flag.isVisible(), false);
      const dialog = await editor.openDialog(node);
      if (valid.includes(name)) await checkDefaults(editor.page, `stash-${name}`, await dialog.values());
      await openSections(editor.page);
      for (const state of ones) {
        await put(editor.page, 'node-input', state);
        await tryIt(editor.page);
        await checkState(editor.page, '#dialog-form', state);
      }
      await dialog.cancel();
    });
  }
}

/** Checks that an open dialog shows the properties of a new node, and no errors. */
async function checkDefaults(page: Page, type: string, shown: Record<string, unknown>): Promise<void> {
  const defaults = await page.evaluate((typeName) => {
    // Except for config nodes.
    const own = Object.entries(RED.nodes.getType(typeName).defaults).filter(
      ([, one]) => one.type === undefined,
    );
    return Object.fromEntries(own.map(([name, { value }]) => [name, value]));
  }, type);
  for (const [property, value] of Object.entries(defaults)) {
    const option = page.locator(`select#node-input-${property}:not([multiple]) option:checked`);
    if ((await option.count()) > 0) assert.equal(await option.getAttribute('value'), value, property);
    else if (property === 'outputs') assert.equal(shown[property], String(value));
    else if (property !== 'name') assert.deepEqual(sorted(shown[property]), sorted(value), property);
  }
  assert.equal(await page.locator('#dialog-form .input-error').count(), 0);
}

/** A dialog has the fields of a list in an order of its own. */
function sorted(value: unknown): unknown {
  return Array.isArray(value) ? [...(value as unknown[])].sort() : value;
}

async function openSections(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const section of document.querySelectorAll('details')) section.open = true;
  });
}

/** Puts an open dialog into a state. */
async function put(page: Page, prefix: string, state: State): Promise<void> {
  await page.evaluate(
    ([start, values]) => {
      for (const [property, value] of Object.entries(values)) {
        const input = $(property.startsWith('#') ? property : `#${start}-${property}`);
        if (Array.isArray(value)) {
          input.typedInput('type', value[0]);
          input.typedInput('value', value[1]);
        } else if (typeof value === 'boolean') {
          input.prop('checked', value);
        } else {
          input.val(value);
        }
        input.trigger('change');
      }
    },
    [prefix, state] as const,
  );
}

async function checkState(page: Page, form: string, state: State): Promise<void> {
  const text = JSON.stringify(state);
  assert.deepEqual(await violations(page), [], text);
  await walk(page);
  await checkAllWidths(page, form, text);
}
