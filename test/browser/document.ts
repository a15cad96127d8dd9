import assert from 'node:assert/strict';
import type { Page, Request } from 'playwright-core';
import { words } from '../support/words';
import type { Dialog } from './dialog';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

const TAB = 'documents';
const NODE = 'document';
const WITH_ENUM = 'document-with-enum';

/** A tab with a query node. */
export const documentFlows: object[] = [
  { id: TAB, type: 'tab', label: TAB, disabled: false, info: '' },
  {
    ...{ id: NODE, type: 'stash-query', z: TAB, server: SERVER.id, x: 200, y: 100, wires: [[]] },
    document: 'query ($filter: FindFilterType) {\n  findScenes(filter: $filter) { count }\n}\n',
    documentType: 'graphql',
    values: [{ name: 'filter', value: '{"q": "a"}', type: 'json' }],
  },
  {
    ...{ id: WITH_ENUM, type: 'stash-query', z: TAB, server: SERVER.id, x: 200, y: 160, wires: [[]] },
    document: 'query ($way: SortDirectionEnum) {\n  findScenes(filter: { direction: $way }) { count }\n}\n',
    documentType: 'graphql',
    values: [{ name: 'way', value: 'SIDEWAYS', type: 'str' }],
  },
];

/** Describes the editor for documents in the dialog of stash-query. */
export function describeDocument(stage: Stage): void {
  /** Does something in the open dialog, and closes it without a change. */
  async function inDialog(what: (page: Page, dialog: Dialog) => Promise<void>): Promise<void> {
    const { editor } = stage;
    await editor.show(TAB);
    const dialog = await editor.openDialog(editor.node(NODE));
    await note(editor.page, words('query', 'document.fine', { release: 'v0.30.1' }));
    await what(editor.page, dialog);
    await dialog.cancel();
  }

  it('stash-query: the dialog checks the document against the schema of the server', () =>
    inDialog(async (page) => {
      assert.equal(await page.locator('#stash-document .squiggly-error').count(), 0);
    }));

  it('stash-query: the dialog underlines a mistake as people type, and says what is wrong', () =>
    inDialog(async (page) => {
      await typeAtEndOf(page, 2, 'versio');
      await note(page, /^Line 2, column \d+: Cannot query field "versio"|^Line 2/);
      await page.locator('#stash-document .squiggly-error').first().waitFor();
    }));

  it('stash-query: completion lists what the server offers, with its type', () =>
    inDialog(async (page) => {
      // The list opens by itself.
      await typeAtEndOf(page, 2, ' scen');
      const suggestion = page.locator('.suggest-widget .monaco-list-row', { hasText: 'scenes' });
      await suggestion.first().waitFor();
      await eventually(
        () => page.locator('.suggest-widget .monaco-list-row.focused').first().innerText(),
        (text) => {
          assert.match(text, /scenes[\s\S]*\[Scene!\]!/);
        },
      );
      await page.keyboard.press('Escape');
    }));

  it('stash-query: completions that come after the dialog was closed do no harm', async () => {
    const { page, errors } = stage.editor;
    const before = errors.length;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const asked = page.waitForRequest((request) => isForCompletions(request));
    await page.route('**/stash-server/document', async (route) => {
      if (isForCompletions(route.request())) await released;
      await route.continue();
    });
    await inDialog(async () => {
      await typeAtEndOf(page, 2, ' scen');
      await asked;
    });
    const answered = page.waitForResponse((response) => isForCompletions(response.request()));
    release();
    await answered;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    await page.unroute('**/stash-server/document');
    assert.deepEqual(errors.slice(before), []);
  });

  it('stash-query: pointing at a name shows its type and its documentation', () =>
    inDialog(async (page) => {
      await page
        .locator('#stash-document .view-line span', { hasText: /^findScenes$/ })
        .first()
        .hover();
      await page
        .locator('.monaco-hover:visible', { hasText: 'Query.findScenes: FindScenesResultType!' })
        .waitFor();
    }));

  it('stash-query: the dialog has an input for each variable, and keeps what was entered', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    let dialog = await editor.openDialog(editor.node(NODE));
    const { page } = editor;
    await note(page, words('query', 'document.fine', { release: 'v0.30.1' }));
    const filter = await page.locator('[data-variable="filter"]').elementHandle();
    await select(page, 1);
    await page.keyboard.insertText('query ($filter: FindFilterType, $id: ID!) {');
    // The editor has closed the brace.
    await page.keyboard.press('Delete');
    const rows = page.locator('.stash-variable-row');
    await eventually(
      () => rows.locator('code').allTextContents(),
      (names) => {
        assert.deepEqual(names, ['$filter', '$id']);
      },
    );
    // One may be typing there.
    assert.ok(await filter.evaluate((input) => input.isConnected), 'the other input is the same');
    await rows.nth(1).locator('.red-ui-typedInput-input').fill('12');
    await dialog.close();
    await editor.deploy();

    const flows = (await stage.nodeRed.get('flows')) as { id: string; values?: object[] }[];
    assert.deepEqual(flows.find(({ id }) => id === NODE)?.values, [
      { name: 'filter', value: '{"q": "a"}', type: 'json' },
      { name: 'id', value: '12', type: 'str' },
    ]);
    dialog = await editor.openDialog(editor.node(NODE));
    assert.equal(await rows.nth(1).locator('.red-ui-typedInput-input').inputValue(), '12');
    await dialog.cancel();
  });

  it('stash-query: Done keeps the value of an enum that the server does not have', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const dialog = await editor.openDialog(editor.node(WITH_ENUM));
    const choice = editor.page.locator('.stash-variable-row .red-ui-typedInput-option-label');
    await choice.getByText('SIDEWAYS').waitFor();
    await dialog.close();
    await editor.deploy();

    const flows = (await stage.nodeRed.get('flows')) as { id: string; values?: object[] }[];
    assert.deepEqual(flows.find(({ id }) => id === WITH_ENUM)?.values, [
      { name: 'way', value: 'SIDEWAYS', type: 'str' },
    ]);
  });

  it('stash-query: without a server the dialog still works, and says what is missing', async () => {
    const { editor } = stage;
    const { page } = editor;
    await page.route('**/stash-server/document', (route) =>
      route.fulfill({ json: { case: 'UNREACHABLE.refused', details: { url: 'http://nas.example:9999' } } }),
    );
    await editor.show(TAB);
    const dialog = await editor.openDialog(editor.node(NODE));
    await note(page, /^No completion and no checks now: Nothing answers at http:\/\/nas\.example:9999/);
    await typeAtEndOf(page, 2, ' ');
    await page.unroute('**/stash-server/document');
    await dialog.cancel();
  });
}

/** Waits until the line below the document says this. */
async function note(page: Page, text: string | RegExp): Promise<void> {
  await eventually(
    () => page.locator('#stash-document-note').innerText(),
    (shown) => {
      if (typeof text === 'string') assert.equal(shown, text);
      else assert.match(shown, text);
    },
  );
}

async function typeAtEndOf(page: Page, line: number, text: string): Promise<void> {
  await page
    .locator('#stash-document .view-line')
    .nth(line - 1)
    .click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(text);
}

/** Selects a line. */
async function select(page: Page, line: number): Promise<void> {
  await page
    .locator('#stash-document .view-line')
    .nth(line - 1)
    .click();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
}

/** Whether the dialog asks for what fits at the cursor. */
function isForCompletions(request: Request): boolean {
  return request.url().endsWith('/stash-server/document') && /"completions"/.test(request.postData() ?? '');
}
