import assert from 'node:assert/strict';
import type { Locator, Route } from 'playwright-core';
import { words } from '../support/words';
import { chooseFromMenu, type Dialog } from './dialog';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';

const TAB = 'picker-edits';

/** The jQuery of the editor. */
declare const $: (html: string) => {
  appendTo(selector: string): void;
  val(value: string): { trigger(event: string): void };
};

const scrape = { performer: 'Robin Vale', performerType: 'str' };

const nodes = {
  typed: { type: 'performer-scrape', ...scrape, source: 'ifad' },
  labelled: { type: 'performer-scrape', ...scrape, source: 'web-of-films' },
  chosen: { type: 'performer-scrape', performer: 'Robin Vale', performerType: 'performer' },
  folders: { type: 'scan', paths: '["/media/videos", "/media/pictures"]', pathsType: 'folders' },
  message: { type: 'scan', paths: 'payload', pathsType: 'msg' },
  task: { type: 'task', task: 'runPluginTask', plugin: 'tidy', pluginTask: 'Tidy up' },
  auto: { type: 'task', task: 'metadataAutoTag', plugin: '', pluginTask: '' },
  scenes: { type: 'generate', sprites: true, sceneIDs: '["1", "99"]', sceneIDsType: 'scenes' },
  texts: { type: 'generate', sprites: true, sceneIDs: '["1", "First Snow"]', sceneIDsType: 'scenes' },
  names: {
    ...{ type: 'update', kind: 'scene', items: '["1"]', itemsType: 'chosen', create: true },
    changes: [
      { field: 'tags', action: 'add', value: '["2"]', valueType: 'tag' },
      { field: 'studio', action: 'set', value: '1', valueType: 'studio' },
    ],
  },
  variables: {
    ...{ type: 'query', document: 'query ($id: ID) { findTag(id: $id) { name } }', documentType: 'graphql' },
    values: [{ name: 'id', value: 'topic', type: 'msg' }],
  },
};

/** The part of the editor's API that validates nodes. */
declare const RED: {
  nodes: { eachNode(callback: (node: { id: string; valid: boolean }) => void): void };
  editor: { validateNode(node: object): void };
};

/** A tab with nodes whose choices people change. */
export const pickerEditFlows: object[] = [
  { id: TAB, type: 'tab', label: TAB, disabled: false, info: '' },
  ...Object.entries(nodes).map(([name, { type, ...properties }], index) => ({
    ...{ id: `edits-${name}`, type: `stash-${type}`, z: TAB, d: true, server: SERVER.id, name: '' },
    ...{ x: 200, y: 60 + 60 * index, wires: [[], []] },
    ...properties,
  })),
];

