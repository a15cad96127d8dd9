import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { send } from '../fake-stash/answers';
import { words } from '../support/words';
import type { Dialog } from './dialog';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

const TAB = 'trials';

/** A tab with a node of each type that can be tried. */
export const trialFlows: object[] = [
  { id: TAB, type: 'tab', label: TAB, disabled: false, info: '' },
  ...[
    { type: 'stash-status', fields: ['version', 'stats'] },
    { type: 'stash-studios', fields: ['id', 'name', 'image_path'] },
    { type: 'stash-performer-search', query: 'payload.who', queryType: 'msg' },
    { type: 'stash-query', document: '{ findScenes { scenes { id title } } }', documentType: 'graphql' },
    { type: 'stash-performer-save', performer: 'Hana Mori', performerType: 'str' },
    { type: 'stash-new', scenes: true, images: true, picture: 'buffer' },
    {
      ...{ type: 'stash-update', kind: 'scene', items: '[5, 1]', itemsType: 'json', create: true },
      changes: [{ field: 'tags', action: 'add', value: 'topic', valueType: 'msg' }],
    },
  ].map((node, index) => ({
    ...{ ...node, id: `trial-${node.type}`, z: TAB, server: SERVER.id },
    ...{ x: 200, y: 100 + 60 * index, wires: [[]] },
  })),
];

/** Presses the button "Try it", if the dialog has one, and waits for the result or the error. */
export async function tryIt(page: Page): Promise<void> {
  const button = page.locator('#stash-trial-start');
  if ((await button.count()) === 0) return;
  await button.click();
  await page.locator('#stash-trial-caption > i:not(.fa-spin)').waitFor();
}

