import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { words } from '../flow/words';
import { violations, walk } from './accessibility';
import { checkAllWidths } from './layout';
import { SERVER, type Stage } from './stage';
import { tryIt } from './trial';
import type { State } from './walkthrough';
import { samples } from '../support/nodes';

const TAB = 'states';

/** A new node, and each state in which its dialog shows more rows. */
const states = samples().map(([name, { states = [] }]): [string, State[]] => [name, [{}, ...states]]);

const serverStates: State[] = [
  { auth: 'none' },
  { auth: 'apiKey', apiKey: '' },
  { auth: 'session', username: '', password: '', url: '', headers: '{', pause: '', timeout: '' },
];

/** A tab with a new node of each type. */
export const stateFlows: object[] = [
  { id: TAB, type: 'tab', label: 'states', disabled: false, info: '' },
  ...states.map(([name], index) => ({
    id: `states-${name}`,
    type: `stash-${name}`,
    z: TAB,
    server: SERVER.id,
    // A deploy warns about incomplete nodes.
    sprites: true,
    changes: [{ field: 'tags', action: 'set', value: 'Sea', valueType: 'str' }],
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

/** Describes that people can read each dialog in any width, and use it with a screen reader and without a mouse. */
export function describeStates(stage: Stage): void {
  for (const [name, ones] of states) {
    it(`stash-${name}: any state of the dialog fits any width, and axe-core and the Tab key find no problem`, async () => {
      const { editor } = stage;
      await editor.show(TAB);
      const dialog = await editor.openDialog(editor.node(`states-${name}`));
      await openSections(editor.page);
      for (const state of ones) {
        await put(editor.page, 'node-input', state);
        await tryIt(editor.page);
        await checkState(editor.page, '#dialog-form', state);
      }
      await dialog.cancel();
    });
  }

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

  it('stash-server: any state of the dialog fits any width, and axe-core and the Tab key find no problem', async () => {
    const { editor } = stage;
    const server = await editor.openServer(SERVER.id);
    await openSections(editor.page);
    await server.addPathRow('/downloads', 'wrong');
    for (const state of serverStates) {
      await put(editor.page, 'node-config-input', state);
      await server.test();
      await checkState(editor.page, '#node-config-dialog-edit-form', state);
    }
    await server.cancel();
  });
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
