import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { words } from '../support/words';
import { violations, walk } from './accessibility';
import type { Editor, FlowNode } from './editor';
import { eventually } from './eventually';
import { checkAllWidths } from './layout';
import { importExample, inNewEditor, removeServer, servers } from './only-server';
import { KEY, SERVER, type Stage } from './stage';

/** The part of the editor's API that undoes. */
declare const RED: {
  actions: { invoke(action: string): void };
  nodes: { node(id: string): { name: string } };
  view: {
    state(): number;
    importNodes(nodes: object[], options: { importMap: Record<string, 'replace'> }): void;
  };
};

/** The form of the dialog of a server. */
const FORM = '#node-config-dialog-edit-form';

/** Describes the way to the first server. */
export function describeFirstUse(stage: Stage): void {
  it('the first Stash node that is dragged into flows without a server opens three steps to one, by keyboard alone', async () => {
    const { stash } = stage;
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      await removeServer(page);
      await importExample(editor);
      const imported = (await servers(page)).length;
      await editor.drag('stash-scan', 200, 60);

      await atStep(page, 1, '#node-config-input-url');
      const name = page.locator('#node-config-input-name');
      assert.equal(await name.isVisible(), false);
      assert.ok(await page.locator('#node-config-dialog-ok').isDisabled(), 'only the last step adds');
      assert.equal(await page.locator('.stash-section:visible').count(), 0);
      await replace(page, 'nas 9999');
      await page.keyboard.press('Enter');
      await atStep(page, 1, '#node-config-input-url');
      await replace(page, stash.url);
      const local = page.getByText(words('server', 'note.local', { host: '127.0.0.1' }));
      await page.keyboard.press('Enter');
      await atStep(page, 2, '#node-config-input-auth');
      assert.equal(await page.locator('#node-config-input-auth:open').count(), 0, 'over the button');
      assert.equal(await local.isVisible(), false);
      await press(page, 'next');
      await atStep(page, 3, '#node-config-input-name');
      assert.ok(await local.isVisible(), 'beside the name that notifications show');
      assert.equal(await page.locator('#node-config-dialog-ok').isVisible(), false, 'one button adds');
      assert.equal(await name.inputValue(), 'Stash');
      const add = page.locator('.stash-step-next');
      const usual = await page.locator('#node-config-dialog-ok').innerText();
      await page.locator('#stash-test-answer .stash-bad').waitFor();
      assert.equal(await add.innerText(), words('server', 'firstUse.addAnyway'));
      const choice = words('server', 'auth.apiKey');
      const useKey = page.getByRole('button', { name: words('server', 'doctor.remedy.auth', { choice }) });
      await useKey.focus();
      await page.keyboard.press('Enter');
      await atStep(page, 2, '#node-config-input-apiKey');
      await page.keyboard.type(KEY);
      await press(page, 'next');
      await atStep(page, 3, '#node-config-input-name');
      await replace(page, 'living room');
      await page.locator('#stash-test-answer .stash-good').waitFor();
      assert.equal(await add.innerText(), usual);
      await press(page, 'next');
      await closed(page);

      const [id, ...others] = await servers(page);
      assert.ok(id);
      assert.equal(await page.evaluate((id) => RED.nodes.node(id).name, id), 'living room');
      assert.deepEqual(others, new Array(imported).fill(id));
      assert.equal(await page.locator('.red-ui-notification button').count(), 0, 'nobody is asked again');
      await page.evaluate(() => {
        RED.actions.invoke('core:undo');
      });
      assert.deepEqual(
        (await servers(page)).filter((server) => server === id),
        [],
        'one step undoes all',
      );
    });
  });

  it('the steps to a server open only once by themselves, and then from the dialog of a node', async () => {
    const { stash } = stage;
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      await removeServer(page);
      await addQuickly(editor, 'stash-studios');
      await atStep(page, 1, '#node-config-input-url');
      await page.keyboard.press('Escape');
      await closed(page);
      assert.equal(await page.evaluate(() => RED.view.state()), 0);
      const node = await editor.drag('stash-scan', 200, 160);
      await isClosed(page, node);

      const dialog = await editor.openDialog(node);
      await dialog.tabTo('#stash-set-up');
      await page.keyboard.press('Enter');
      await atStep(page, 1, '#node-config-input-url');
      await replace(page, stash.url);
      for (const number of [2, 3]) {
        await press(page, 'next');
        await atStep(page, number);
      }
      await press(page, 'back');
      await atStep(page, 2);
      await press(page, 'next');
      await press(page, 'next');
      await page.locator('#stash-set-up').waitFor({ state: 'hidden' });
      assert.equal((await dialog.values())['server'], 'Stash');
      await dialog.close();
      const all = await servers(page);
      assert.equal(new Set(all).size, 1, 'both nodes have it');
      assert.equal(await page.locator('.red-ui-notification button').count(), 0);
    });
  });

  it('a server that was just added, or edited, works in the dialogs before it is deployed', async () => {
    const { stash } = stage;
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      const release = words('server', 'capabilities.release', { release: 'v0.30.1' });
      await removeServer(page);
      const node = await editor.drag('stash-performer-search', 200, 60);
      await atStep(page, 1);
      await replace(page, stash.url);
      await press(page, 'next');
      await atStep(page, 2);
      await page.locator('#node-config-input-auth').selectOption('apiKey');
      await page.locator('#node-config-input-apiKey').fill(KEY);
      await press(page, 'next');
      await atStep(page, 3);
      await press(page, 'next');
      await closed(page);

      const dialog = await editor.openDialog(node);
      await dialog.text(release).waitFor();
      assert.ok((await dialog.offered('source')).length > 1, 'the scrapers of the server');
      await page.keyboard.press('Escape');
      await dialog.chooseType('query', 'string');
      await dialog.typeValue('query', 'Robin');
      await page.locator('#stash-trial-start').click();
      await page.locator('#stash-trial-table').getByText('Robin Vale', { exact: true }).waitFor();

      const server = await editor.openServerOf('edit');
      const elsewhere = 'http://127.0.0.1:1';
      await server.type('url', elsewhere);
      await server.close();
      const lost = words('server', 'errors.UNREACHABLE.refusedHere.text', { url: elsewhere });
      await dialog.text(`${lost} ${words('server', 'capabilities.unknown')}`).waitFor();
      const variable = await editor.openServerOf('edit');
      await variable.type('apiKey', '${STASH_KEY}');
      await variable.close();
      const undeployed = words('server', 'capabilities.undeployed');
      await dialog.text(undeployed).waitFor();
      await page.locator('#stash-trial-start').click();
      await page.locator('#stash-trial-note').getByText(undeployed).waitFor();
      await dialog.cancel();

      // Pictures, too.
      const update = await editor.openDialog(await editor.drag('stash-update', 200, 160));
      const again = await editor.openServerOf('edit');
      await again.type('url', stash.url);
      await again.type('apiKey', KEY);
      await again.close();
      await update.text(release).waitFor();
      await update.chooseType('items', words('server', 'picker.items'));
      await update.offered('items');
      await page.locator('.stash-option-picture img[src^="blob:"]').first().waitFor();
      await update.cancel();
      assert.equal(await page.locator('.red-ui-notification button').count(), 0);
    });
  });

  it('a server that an import has replaced is not taken for the deployed one', async () => {
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      const { id, name } = SERVER;
      const replaced = { id, name, type: 'stash-server', url: 'http://127.0.0.1:1', auth: 'apiKey' };
      await page.evaluate((node) => {
        RED.view.importNodes([node], { importMap: { [node.id]: 'replace' } });
      }, replaced);
      const dialog = await editor.openDialog(await editor.drag('stash-status', 200, 60));
      await dialog.text(words('server', 'capabilities.undeployed')).waitFor();
      await dialog.cancel();
    });
  });

  it('the steps to a server give way to the whole dialog where a field is not in them', async () => {
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      await removeServer(page);
      let goOn = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await page.route('**/stash-server/test', async (route) => {
        await held;
        await route.fulfill({
          contentType: 'application/x-ndjson',
          body: `${JSON.stringify({
            ...{ check: 'stash', state: 'failed', case: 'NOT_STASH.page', details: {} },
            remedies: [{ kind: 'field', field: 'headers' }],
          })}\n`,
        });
      });
      await editor.drag('stash-status', 200, 60);
      await atStep(page, 1);
      for (const number of [2, 3]) {
        await press(page, 'next');
        await atStep(page, number);
      }
      const add = page.locator('.stash-step-next');
      assert.equal(await add.innerText(), await page.locator('#node-config-dialog-ok').innerText());
      goOn();
      const field = words('server', 'field.headers');
      await page.getByRole('button', { name: words('server', 'doctor.remedy.field', { field }) }).click();
      await page.locator('#node-config-input-headers:focus').waitFor();
      assert.equal(await page.locator('.stash-steps').count(), 0);
      assert.ok(await page.locator('#node-config-input-name').isVisible());
      await page.locator('#node-config-dialog-cancel').click();
      await closed(page);
    });
  });

  it('the steps to a server fit any width, and axe-core and the Tab key find no problem in them', async () => {
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      await removeServer(page);
      await editor.drag('stash-status', 200, 60);
      for (const number of [1, 2, 3]) {
        await atStep(page, number);
        if (number === 3) await page.locator('#stash-test-answer :is(.stash-good, .stash-bad)').waitFor();
        assert.deepEqual(await violations(page), [], `step ${number}`);
        await walk(page);
        await checkAllWidths(page, FORM, `step ${number}`);
        if (number < 3) await press(page, 'next');
      }
      await page.locator('#node-config-dialog-cancel').click();
      await closed(page);
    });
  });
}