/** Describes the button "Try it" by keyboard. */
export function describeTrial(stage: Stage): void {
  const page = () => stage.editor.page;
  const note = () => page().locator('#stash-trial-note');
  const table = () => page().locator('#stash-trial-table');
  const stop = () => page().locator('#stash-trial-stop');

  async function open(name: string): Promise<Dialog> {
    await stage.editor.show(TAB);
    return await stage.editor.openDialog(stage.editor.node(`trial-stash-${name}`));
  }

  /** Presses the button with the keyboard. */
  async function press(dialog: Dialog): Promise<void> {
    await dialog.tabTo('#stash-trial-start');
    await page().keyboard.press('Enter');
  }

  async function tells(text: RegExp | string): Promise<void> {
    await eventually(
      () => note().innerText(),
      (shown) => {
        if (typeof text === 'string') assert.equal(shown.trim(), text);
        else assert.match(shown.trim(), text);
      },
    );
  }

  async function isForgotten(): Promise<void> {
    await page().locator('#stash-trial-note:empty').waitFor({ state: 'attached' });
    assert.equal(await table().isVisible(), false);
  }

  const texts = (cells: Locator) => cells.allInnerTexts();
  const sentence = (which: string, values: object = {}) =>
    ['text', 'remedy'].map((part) => words('server', `errors.${which}.${part}`, { ...values })).join(' ');

  it('stash-studios: Try it shows the first results in a table, until a value changes', async () => {
    const dialog = await open('studios');
    await press(dialog);
    await tells(/^First 3 of 6 studios, \d+ ms$/);
    assert.deepEqual(await texts(table().locator('th')), ['id', 'name', 'image_path']);
    assert.deepEqual(await texts(table().locator('tbody tr td:nth-child(2)')), [
      ...['Blue Kettle', 'Harbour Nine', 'Lanterna'],
    ]);
    assert.equal(
      await table().locator('th').nth(2).getAttribute('title'),
      words('studios', 'fields.image_path'),
      'the label in the dialog',
    );
    // It can be scrolled without a mouse, and its name is the sentence above it.
    await page().keyboard.press('Tab');
    assert.equal(await page().evaluate(() => document.activeElement?.id), 'stash-trial-table');
    assert.match(
      (await page()
        .getByRole('region', { name: /^First 3 of 6 studios/ })
        .getAttribute('tabindex')) ?? '',
      /^0$/,
    );
    await dialog.chooseField('name');
    await isForgotten();
    await dialog.chooseNoField();
    await press(dialog);
    await tells(sentence('BAD_INPUT.notChosen'));
    assert.equal(await note().locator('.stash-bad').count(), 1);
    await dialog.choose('server', 'none');
    await isForgotten();
    await press(dialog);
    await tells(words('server', 'invalid.server'));
    await dialog.cancel();
    // Nothing was changed or deployed.
    const flows = (await stage.nodeRed.get('flows')) as { id: string; fields?: string[] }[];
    const kept = flows.find(({ id }) => id === 'trial-stash-studios')?.fields;
    assert.deepEqual(kept, ['id', 'name', 'image_path']);
  });

  it('stash-status: Try it shows the fields one below the other, without a jump of the button', async () => {
    const dialog = await open('status');
    await dialog.tabTo('#stash-trial-start');
    const top = async () => (await page().locator('#stash-trial-start').boundingBox())?.y ?? Number.NaN;
    const before = await top();
    await press(dialog);
    await table().locator('table').waitFor();
    assert.ok(before - (await top()) < 120, 'no further than its start needs');
    await tells(/^Answered in \d+ ms$/);
    const first = table().locator('tbody tr').first();
    assert.ok(
      await first.evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight),
      'its start is visible',
    );
    assert.deepEqual(await texts(first.locator('th, td')), ['version', 'v0.30.1']);
    assert.equal(
      await first.locator('th[scope="row"]').getAttribute('title'),
      words('status', 'fields.version'),
    );
    // In the language of the reader, as the units that people use.
    const size = table().locator('tr', { hasText: 'stats.scenes_size' }).locator('td');
    assert.deepEqual(await texts(size), ['5.8 GiB']);
    await dialog.cancel();
  });

  it('stash-performer-search: Try it asks for the value of the message that the dialog names', async () => {
    const dialog = await open('performer-search');
    const value = page().locator('#stash-trial-values .red-ui-typedInput-input');
    const label = () => page().locator('#stash-trial-values label').innerText();
    const nameOf = (property: string) => words('server', 'trial.value', { property });
    assert.equal((await label()).replaceAll('\u200b', '').trim(), nameOf('msg.payload.who'));
    await press(dialog);
    const property = words('performer-search', 'field.query');
    await tells(sentence('BAD_INPUT.empty', { property, source: 'msg.payload.who' }));

    await dialog.tabTo('#stash-trial-values .red-ui-typedInput-input');
    await page().keyboard.type('Robin');
    await isForgotten();
    await press(dialog);
    await tells(/^2 matches, \d+ ms$/);
    assert.deepEqual(await texts(table().locator('tbody td:first-child')), ['Robin Vale', 'Robin Valentine']);

    // A server quotes long addresses.
    stage.stash.site.failure = `unexpected EOF https://performers.example/${'x'.repeat(200)}`;
    await press(dialog);
    await tells(/^Stash reports: “.*unexpected EOF/);
    stage.stash.site.failure = undefined;
    assert.ok(
      await page()
        .locator('.stash-form')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
    );

    // Each key changes the name of the property.
    await dialog.typeValue('query', 'payload');
    // Node-RED lists known properties, and their menu keeps the Tab key.
    await page().keyboard.press('Escape');
    await isForgotten();
    assert.equal(await value.getAttribute('aria-label'), nameOf('msg.payload'));
    assert.equal(await value.inputValue(), 'Robin', 'the value is kept');
    await dialog.chooseType('query', 'string');
    assert.equal(await value.count(), 0);
    await dialog.chooseType('query', 'expression');
    assert.equal(await value.getAttribute('aria-label'), nameOf('msg'));
    await dialog.cancel();
  });

  it('stash-performer-search: a click that leaves the name of a property reaches the input for its value', async () => {
    const dialog = await open('performer-search');
    const value = page().locator('#stash-trial-values .red-ui-typedInput-input');
    await dialog.tabTo('#node-input-query + .red-ui-typedInput-container .red-ui-typedInput-input');
    await page().keyboard.press('ControlOrMeta+A');
    // As a paste by the menu: no key announces it.
    await page().keyboard.insertText('payload.name');
    await value.click();
    await page().keyboard.type('Robin');
    assert.equal(await value.inputValue(), 'Robin');
    const label = page().locator('#stash-trial-values label');
    assert.match(await label.innerText(), /msg\.payload\.\u200bname/);
    await dialog.cancel();
  });

  it('stash-performer-search: Try it waits for its turn at the external site, and the dialog ends the wait', async () => {
    const { stash, nodeRed } = stage;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    stash.answerWith(
      async (request, response, _body, execute) => {
        await answered;
        send(request, response, await execute());
      },
      { field: 'scrapeSinglePerformer', times: 1 },
    );
    const lookUps = () =>
      stash.requests.filter(({ operation }) => operation === 'scrapeSinglePerformer').length;
    const before = lookUps();
    const first = fetch(`${nodeRed.url}/stash-server/try/performer-search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: SERVER.id, properties: { query: 'Hana', queryType: 'str' } }),
    }).then((response) => response.text());
    await eventually(
      () => Promise.resolve(lookUps()),
      (count) => {
        assert.equal(count, before + 1);
      },
    );

    const dialog = await open('performer-search');
    await dialog.tabTo('#stash-trial-values .red-ui-typedInput-input');
    await page().keyboard.type('Robin');
    await press(dialog);
    await tells(words('server', 'trial.state.waiting'));
    await stop().waitFor();
    await dialog.tabTo('#stash-trial-stop');
    await page().keyboard.press('Enter');
    await isForgotten();
    assert.equal(await page().evaluate(() => document.activeElement?.id), 'stash-trial-start');

    const ended = page().waitForEvent('requestfailed', (request) => request.url().includes('/try/'));
    await press(dialog);
    await tells(words('server', 'trial.state.waiting'));
    // Node-RED tells a node nothing of this button.
    await page().locator('#node-dialog-delete').click();
    await ended;
    await page().locator('#dialog-form').waitFor({ state: 'detached' });
    await page().keyboard.press('ControlOrMeta+Z');
    answer();
    assert.match(await first, /"rows"/);
    assert.equal(lookUps(), before + 1, 'nobody waited for the others');
  });

  it('stash-query: Try it shows the list in the answer, and refuses a mutation', async () => {
    const dialog = await open('query');
    await page().locator('#stash-document-note.stash-hint').waitFor();
    await press(dialog);
    await tells(/^First 3 of 5 items, \d+ ms$/);
    assert.deepEqual(await texts(table().locator('th')), ['id', 'title']);
    await page().locator('#stash-document .ace_content').click();
    await page().keyboard.press('ControlOrMeta+A');
    await page().keyboard.insertText('mutation { stopAllJobs }');
    await isForgotten();
    const { length: before } = stage.stash.requests;
    await press(dialog);
    await tells(sentence('BAD_INPUT.mutation'));
    assert.ok(stage.stash.requests.slice(before).every(({ operation }) => operation !== 'stopAllJobs'));
    await dialog.cancel();
  });

  it('stash-performer-save: Try it names a performer who would be added', async () => {
    const dialog = await open('performer-save');
    await press(dialog);
    await tells(/^Would be added: Hana Mori, \d+ ms$/);
    await dialog.cancel();
  });

  it('stash-new: Try it shows the newest items of the ticked kinds with their pictures', async () => {
    const dialog = await open('new');
    await press(dialog);
    await tells(/^Newest 3 of \d+ items in the library, \d+ ms$/);
    await table().locator('.stash-trial-picture[title="/image/1/thumbnail"] > img').waitFor();
    // Some scenes have no cover.
    assert.deepEqual([...new Set(await texts(table().locator('.stash-trial-picture')))], ['']);
    const kinds = await texts(table().locator('tbody td:nth-child(3)'));
    assert.deepEqual([...new Set(kinds)], ['scene', 'image']);
    await dialog.choose('picture', words('server', 'picture.none'));
    await isForgotten();
    await dialog.cancel();
  });

  it('stash-update: Try it shows what would change, by the name of the folder, and changes nothing', async () => {
    const dialog = await open('update');
    const values = page().locator('#stash-trial-values label');
    assert.equal(await values.count(), 1, 'it asks for what the row reads');
    await dialog.chooseTypeInRow(1, words('update', 'value.folder'));
    assert.equal(await values.count(), 0);
    const { length: before } = stage.stash.requests;
    const button = page().locator('#stash-trial-start');
    await button.scrollIntoViewIfNeeded();
    const place = await button.boundingBox();
    await button.click();
    await tells(/^1 of 2 items would change, \d+ ms\s+New tag: Harbour Nine$/);
    assert.deepEqual(await button.boundingBox(), place, 'it stays below the pointer');
    assert.deepEqual(await texts(table().locator('th')), [
      words('server', 'trial.column.item'),
      words('update', 'fields.tags'),
    ]);
    assert.deepEqual(await texts(table().locator('td')), [
      ...['Low Tide', '+ Harbour Nine'],
      ...['Window Seat', words('server', 'trial.unchanged')],
    ]);
    assert.ok(stage.stash.requests.slice(before).every(({ body }) => !body?.query?.startsWith('mutation')));
    // What it would create is no name that is wrong, and not what happened.
    await dialog.tick('create');
    await press(dialog);
    await tells(words('server', 'trial.notThere', { names: 'Harbour Nine' }));
    await dialog.typeValue('items', '[]');
    await press(dialog);
    await tells(
      /^No items: nothing would change, \d+ ms\s+Enter the IDs of some items above, such as \[1, 2\]\.$/,
    );
    assert.equal(await note().locator('.stash-good').count(), 0);
    await dialog.typeValue('items', '[5]');
    await dialog.tick('create');
    await press(dialog);
    await tells(/^Would stay as it is: Window Seat, \d+ ms$/);
    // Performers have no folder.
    await dialog.choose('kind', words('update', 'kind.performer'));
    await isForgotten();
    await dialog.tellsInRow(
      1,
      'value',
      words('update', 'invalid.value', { field: words('update', 'fields.tags') }),
    );
    await dialog.cancel();
  });

  it('Try it says so if Node-RED does not respond', async () => {
    const dialog = await open('studios');
    await page().route('**/stash-server/try/*', (route) => route.fulfill({ body: '' }));
    await press(dialog);
    await tells(words('server', 'test.failed'));
    await page().unroute('**/stash-server/try/*');
    await press(dialog);
    await tells(/^First 3 of 6 studios/);
    // The address of a picture is no use to people.
    await table().locator('.stash-trial-picture > img').first().waitFor();
    await dialog.cancel();
  });
}
