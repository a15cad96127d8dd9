import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type FlowNode, released } from '../contract/released';
import { words } from '../support/words';
import { dialogOf } from '../support/dialog';
import type { Stage } from './stage';

/** The pairs of an open dialog: a control, and the nearest input with a reason above it. Lives in the page. */
interface Presses {
  count: number;
  /** Gives the input a wrong value, selects it, and returns the right one. */
  spoil(index: number): string;
  /** Returns where the control is. */
  place(index: number): Promise<{ x: number; y: number }>;
  /** Returns the control, and how far it has moved since then, once the page is drawn. */
  moved(index: number): Promise<{ control: string; x: number; y: number }>;
  isClicked(index: number): boolean;
}

declare global {
  interface Window {
    presses: Presses;
  }
}

/** The requests of the page that run. */
declare const $: { active: number };

/** The first released node of each type whose dialog has a reason for what is typed. */
const nodes = released.filter(
  ({ type, z }, index) =>
    z !== undefined && released.findIndex((one) => one.type === type) === index && hasReasons(type),
);

/** Describes that a dialog stays where it is while the mouse button is pressed. */
export function describePresses(stage: Stage): void {
  for (const node of nodes) {
    it(`${node.type}: what was entered moves no control between press and release, and each gets its click`, async () => {
      const dialog = await open(node);
      await pressAll(stage.editor.page, '#dialog-form');
      await dialog.cancel();
    });
  }

  it('stash-server: what was entered moves no control between press and release, and each gets its click', async () => {
    const server = await stage.editor.openServer('server-of-nas');
    await pressAll(stage.editor.page, '#node-config-dialog-edit-form');
    await server.cancel();
  });

  it('an answer that arrives while the mouse button is pressed waits for the click', async () => {
    const { page } = stage.editor;
    let answer = (): void => undefined;
    const pressed = new Promise<void>((resolve) => (answer = resolve));
    const error = { case: 'UNREACHABLE.refused', details: { url: 'http://nas.example:9999' } };
    await page.route('**/stash-server/capabilities', async (route) => {
      await pressed;
      await route.fulfill({ json: error });
    });
    const dialog = await open(released.find(({ type }) => type === 'stash-performer-search') as FlowNode);
    const box = dialog.input('split');
    const note = page.locator('.stash-server-note');
    const before = { place: await box.boundingBox(), isTicked: await box.isChecked() };
    await box.hover();
    await page.mouse.down();
    const arrived = page.waitForResponse('**/stash-server/capabilities');
    answer();
    await (await arrived).finished();
    await page.evaluate(drawn);
    assert.deepEqual(await box.boundingBox(), before.place);
    assert.equal((await note.innerText()).trim(), words('server', 'capabilities.asking'));
    await page.mouse.up();
    await note.getByText(words('server', `errors.${error.case}.text`, error.details)).waitFor();
    assert.equal(await box.isChecked(), !before.isTicked);
    await page.unroute('**/stash-server/capabilities');
    await dialog.cancel();
  });

  async function open({ id, z = '' }: FlowNode) {
    await stage.editor.show(z);
    return await stage.editor.openDialog(stage.editor.node(id));
  }
}

function hasReasons(type: string): boolean {
  const { definition, template } = dialogOf(type.replace('stash-', ''));
  return Object.entries(definition.defaults).some(
    ([name, { validate }]) => validate && template.includes(`<input type="text" id="node-input-${name}"`),
  );
}

/** Corrects a wrong value above each control, as a paste by the menu does, and presses the control, which leaves the input. */
async function pressAll(page: Page, form: string): Promise<void> {
  const count = await page.locator(form).evaluate(prepare);
  for (let index = 0; index < count; index += 1) {
    const value = await page.evaluate((one) => window.presses.spoil(one), index);
    if (value === '') await page.keyboard.press('Delete');
    else await page.keyboard.insertText(value);
    const { x, y } = await page.evaluate((one) => window.presses.place(one), index);
    await page.mouse.move(x, y);
    await page.mouse.down();
    const moved = await page.evaluate((one) => window.presses.moved(one), index);
    await page.mouse.up();
    const isClicked = await page.evaluate((one) => window.presses.isClicked(one), index);
    assert.deepEqual({ ...moved, isClicked }, { ...moved, x: 0, y: 0, isClicked: true });
    // The list of a `<select>` would take the next press.
    if (moved.control.startsWith('<select')) await page.keyboard.press('Escape');
  }
}

/** Resolves when the page is drawn. Runs in the page. */
function drawn(): Promise<unknown> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  });
}

/** Finds the controls to press, and returns how many there are. Runs in the page. */
function prepare(form: Element): number {
  for (const section of form.querySelectorAll('details')) section.open = true;
  // The values for a trial depend on the inputs, and come and go with them. All boxes of a group move together.
  const others = ':disabled, .disabled, #stash-trial-values *, .stash-choices label:not(:first-child) *';
  const shown = (selector: string) =>
    [...form.querySelectorAll<HTMLElement>(selector)].filter(
      (element) => element.offsetParent !== null && !element.matches(others),
    );
  const enter = (input: HTMLInputElement, value: string) => {
    input.value = value;
    for (const event of ['input', 'change']) input.dispatchEvent(new Event(event, { bubbles: true }));
  };
  const reasons = () => shown('.stash-problem').filter(({ textContent }) => textContent !== '').length;
  const inputs = shown('input:is([type="text"], [type="password"]):not([role])') as HTMLInputElement[];
  const fields = inputs.flatMap((input) => {
    const { value } = input;
    const before = reasons();
    const wrong = ['', '{'].find((one) => {
      enter(input, one);
      return reasons() > before;
    });
    enter(input, value);
    return wrong === undefined ? [] : [{ input, value, wrong }];
  });
  const pairs = shown('button, select, summary, a, [type="checkbox"]').flatMap((control) => {
    const above = fields.filter(
      ({ input }) => input.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    const field = above.at(-1);
    return field ? [{ control, field, x: 0, y: 0 }] : [];
  });
  const pair = (index: number) => pairs[index] as (typeof pairs)[number];
  let clicked: EventTarget | null = null;
  // A click has no effect, so that each control finds the same dialog.
  const onClick = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    clicked = event.target;
  };
  form.addEventListener('click', onClick, true);
  const middle = (control: Element) => {
    const { left, top, width, height } = control.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  };
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  window.presses = {
    count: pairs.length,
    spoil(index) {
      const { input, wrong, value } = pair(index).field;
      clicked = null;
      enter(input, wrong);
      input.focus({ preventScroll: true });
      input.select();
      return value;
    },
    async place(index) {
      const { control } = pair(index);
      // The focus may have asked the server for something, which moves the dialog, too.
      while ($.active > 0) await frame();
      control.scrollIntoView({ block: 'center' });
      const place = middle(control);
      Object.assign(pair(index), place);
      return place;
    },
    async moved(index) {
      const { control, x, y } = pair(index);
      await frame().then(frame);
      const now = middle(control);
      return { control: control.outerHTML.slice(0, 100), x: now.x - x, y: now.y - y };
    },
    isClicked: (index) => pair(index).control.contains(clicked as Node | null),
  };
  return pairs.length;
}