/** Waits for a step. @param focused what has the focus then. */
async function atStep(page: Page, number: number, focused = ':focus'): Promise<void> {
  const step = page.locator(`.stash-steps > li:nth-child(${number})[aria-current="step"]`);
  await step.waitFor();
  await page.locator(`${FORM} ${focused}:focus`).waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.red-ui-tray')].every((tray) => getComputedStyle(tray).right === '0px'),
  );
}

/** Presses a button below the step by keyboard. */
async function press(page: Page, button: 'back' | 'next'): Promise<void> {
  await page.locator(`.stash-step-${button}`).focus();
  await page.keyboard.press('Enter');
}

async function replace(page: Page, text: string): Promise<void> {
  // Not key by key: Node-RED moves the focus once more, some time after the dialog has slid in.
  await page.locator(`${FORM} input:focus`).fill(text);
}

/** Waits until no dialog is open. */
async function closed(page: Page): Promise<void> {
  await page.locator('.red-ui-tray').waitFor({ state: 'detached' });
}

/** Checks that a node is in the flow, and that its drop has opened no dialog. */
async function isClosed(page: Page, node: FlowNode): Promise<void> {
  await node.locator.waitFor();
  // A dialog would open in the next turn.
  await page.evaluate(() => new Promise((next) => setTimeout(next)));
  assert.equal(await page.locator('.red-ui-tray').count(), 0);
}

/** Adds a node with the quick-add dialog of the workspace. */
async function addQuickly({ page }: Editor, type: string): Promise<void> {
  // All in one turn: Node-RED closes the dialog if the button is released more than 200 ms after it was pressed.
  await page.locator('#red-ui-workspace-chart').evaluate((chart) => {
    const { left, top } = chart.getBoundingClientRect();
    const at = { clientX: left + 300, clientY: top + 60, ctrlKey: true, bubbles: true };
    const target = document.elementFromPoint(at.clientX, at.clientY);
    for (const type of ['mousedown', 'mouseup', 'click']) target?.dispatchEvent(new MouseEvent(type, at));
  });
  const input = page.locator('.red-ui-type-search input');
  await input.waitFor();
  const results = page.locator('.red-ui-type-search .red-ui-search-result:visible');
  await eventually(
    async () => {
      // While it opens, Node-RED may empty it.
      if ((await input.inputValue()) !== type) {
        await input.clear();
        await input.pressSequentially(type);
      }
      return await results.count();
    },
    (count) => {
      assert.ok(count > 0 && count < 3);
    },
  );
  await input.press('Enter');
}