/** Describes what happens in a picker between two choices: texts, keys, late answers, another server. */
export function describePickerEdits(stage: Stage): void {
  const open = async (name: keyof typeof nodes): Promise<Dialog> => {
    await stage.editor.show(TAB);
    return await stage.editor.openDialog(stage.editor.node(`edits-${name}`));
  };
  const input = (property: string): Locator =>
    stage.editor.page.locator(`#node-input-${property} + .red-ui-typedInput-container [role="combobox"]`);
  const builtin = words('server', 'picker.builtin');
  const gone = (id: string) => `${id} ${words('server', 'picker.gone')}`;

  it('a scraper that the server does not have is edited by its ID, and Ctrl+Enter keeps the text', async () => {
    const { page } = stage.editor;
    const dialog = await open('typed');
    await shows(dialog, 'source', [gone('ifad')]);
    await dialog.toPicker('source');
    for (const key of ['End', 'Backspace', 'Backspace', 'Backspace']) await page.keyboard.press(key);
    await page.keyboard.type('afd');
    await page.keyboard.press('Control+Enter');
    await page.locator('#dialog-form').waitFor({ state: 'detached' });
    const again = await open('typed');
    assert.equal((await again.values())['source'], 'iafd');
    await again.cancel();
  });

  it('a scraper is not the text of an entry that was changed by some letters', async () => {
    const { page } = stage.editor;
    const dialog = await open('labelled');
    await shows(dialog, 'source', ['Web of Films']);
    await dialog.toPicker('source');
    for (const key of ['End', 'Backspace']) await page.keyboard.press(key);
    assert.deepEqual(await dialog.entries(), ['Web of Films']);
    await page.keyboard.press('Tab');
    assert.deepEqual(await dialog.picked('source'), ['Web of Films']);
    assert.equal((await dialog.values())['source'], 'web-of-films');
    await dialog.cancel();
  });

  it('a scraper is the one that a text names, in any case, or a marked ID', async () => {
    const { page } = stage.editor;
    const dialog = await open('labelled');
    await shows(dialog, 'source', ['Web of Films']);
    for (const [text, source, shown] of [
      ['iaf', 'iaf', gone('iaf')],
      ['WEB OF FILMS', 'web-of-films', 'Web of Films'],
      ['Web-of-Film', 'Web-of-Film', gone('Web-of-Film')],
      ['Web-of-Films', 'web-of-films', 'Web of Films'],
      ['', '', builtin],
    ] as const) {
      await dialog.toPicker('source');
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.press('Backspace');
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
      assert.deepEqual(await dialog.picked('source'), [shown]);
      assert.equal((await dialog.values())['source'], source);
    }
    await dialog.cancel();
  });

  it('while the server is down, an opened list asks it once, and offers at once what needs no server', async () => {
    const { page } = stage.editor;
    const waiting: Route[] = [];
    let isHeld = false;
    let asked = 0;
    const json = { case: 'UNREACHABLE.refused', details: { url: 'http://nas.example:9999' } };
    await page.route('**/stash-server/capabilities', async (route) => {
      asked += 1;
      if (isHeld) waiting.push(route);
      else await route.fulfill({ json });
    });
    const dialog = await open('labelled');
    const reason = words('server', `errors.${json.case}.text`, json.details);
    await dialog.text(`${reason} ${words('server', 'capabilities.unknown')}`).waitFor();
    asked = 0;
    isHeld = true;
    await dialog.toPicker('source');
    await page.keyboard.press('ArrowDown');
    const options = page.locator('.stash-option-texts > :first-child');
    await options.getByText(builtin).waitFor();
    await page.keyboard.type('iafd');
    const own = words('server', 'picker.typed', { text: 'iafd' });
    await options.getByText(own).waitFor();
    assert.equal(asked, 1);
    // The answer changes nothing for somebody who has moved.
    await page.keyboard.press('ArrowDown');
    await waiting[0]?.fulfill({ json });
    await page.locator('.stash-popup-note', { hasText: reason }).waitFor();
    assert.equal(await page.locator('.stash-option.stash-active').innerText(), own);
    await page.keyboard.press('Tab');
    assert.deepEqual(await dialog.picked('source'), ['iafd']);
    assert.equal(asked, 1);
    await dialog.cancel();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('Home, End and keys with Shift work in the text, until an arrow key moves in the list', async () => {
    const { page } = stage.editor;
    const dialog = await open('chosen');
    await dialog.toPicker('performer');
    await page.keyboard.type('Tide');
    await dialog.entries();
    const selected = () =>
      input('performer').evaluate((element: HTMLInputElement) => [
        element.selectionStart,
        element.selectionEnd,
      ]);
    for (const [key, expected] of [
      ['Home', [0, 0]],
      ['End', [4, 4]],
      ['Shift+Home', [0, 4]],
      ['ArrowRight', [4, 4]],
      ['Shift+ArrowUp', [0, 4]],
    ] as const) {
      await page.keyboard.press(key);
      assert.deepEqual(await selected(), expected, key);
    }
    await dialog.cancel();
  });

  it('a list that waits for its entries ignores the arrow keys', async () => {
    const { page } = stage.editor;
    const dialog = await open('chosen');
    await dialog.offered('performer');
    const waiting: Route[] = [];
    await page.route('**/stash-server/items', (route) => void waiting.push(route));
    await page.keyboard.type('performer 1');
    await eventually(
      () => Promise.resolve(waiting.length),
      (count) => {
        assert.ok(count > 0);
      },
    );
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.locator('.stash-option.stash-active').count(), 0);
    assert.equal(await input('performer').getAttribute('aria-activedescendant'), null);
    await page.keyboard.press('Enter');
    assert.equal((await dialog.values())['performer'], 'Robin Vale');
    await page.keyboard.press('Escape');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await dialog.cancel();
  });

  it('a Backspace key that is held down deletes the text, and no choice', async () => {
    const { page } = stage.editor;
    const dialog = await open('folders');
    await shows(dialog, 'paths', ['/media/videos', '/media/pictures']);
    await dialog.toPicker('paths');
    await page.keyboard.type('vi ');
    for (let times = 0; times < 6; times += 1) await page.keyboard.down('Backspace');
    await page.keyboard.up('Backspace');
    assert.deepEqual(await dialog.picked('paths'), ['/media/videos', '/media/pictures']);
    // White space is a text, too.
    await page.keyboard.type(' ');
    await page.keyboard.press('Backspace');
    assert.deepEqual(await dialog.picked('paths'), ['/media/videos', '/media/pictures']);
    await page.keyboard.press('Backspace');
    assert.deepEqual(await dialog.picked('paths'), ['/media/videos']);
    await dialog.cancel();
  });

  it('names do not stay when another server is selected', async () => {
    const { page } = stage.editor;
    const dialog = await open('scenes');
    await shows(dialog, 'sceneIDs', ['Low Tide', gone('99')]);
    await page.evaluate(() => {
      $('<option value="other">other</option>').appendTo('#node-input-server');
      $('#node-input-server').val('other').trigger('change');
    });
    await shows(dialog, 'sceneIDs', ['1', '99']);
    await dialog.cancel();
  });

  it('a choice of scenes has nothing but IDs', async () => {
    const { editor } = stage;
    await editor.show(TAB);
    const [, ...reasons] = await editor.node('edits-texts').reasons();
    assert.deepEqual(reasons, [words('server', 'picker.none')]);
    const dialog = await open('scenes');
    await dialog.toPicker('sceneIDs');
    for (const key of ['Backspace', 'Backspace']) await editor.page.keyboard.press(key);
    // Nothing to choose from is the name of a property.
    for (const scope of ['all', 'scenes']) {
      await editor.page.locator('#stash-scope').selectOption(scope);
    }
    assert.deepEqual(await dialog.picked('sceneIDs'), []);
    assert.equal((await dialog.values())['sceneIDs'], '');
    await dialog.cancel();
  });

  it('stash-update: a new name is the last entry of the list, and stands beside what Stash has', async () => {
    const { page } = stage.editor;
    let dialog = await open('names');
    const row = (number: number) =>
      page.locator(`#node-input-changes-container > :nth-child(${String(number)})`);
    const combobox = (number: number) => row(number).getByRole('combobox', { name: /^(Tags|Studio)$/ });
    const value = (number: number) => row(number).locator('.stash-change-value > input').first().inputValue();
    const chips = () => row(1).locator('.stash-chip-text').allTextContents();
    const isNew = (name: string) => words('update', 'value.new', { name });
    await row(1).locator('.stash-chip-text', { hasText: 'Tag 2' }).waitFor();

    // Those that fit come first, and none of them is replaced.
    await combobox(1).click();
    await page.keyboard.type('tag 3');
    await page.locator('.stash-option.stash-active', { hasText: /^Tag 3$/ }).waitFor();
    assert.equal((await dialog.entries()).includes(isNew('tag 3')), false);
    await combobox(1).fill('tag 1');
    await page.locator('.stash-option', { hasText: 'Tag 10' }).waitFor();
    await combobox(1).fill('tag');
    await page.locator('.stash-option', { hasText: isNew('tag') }).waitFor();
    assert.equal((await dialog.entries()).at(-1), isNew('tag'));
    // A beginning of other names is no choice yet.
    await page.keyboard.press('Tab');
    assert.deepEqual(await chips(), ['Tag 2']);
    await combobox(1).click();
    await page.keyboard.type('Night');
    await page.locator('.stash-option.stash-active', { hasText: isNew('Night') }).waitFor();
    await page.keyboard.press('Enter');
    assert.deepEqual(await chips(), ['Tag 2', 'Night']);
    // What was removed by the same key is not chosen again when the focus leaves.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.deepEqual(await chips(), ['Tag 2']);
    for (const name of ['Night', 'Tag 3']) {
      await combobox(1).click();
      await page.keyboard.type(name);
      await page.locator('.stash-option.stash-active', { hasText: name }).waitFor();
      await page.keyboard.press('Tab');
    }
    assert.deepEqual(await chips(), ['Tag 2', 'Night', 'Tag 3']);
    assert.equal(await value(1), '["2",{"name":"Night"},"3"]');
    assert.equal(await row(1).locator('.stash-gone:not(:empty)').count(), 0);

    await combobox(2).click();
    await page.keyboard.type('Tin Boat');
    await page.locator('.stash-option.stash-active', { hasText: isNew('Tin Boat') }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await value(2), '{"name":"Tin Boat"}');
    await dialog.close();

    dialog = await open('names');
    await row(1).locator('.stash-chip-text', { hasText: 'Tag 2' }).waitFor();
    assert.deepEqual(await chips(), ['Tag 2', 'Night', 'Tag 3']);
    assert.equal(await combobox(2).inputValue(), 'Tin Boat');
    // In the other types, a text is a name and a number an ID.
    await dialog.chooseTypeInRow(2, 'string');
    assert.equal(await value(2), 'Tin Boat');
    await dialog.chooseTypeInRow(1, 'JSON');
    assert.equal(await value(1), '[2,"Night",3]');
    await dialog.cancel();
  });

  it('stash-update: to choose a new name ticks New names, unless something would be removed', async () => {
    const { page } = stage.editor;
    const dialog = await open('names');
    const row = page.locator('#node-input-changes-container > :nth-child(1)');
    const combobox = row.getByRole('combobox', { name: 'Tags' });
    const chips = () => row.locator('.stash-chip-text').allTextContents();
    const fog = page.locator('.stash-option', { hasText: words('update', 'value.new', { name: 'Fog' }) });
    await row.locator('.stash-chip-text', { hasText: 'Tag 2' }).waitFor();
    await dialog.tick('create');
    await dialog.chooseInRow(1, 'action', words('update', 'action.remove'));
    await combobox.click();
    await page.keyboard.type('Fog');
    const nothing = words('server', 'picker.nothing');
    await page.locator('.stash-popup-note').getByText(nothing, { exact: true }).waitFor();
    assert.deepEqual(await dialog.entries(), []);
    await page.keyboard.press('Escape');
    await dialog.chooseInRow(1, 'action', words('update', 'action.add'));
    await combobox.click();
    await page.keyboard.type('Fog');
    await fog.click();
    assert.equal((await chips()).at(-1), 'Fog');
    assert.equal((await dialog.values())['create'], true);
    await dialog.cancel();
  });

  it('stash-update: a new name that was typed but not chosen stays, marked, and counts once New names is ticked', async () => {
    const { page } = stage.editor;
    const dialog = await open('names');
    const row = (number: number) =>
      page.locator(`#node-input-changes-container > :nth-child(${String(number)})`);
    const isNew = (name: string) => words('update', 'value.new', { name });
    const enter = async (number: number, field: string, name: string) => {
      await row(number).getByRole('combobox', { name: field }).click();
      await page.keyboard.type(name);
      await page.locator('.stash-option.stash-active', { hasText: isNew(name) }).waitFor();
      await page.keyboard.press('Tab');
      assert.equal(await row(number).getByRole('combobox', { name: field }).inputValue(), name);
      await row(number).locator('.stash-missing').waitFor();
    };
    const values = () =>
      page
        .locator('.stash-change-value > input:first-child')
        .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
    await row(1).locator('.stash-chip-text', { hasText: 'Tag 2' }).waitFor();
    await dialog.tick('create');
    await enter(1, 'Tags', 'Fog');
    await enter(2, 'Studio', 'Tin Boat');
    const [tags = '', studio] = await values();
    assert.equal(tags.includes('Fog'), false);
    assert.equal(studio, '');
    await dialog.tellsInRow(2, 'value', words('update', 'invalid.studio'));
    await dialog.tick('create');
    assert.deepEqual(await values(), [`${tags.slice(0, -1)},{"name":"Fog"}]`, '{"name":"Tin Boat"}']);
    assert.equal(await page.locator('.stash-missing').count(), 0);
    await dialog.cancel();
  });

  it('a variable keeps its property while it is not given, and then something is to be chosen', async () => {
    const { page } = stage.editor;
    const dialog = await open('variables');
    const row = page.locator('.stash-variable-row', { has: page.getByText('$id', { exact: true }) });
    const types = row.locator('.red-ui-typedInput-type-select');
    // The types depend on the document, which is checked first.
    await row.getByText('ID', { exact: true }).waitFor();
    for (const label of [words('query', 'variables.unset'), words('server', 'picker.tag'), 'msg.']) {
      await chooseFromMenu(types, label);
    }
    assert.equal(await row.locator('.red-ui-typedInput-input').inputValue(), 'topic');
    await dialog.cancel();
  });

  it('other nodes are not validated by the inputs of an open dialog', async () => {
    const { page } = stage.editor;
    for (const name of ['folders', 'task'] as const) {
      const dialog = await open(name);
      // As the editor does for nodes that get a server meanwhile.
      const invalid = await page.evaluate(() => {
        const ids: string[] = [];
        RED.nodes.eachNode((node) => {
          if (!node.id.startsWith('edits-')) return;
          RED.editor.validateNode(node);
          if (!node.valid) ids.push(node.id);
        });
        return ids;
      });
      assert.deepEqual(invalid, ['edits-texts'], name);
      await dialog.cancel();
    }
  });
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
