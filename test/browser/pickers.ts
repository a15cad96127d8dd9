import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { words } from '../support/words';
import { violations } from './accessibility';
import { chooseFromMenu, type Dialog } from './dialog';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

const TAB = 'pickers';

/** The jQuery of the editor, and what the test notes in the page. */
declare const $: (document: Document) => {
  on(event: 'ajaxSend', listener: (event: object, request: object, settings: { url: string }) => void): void;
};
declare let asked: number[];
declare let revoked: string[];

/** The node that offers scenes with their pictures. */
export const PICTURED = { tab: TAB, node: 'pickers-generate' };

/** The name of a performer who is not in the library. */
const STRANGER = 'Nobody of that name';

const nodes = {
  scan: {},
  generate: { sprites: true, sceneIDs: '["1", "99"]', sceneIDsType: 'scenes' },
  'performer-scrape': { performer: STRANGER, performerType: 'performer' },
  task: { task: 'runPluginTask' },
  find: { kind: 'tag', filterType: 'saved', filter: '' },
  query: {
    document: 'query ($tag: ID!, $scenes: [ID!]) {\n  findTag(id: $tag) { name }\n}\n',
    documentType: 'graphql',
    values: [{ name: 'tag', value: '2', type: 'tag' }],
  },
  update: {
    ...{ kind: 'scene', items: '["1", "99"]', itemsType: 'chosen' },
    changes: [{ field: 'rating', action: 'set', value: '80', valueType: 'num' }],
  },
};

/** A tab with nodes whose values people choose by name. */
export const pickerFlows: object[] = [
  { id: TAB, type: 'tab', label: TAB, disabled: false, info: '' },
  ...Object.entries(nodes).map(([name, properties], index) => ({
    ...{ id: `pickers-${name}`, type: `stash-${name}`, z: TAB, d: true, server: SERVER.id, name: '' },
    ...{ x: 200, y: 60 + 60 * index, wires: [[], []] },
    ...properties,
  })),
  {
    ...{ id: 'pickers-sorted', type: 'stash-find', z: TAB, d: true, server: SERVER.id, name: '' },
    ...{ kind: 'scene', sort: 'tag_count', x: 200, y: 600, wires: [[]] },
  },
];

