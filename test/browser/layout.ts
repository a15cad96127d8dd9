import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { words } from '../flow/words';
import { SERVER, type Stage } from './stage';
import { tryIt } from './trial';
import type { State } from './walkthrough';
import { samples } from '../support/nodes';

export const TAB = 'layout';

/** In pixels: the minimum width that a user may choose, Node-RED's default, and more. */
const WIDTHS = [400, 500, 620, 900];

/** Letter spacings in pixels, because fonts and languages need different widths for a text. */
const SPACINGS = [0, 1, 3];

/** A new node, and each state in which its dialog shows more rows. */
export const states = samples().map(([name, { states = [] }]): [string, State[]] => [name, [{}, ...states]]);

export const serverStates: State[] = [
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
    // A deploy warns about incomplete nodes.
    sprites: true,
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

/** Describes the positions of the texts in a dialog. */
export function describeLayout(stage: Stage): void {
  for (const [name, ones] of states) {
    it(`stash-${name}: every text of the dialog stays beside its label in any state and width`, async () => {
      const { editor } = stage;
      await editor.show(TAB);
      const dialog = await editor.openDialog(editor.node(`layout-${name}`));
      for (const state of ones) {
        await put(editor.page, 'node-input', state);
        await tryIt(editor.page);
        await checkAllWidths(editor.page, '#dialog-form', state);
      }
      await dialog.cancel();
    });
  }

  it('stash-performer-search: every text stays beside its label if the server cannot be asked', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const error = { case: 'UNREACHABLE.refused', details: { url: 'http://nas.example:9999' } };
    await editor.page.route('**/stash-server/capabilities', (route) => route.fulfill({ json: error }));
    const dialog = await editor.openDialog(editor.node('layout-performer-search'));
    const reason = words('server', `errors.${error.case}.text`, error.details);
    await dialog.text(`${reason} ${words('server', 'capabilities.unknown')}`).waitFor();
    await checkAllWidths(editor.page, '#dialog-form', {});
    await editor.page.unroute('**/stash-server/capabilities');
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

/** Puts an open dialog into a state. */
export async function put(page: Page, prefix: string, state: State): Promise<void> {
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

/** Checks the dialog at each width and spacing. */
export async function checkAllWidths(page: Page, form: string, state: State): Promise<void> {
  const wrong = await page.locator(form).evaluate(misplaced, [WIDTHS, SPACINGS] as const);
  assert.deepEqual(wrong, [], JSON.stringify(state));
}

/**
 * Returns the texts that leave their column, cover another one or are cut off. Runs in the page for all widths at
 * once, so that the browser does not draw between them.
 */
function misplaced(
  form: Element,
  [widths, spacings]: readonly [widths: readonly number[], spacings: readonly number[]],
): string[] {
  const tray = form.closest<HTMLElement>('.red-ui-tray');
  for (const section of form.querySelectorAll('details')) section.open = true;
  return widths.flatMap((width) =>
    spacings.flatMap((spacing) => {
      if (tray) tray.style.width = `${width}px`;
      (form as HTMLElement).style.letterSpacing = `${spacing}px`;
      dispatchEvent(new Event('resize'));
      const rows = [...form.querySelectorAll<HTMLElement>('.form-row')].filter(
        ({ offsetHeight }) => offsetHeight > 0,
      );
      const lines = [...form.querySelectorAll<HTMLElement>('.stash-check')];
      return [...rows.flatMap(misplacedInRow), ...lines.flatMap(outside), ...tooWide(), ...emptyNotes()].map(
        (text) => `${width} px, letters ${spacing} px apart: ${text}`,
      );
    }),
  );

  /** Returns the notes without a text that are seen nevertheless, by an icon of their style. */
  function emptyNotes(): string[] {
    return [...form.querySelectorAll<HTMLElement>('[role="status"]:empty')]
      .filter((note) => note.offsetHeight > 0 && getComputedStyle(note, '::before').content !== 'none')
      .map(({ outerHTML }) => `an empty note: ${outerHTML}`);
  }

  /** Returns the tables that are wider than the dialog. */
  function tooWide(): string[] {
    const { right } = form.getBoundingClientRect();
    const tables = [...form.querySelectorAll('[role="region"]')];
    const { scrollWidth, clientWidth } = form;
    const wide = tables.map((one) => one.getBoundingClientRect().right).filter((end) => end > right);
    const isWide = scrollWidth > clientWidth || wide.length > 0;
    return isWide ? [`the table: ${scrollWidth} of ${clientWidth} px, ends ${wide.join()} of ${right}`] : [];
  }

  function misplacedInRow(row: HTMLElement): string[] {
    const label = row.querySelector<HTMLElement>(':scope > label, :scope > .stash-label');
    const value = row.querySelector<HTMLElement>(':scope > .stash-value');
    if (!label || !value) return [`not a label and a value: ${row.innerText}`];
    const [labelBox, valueBox] = [label.getBoundingClientRect(), value.getBoundingClientRect()];
    const isBeside = valueBox.left >= labelBox.right || valueBox.top >= labelBox.bottom;
    return [
      ...(isBeside ? [] : [`the label covers its value: ${label.innerText}`]),
      ...outside(label),
      ...outside(value),
      ...[...value.querySelectorAll('select:not([multiple])')].flatMap(cutOff),
    ];
  }

  /** Returns the elements that leave their column. */
  function outside(column: HTMLElement): string[] {
    const { left, right } = column.getBoundingClientRect();
    const range = document.createRange();
    const parts = document.createTreeWalker(column, NodeFilter.SHOW_ALL);
    const wrong: string[] = [];
    for (let node = parts.nextNode(); node; node = parts.nextNode()) {
      if (node instanceof Text ? node.data.trim() === '' : !isControl(node)) continue;
      range.selectNode(node);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0 && box.height > 0);
      if (boxes.every((box) => box.left >= left - 1 && box.right <= right + 1)) continue;
      wrong.push(node instanceof Text ? node.data.trim() : (node as Element).outerHTML.slice(0, 80));
    }
    return wrong;
  }

  function isControl(node: Node): boolean {
    // The box of an icon that spins turns with it.
    return node instanceof Element && node.matches('input, select, i:not(.fa-spin), button');
  }

  /** Returns the options of a list that do not fit beside its arrow. */
  function cutOff(list: Element): string[] {
    const { font, letterSpacing, paddingLeft } = getComputedStyle(list);
    const context = document.createElement('canvas').getContext('2d');
    if (!context || list.clientWidth === 0) return [];
    Object.assign(context, { font, letterSpacing });
    const room = list.clientWidth - parseFloat(paddingLeft) - 20;
    return [...(list as HTMLSelectElement).options]
      .filter(({ text }) => context.measureText(text).width > room)
      .map(({ text }) => `cut off: ${text}`);
  }
}
