import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { words } from '../flow/words';
import { SERVER, type Stage } from './stage';
import type { State } from './walkthrough';
import { samples } from '../support/nodes';

const TAB = 'layout';

/** In pixels: what a dialog has in Node-RED 5 on a screen of 1280 pixels, and more. */
const WIDTHS = [500, 620, 800];

/** Letter spacings in pixels: fonts and languages differ in how much room a text takes. */
const SPACINGS = [0, 1, 3];

/** A new node, and each state in which its dialog shows more. */
const states = samples().map(([name, { states = [] }]): [string, State[]] => [name, [{}, ...states]]);

const serverStates: State[] = [
  { auth: 'none' },
  { auth: 'apiKey', apiKey: '' },
  { auth: 'session', username: '', password: '', url: '', headers: '{', pause: '', timeout: '' },
];

/** A tab with a new node of each type. */
export const layoutFlows: object[] = [
  { id: TAB, type: 'tab', label: 'layout', disabled: false, info: '' },
  ...states.map(([name], index) => ({
    id: `layout-${name}`,
    type: `stash-${name}`,
    z: TAB,
    server: SERVER.id,
    // A deploy would warn about an incomplete node.
    sprites: true,
    x: 200,
    y: 100 + 60 * index,
    wires: [[], []],
  })),
];

/** The little of jQuery and of the editor that puts a dialog into a state. */
declare const $: (selector: string) => {
  val(value: string): unknown;
  prop(name: string, value: boolean): unknown;
  trigger(event: string): unknown;
  typedInput(method: string, value: string): unknown;
};

/** Describes where the texts of a dialog are. */
export function describeLayout(stage: Stage): void {
  for (const [name, ones] of states) {
    it(`stash-${name}: every text of the dialog stays beside its label, in any state and width`, async () => {
      const { editor } = stage;
      await editor.show(TAB);
      const dialog = await editor.openDialog(editor.node(`layout-${name}`));
      for (const state of ones) {
        await put(editor.page, 'node-input', state);
        await checkAllWidths(editor.page, '#dialog-form', state);
      }
      await dialog.cancel();
    });
  }

  it('stash-performer-search: every text stays beside its label while the sources cannot be listed', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const error = { case: 'UNREACHABLE.refused', details: { url: 'http://nas.example:9999' } };
    await editor.page.route('**/stash-server/scrapers*', (route) => route.fulfill({ json: error }));
    const dialog = await editor.openDialog(editor.node('layout-performer-search'));
    const reason = words('server', `errors.${error.case}.text`, error.details);
    await dialog.text(`${reason} ${words('server', 'sources.type')}`).waitFor();
    await checkAllWidths(editor.page, '#dialog-form', {});
    await editor.page.unroute('**/stash-server/scrapers*');
    await dialog.cancel();
  });

  it('stash-server: every text stays beside its label, with a result beside the Test button', async () => {
    const { editor } = stage;
    const server = await editor.openServer(SERVER.id);
    for (const state of serverStates) {
      await put(editor.page, 'node-config-input', state);
      await server.test();
      await checkAllWidths(editor.page, '#node-config-dialog-edit-form', state);
    }
    await server.cancel();
  });
}

async function put(page: Page, prefix: string, state: State): Promise<void> {
  await page.evaluate(
    ([start, values]) => {
      for (const [property, value] of Object.entries(values)) {
        const input = $(`#${start}-${property}`);
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

/** Checks the dialog at each width and spacing. */
async function checkAllWidths(page: Page, form: string, state: State): Promise<void> {
  const wrong = await page.locator(form).evaluate(misplaced, [WIDTHS, SPACINGS] as const);
  assert.deepEqual(wrong, [], JSON.stringify(state));
}

/**
 * Returns what is left of the column of values, or leaves its row at the right. Runs in the page, for all widths at once:
 * between two calls the browser would draw what nobody looks at.
 */
function misplaced(
  form: Element,
  [widths, spacings]: readonly [widths: readonly number[], spacings: readonly number[]],
): string[] {
  const tray = form.closest<HTMLElement>('.red-ui-tray');
  return widths.flatMap((width) =>
    spacings.flatMap((spacing) => {
      if (tray) tray.style.width = `${width}px`;
      (form as HTMLElement).style.letterSpacing = `${spacing}px`;
      dispatchEvent(new Event('resize'));
      const rows = [...form.querySelectorAll<HTMLElement>('.form-row')].filter(
        ({ offsetHeight }) => offsetHeight > 0,
      );
      return rows.flatMap(misplacedInRow).map((text) => `${width} px, letters ${spacing} px apart: ${text}`);
    }),
  );

  function misplacedInRow(row: HTMLElement): string[] {
    const label = row.querySelector(':scope > label');
    if (!label) return [`no label: ${row.innerText}`];
    const start = label.getBoundingClientRect().right;
    const end = row.getBoundingClientRect().right + 1;
    const range = document.createRange();
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_ALL);
    // What wraps must not do so before the row's end.
    const narrow = [...row.querySelectorAll<HTMLElement>('.stash-unit, .stash-option')].filter(
      (words) => words.getBoundingClientRect().right < end - 20,
    );
    const wrong = narrow.map(({ innerText }) => `narrow: ${innerText}`);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      if (label.contains(node) || (node instanceof Text && node.data.trim() === '')) continue;
      if (!(node instanceof Text) && !(node instanceof Element && node.matches('input, select, i, button'))) {
        continue;
      }
      range.selectNode(node);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
      if (boxes.every(({ left, right }) => left >= start && right <= end)) continue;
      wrong.push(node instanceof Text ? node.data.trim() : node.outerHTML.slice(0, 80));
    }
    return wrong;
  }
}