/** Describes the choice of what a server has, in the dialogs of nodes. */
export function describePickers(stage: Stage): void {
  const open = async (name: keyof typeof nodes): Promise<Dialog> => {
    await stage.editor.show(TAB);
    return await stage.editor.openDialog(stage.editor.node(`pickers-${name}`));
  };
  const popup = () => stage.editor.page.locator('.stash-popup');

  before(() => {
    const { stash } = stage;
    for (let index = 1; index <= 60; index += 1) stash.people.add({ name: `Performer ${String(index)}` });
    stash.people.add({ name: 'Hana Mori', alias_list: ['Flora'] });
    stash.tags = Array.from({ length: 40 }, (_, index) => ({
      id: String(index + 1),
      name: `Tag ${String(index + 1)}`,
    }));
    for (const title of ['The quay', 'The ferry']) {
      stash.library.add({ path: `/media/pictures/Harbour/${title}.jpg`, title }, '2026-01-11T04:41:59Z');
    }
    for (const id of [4, 5]) stash.library.pictures.set(`scene ${String(id)}`, null);
  });

  it('stash-scan: several library folders are chosen and removed by keyboard alone', async () => {
    const { editor } = stage;
    const { keyboard } = editor.page;
    let dialog = await open('scan');
    await dialog.chooseType('paths', words('server', 'picker.folders'));
    await dialog.tells('paths', words('server', 'picker.none'));
    assert.deepEqual(await dialog.offered('paths'), ['/media/videos', '/media/pictures']);
    // Up from the first entry leads to the last one; the list stays open for the next choice.
    for (const key of ['ArrowUp', 'Enter', 'Home', 'Enter']) await keyboard.press(key);
    assert.deepEqual(await dialog.picked('paths'), ['/media/pictures', '/media/videos']);
    await dialog.isSilent('paths');
    await keyboard.press('Escape');
    await popup().waitFor({ state: 'detached' });
    assert.ok(await dialog.isShown('paths'), 'Escape closes the list, not the dialog');

    await keyboard.press('Backspace');
    assert.deepEqual(await dialog.picked('paths'), ['/media/pictures']);
    await dialog.pick('paths', 'videos');
    await dialog.tabTo(`[aria-label="${words('server', 'picker.remove', { name: '/media/pictures' })}"]`);
    await keyboard.press('Enter');
    assert.deepEqual(await dialog.picked('paths'), ['/media/videos']);
    assert.equal(await focused(editor.page), words('server', 'field.paths'));
    await dialog.close();

    dialog = await open('scan');
    const { paths, pathsType } = await dialog.values();
    assert.deepEqual([paths, pathsType], ['["/media/videos"]', 'folders']);
    // What was chosen becomes the first text, and a text the first choice.
    await dialog.chooseType('paths', 'string');
    assert.equal((await dialog.values())['paths'], '/media/videos');
    await dialog.typeValue('paths', '/elsewhere');
    await dialog.chooseType('paths', words('server', 'picker.folders'));
    assert.deepEqual(await dialog.picked('paths'), ['/media/videos']);
    await dialog.chooseType('paths', 'string');
    assert.equal((await dialog.values())['paths'], '/elsewhere');
    await dialog.cancel();
  });

  it('stash-generate: scenes are chosen by title, with their pictures; one that is gone is kept and marked', async () => {
    const { editor, stash } = stage;
    const { page } = editor;
    const gone = `99 ${words('server', 'picker.gone')}`;
    // The sidebar may have shown one of the pictures.
    const browser = await page.context().newCDPSession(page);
    await browser.send('Network.clearBrowserCache');
    const dialog = await open('generate');
    await shows(dialog, 'sceneIDs', ['Low Tide', gone]);
    await isRed('sceneIDs', true);
    const before = stash.requests.length;
    await page.evaluate(() => {
      const usual = URL.revokeObjectURL.bind(URL);
      revoked = [];
      URL.revokeObjectURL = (address) => {
        revoked.push(address);
        usual(address);
      };
    });
    const entries = await dialog.offered('sceneIDs');
    assert.deepEqual(entries.slice(0, 2), ['First Snow', 'Low Tide']);
    assert.equal(
      await page.locator('.stash-option[aria-selected="true"]').innerText(),
      'Low Tide\nHarbour Nine',
    );
    // The browser shows pictures that came through Node-RED, and leaves the places of others empty.
    const loaded = page.locator('.stash-option-picture img[src^="blob:"]');
    await eventually(
      () => loaded.count(),
      (count) => {
        assert.equal(count, 3);
      },
    );
    const address = await loaded.first().getAttribute('src');
    assert.equal(await loaded.first().evaluate((image: HTMLImageElement) => image.naturalWidth), 320);
    const reads = () => stash.requests.slice(before).filter(({ path }) => path.includes('/screenshot'));
    await eventually(
      () => Promise.resolve(reads().length),
      (count) => {
        assert.equal(count, entries.length);
      },
    );

    await page.keyboard.type('paper');
    await page.locator('.stash-option.stash-active', { hasText: 'Paper Moon' }).waitFor();
    // The memory of pictures that are no longer in the list is free again.
    assert.ok((await page.evaluate(() => revoked)).includes(address ?? ''));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    assert.deepEqual(await dialog.picked('sceneIDs'), ['Low Tide', gone, 'Paper Moon']);
    assert.equal((await dialog.values())['sceneIDs'], '["1","99","3"]');
    await dialog.cancel();
  });

  it('stash-performer-scrape: a name is found among many while people type, at most one request in 300 ms', async () => {
    const { editor } = stage;
    const { page } = editor;
    const dialog = await open('performer-scrape');
    await shows(dialog, 'performer', [`${STRANGER} ${words('server', 'picker.gone')}`]);
    // An external site may know the name.
    await isRed('performer', false);
    const entries = await dialog.offered('performer');
    assert.deepEqual([entries.length, entries[0]], [25, 'Hana Mori']);
    assert.equal(
      await page.locator('.stash-popup-note').innerText(),
      words('server', 'picker.more_other', { count: 36 }),
    );
    await page.evaluate(() => {
      asked = [];
      $(document).on('ajaxSend', (_event, _request, { url }) => {
        if (url.endsWith('stash-server/items')) asked.push(performance.now());
      });
    });
    await page.keyboard.type('performer 60', { delay: 60 });
    await page.locator('.stash-option.stash-active', { hasText: 'Performer 60' }).waitFor();
    const times = await page.evaluate(() => asked);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    assert.ok(times.length >= 2 && times.length < 12, `${String(times.length)} requests for twelve letters`);
    // A timer of a busy browser may be late for one request and on time for the next.
    assert.ok(
      gaps.every((gap) => gap >= 250),
      gaps.join(),
    );
    assert.deepEqual(await dialog.entries(), ['Performer 60']);

    // Home and End move in the text until an entry is active; the Tab key takes the active entry.
    await page.keyboard.press('Tab');
    await popup().waitFor({ state: 'detached' });
    const { performer, performerType } = await dialog.values();
    assert.deepEqual([performer, performerType], ['Performer 60', 'performer']);
    await dialog.toPicker('performer');
    await page.keyboard.type('flora');
    await page.locator('.stash-option.stash-active', { hasText: 'Hana Mori' }).waitFor();
    assert.equal(await page.locator('.stash-option-detail').innerText(), 'Flora');
    await page.keyboard.press('Escape');
    assert.deepEqual(await dialog.picked('performer'), ['Performer 60'], 'Escape restores the choice');
    await page.keyboard.type('no such name');
    await page.getByText(words('server', 'picker.nothing')).and(page.locator('.stash-popup-note')).waitFor();
    await page.keyboard.press('Tab');
    assert.deepEqual(await dialog.picked('performer'), ['Performer 60'], 'only entries can be chosen');
    await dialog.cancel();
  });

  it('a picker looks focused only while it has the focus, also after a choice of its type', async () => {
    const { page } = stage.editor;
    const dialog = await open('scan');
    const widget = page.locator('#node-input-paths + .red-ui-typedInput-container');
    await chooseFromMenu(widget.locator('.red-ui-typedInput-type-select'), words('server', 'picker.folders'));
    const ring = async () => ((await widget.getAttribute('class')) ?? '').includes('typedInput-focus');
    assert.equal(await ring(), true);
    await dialog.pick('paths', 'videos');
    await page.locator('#node-input-name').click();
    assert.equal(await ring(), false);
    await dialog.cancel();
  });

  it('what was chosen is kept and shown while the server is down, and the list says why it is empty', async () => {
    const { editor } = stage;
    const { page } = editor;
    const error = { case: 'UNREACHABLE.refused', details: { url: 'http://nas.example:9999' } };
    for (const route of ['capabilities*', 'items']) {
      await page.route(`**/stash-server/${route}`, (one) => one.fulfill({ json: error }));
    }
    const reason = words('server', `errors.${error.case}.text`, error.details);
    for (const [name, property, kept] of [
      ['generate', 'sceneIDs', ['1', '99']],
      ['performer-scrape', 'performer', [STRANGER]],
    ] as const) {
      const dialog = await open(name);
      await dialog.text(`${reason} ${words('server', 'capabilities.unknown')}`).waitFor();
      assert.deepEqual(await dialog.picked(property), kept);
      await isRed(property, false);
      assert.deepEqual(await dialog.offered(property), []);
      assert.equal(await page.locator('.stash-popup-note').innerText(), reason);
      await dialog.isSilent(property);
      await dialog.close();
    }
    const task = await open('task');
    await task.offered('plugin');
    const hint = words('server', 'picker.anyPluginTask');
    assert.equal(await page.locator('.stash-popup-note').innerText(), `${reason} ${hint}`);
    await task.pick('plugin', 'mine/Do it');
    assert.deepEqual(await task.picked('plugin'), ['mine/Do it']);
    const { plugin, pluginTask } = await task.values();
    assert.deepEqual([plugin, pluginTask], ['mine', 'Do it']);
    await task.cancel();
    for (const route of ['capabilities*', 'items']) await page.unroute(`**/stash-server/${route}`);
  });

  it('stash-task: the tasks of plugins are chosen in groups, or come from a message', async () => {
    const { editor } = stage;
    const { page } = editor;
    let dialog = await open('task');
    await dialog.tells('plugin', words('task', 'invalid.plugin'));
    assert.deepEqual(await dialog.offered('plugin'), ['Say hello', 'Tidy up', 'Break']);
    const groups = page.locator('.stash-popup [role="group"]');
    assert.deepEqual(await groups.locator('.stash-popup-group').allTextContents(), ['Echo', 'Tidy']);
    await page.locator('.stash-option', { hasText: 'Tidy up' }).click();
    assert.deepEqual(await dialog.picked('plugin'), ['Tidy: Tidy up']);
    await dialog.isSilent('plugin');
    await dialog.close();

    dialog = await open('task');
    const { plugin, pluginTask, pluginType } = await dialog.values();
    assert.deepEqual([plugin, pluginTask, pluginType], ['tidy', 'Tidy up', 'str']);
    await shows(dialog, 'plugin', ['Tidy: Tidy up']);
    await dialog.chooseType('plugin', 'msg.');
    await dialog.tells('plugin', words('server', 'invalid.property', { type: 'msg' }));
    await dialog.typeValue('plugin', 'payload');
    await dialog.isSilent('plugin');
    await dialog.cancel();
  });

  it('stash-find: without a saved filter, the list says what to do instead, and Try it names no type', async () => {
    const { page } = stage.editor;
    const dialog = await open('find');
    await dialog.choose('kind', words('find', 'kind.group'));
    await dialog.tells('filter', words('server', 'picker.chooseFilter'));
    assert.deepEqual(await dialog.offered('filter'), []);
    const none = words('server', 'picker.noFilters', { url: words('find', 'filter.url') });
    assert.equal(await page.locator('.stash-popup-note').innerText(), none);
    await page.keyboard.press('Escape');
    await page.locator('#stash-trial-start').click();
    const empty = words('server', 'errors.BAD_INPUT.notEntered.text', {
      property: words('find', 'field.filter'),
    });
    await page.locator('#stash-trial-caption', { hasText: empty }).waitFor();
    await dialog.cancel();
  });

  it('stash-find: Sort by offers the orders of the kind, and says "as in the filter" whenever that has one', async () => {
    const { page } = stage.editor;
    const [sort, direction] = [page.locator('#node-input-sort'), page.locator('#node-input-direction')];
    const first = (select: Locator) => select.locator('option').first().textContent();
    const labels = () => sort.locator('option:not([value=""])').allTextContents();
    const nameOf = (value: 'name' | 'scenes_count' | 'date') => words('find', `sorts.${value}`);
    let dialog = await open('find');
    const saved = words('find', 'sort.filter');
    assert.deepEqual([await first(sort), await first(direction)], [saved, saved]);
    await dialog.choose('sort', nameOf('scenes_count'));
    assert.equal(await first(direction), words('find', 'direction.usual'));
    await dialog.choose('kind', words('find', 'kind.scene'));
    assert.ok((await labels()).includes(nameOf('date')));
    assert.equal(await sort.inputValue(), '', 'scenes have no such order');
    await dialog.choose('kind', words('find', 'kind.tag'));
    assert.equal(await sort.inputValue(), 'scenes_count', 'it is kept for the kind that has it');
    await dialog.cancel();
    dialog = await stage.editor.openDialog(stage.editor.node('pickers-sorted'));
    // An order that no list has, which a newer server may know.
    assert.deepEqual((await dialog.values())['sort'], 'tag_count');
    assert.ok(!(await labels()).includes(nameOf('name')));
    await dialog.choose('kind', words('find', 'kind.performer'));
    assert.equal(await sort.inputValue(), 'tag_count');
    await dialog.cancel();
  });

  it('stash-query: a variable with an ID offers what has one in the library', async () => {
    const { editor } = stage;
    const { page } = editor;
    const row = (name: string) =>
      page.locator('.stash-variable-row', { has: page.getByText(`$${name}`, { exact: true }) });
    let dialog = await open('query');
    await eventually(
      () => row('tag').locator('input[role="combobox"]').inputValue(),
      (text) => {
        assert.equal(text, 'Tag 2');
      },
    );
    const typeOf = (name: string, label: string) =>
      chooseFromMenu(row(name).locator('.red-ui-typedInput-type-select'), label);
    await typeOf('scenes', words('server', 'picker.scene'));
    await row('scenes').getByRole('combobox').click();
    for (const title of ['Low Tide', 'Window Seat']) {
      await page.locator('.stash-option', { hasText: title }).click();
    }
    assert.deepEqual(await row('scenes').locator('.stash-chip-text').allTextContents(), [
      'Low Tide',
      'Window Seat',
    ]);
    await page.keyboard.press('Escape');
    await dialog.close();
    await editor.deploy();
    const flows = (await stage.nodeRed.get('flows')) as { id: string; values?: object[] }[];
    assert.deepEqual(flows.find(({ id }) => id === 'pickers-query')?.values, [
      { name: 'tag', value: '2', type: 'tag' },
      { name: 'scenes', value: '["1","5"]', type: 'scene' },
    ]);
    dialog = await open('query');
    await eventually(
      () => row('scenes').locator('.stash-chip-text').allTextContents(),
      (chips) => {
        assert.deepEqual(chips, ['Low Tide', 'Window Seat']);
      },
    );
    await dialog.cancel();
  });

  it('stash-update: items are chosen by name, and those of another kind than the chosen one are kept apart', async () => {
    const { editor } = stage;
    const { page } = editor;
    const gone = `99 ${words('server', 'picker.gone')}`;
    const use = (kind: 'scene' | 'image' | 'gallery' | 'performer') =>
      dialog.choose('kind', words('update', `kind.${kind}`));
    const items = async () => (await dialog.values())['items'];
    let dialog = await open('update');
    await shows(dialog, 'items', ['Low Tide', gone]);
    await use('image');
    // The scene with a number is not the image with that number.
    await shows(dialog, 'items', []);
    await dialog.tells('items', words('server', 'picker.none'));
    await dialog.toPicker('items');
    await page.keyboard.type('quay');
    await page.locator('.stash-option.stash-active', { hasText: 'The quay' }).waitFor();
    await page.locator('.stash-option-picture img[src^="blob:"]').waitFor();
    for (const key of ['Enter', 'Escape']) await page.keyboard.press(key);
    assert.deepEqual(await dialog.picked('items'), ['The quay']);
    await dialog.isSilent('items');
    const image = await items();
    await use('performer');
    await dialog.pick('items', 'Hana Mori');
    await page.keyboard.press('Escape');
    await use('scene');
    await shows(dialog, 'items', ['Low Tide', gone]);
    assert.equal(await items(), '["1", "99"]');
    await dialog.chooseType('items', 'JSON');
    assert.equal(await items(), '["1", "99"]');
    await use('image');
    assert.equal(await items(), '["1", "99"]', 'what was entered stays');
    await dialog.chooseType('items', words('server', 'picker.items'));
    await shows(dialog, 'items', ['The quay']);
    assert.equal(await items(), image);
    await dialog.close();

    dialog = await open('update');
    const { kind, itemsType } = await dialog.values();
    assert.deepEqual([kind, itemsType], [words('update', 'kind.image'), 'chosen']);
    await shows(dialog, 'items', ['The quay']);
    await dialog.cancel();
  });

  it('an open list is accessible, inside the window at any size, and closes with its dialog', async () => {
    const { editor } = stage;
    const { page } = editor;
    const window = page.viewportSize() ?? assert.fail();
    for (const [name, property] of [
      ['generate', 'sceneIDs'],
      ['performer-scrape', 'performer'],
      ['performer-scrape', 'source'],
      ['task', 'plugin'],
      ['update', 'items'],
    ] as const) {
      const dialog = await open(name);
      for (const width of [900, 400]) {
        await page
          .locator('.red-ui-tray')
          .last()
          .evaluate((tray, pixels) => {
            tray.style.width = `${String(pixels)}px`;
            dispatchEvent(new Event('resize'));
          }, width);
        await dialog.offered(property);
        assert.deepEqual(await violations(page, '.stash-popup, .stash-form'), [], `${name}, ${property}`);
        const box = (await popup().boundingBox()) ?? assert.fail();
        const isInside =
          box.y >= 0 && box.x + box.width <= window.width && box.y + box.height <= window.height;
        assert.ok(isInside && box.x >= 0 && box.width >= 240, `${String(width)} px: ${JSON.stringify(box)}`);
        await page.keyboard.press('Escape');
      }
      await dialog.offered(property);
      // Node-RED's own key for Cancel.
      await page.keyboard.press('Control+Escape');
      await page.locator('#dialog-form').waitFor({ state: 'detached' });
      assert.equal(await popup().count(), 0);
    }
  });

  /** Checks whether a picker is red. */
  async function isRed(property: string, expected: boolean): Promise<void> {
    const widget = stage.editor.page.locator(`#node-input-${property} + .red-ui-typedInput-container`);
    const colour = (element: Locator) => element.evaluate((one) => getComputedStyle(one).borderColor);
    const usual = await colour(stage.editor.page.locator('#node-input-name'));
    assert.equal((await colour(widget)) !== usual, expected, property);
  }

  /** Waits until a picker shows what was chosen. */
  async function shows(dialog: Dialog, property: string, expected: readonly string[]): Promise<void> {
    await eventually(
      () => dialog.picked(property),
      (picked) => {
        assert.deepEqual(picked, expected);
      },
    );
  }
}

/** Returns the accessible name of the control that has the focus. */
async function focused(page: Page): Promise<string | null> {
  return await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
}
