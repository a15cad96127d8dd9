import assert from 'node:assert/strict';
import { generateKinds } from '../../src/contract/generate';
import { FakeStash } from '../fake-stash/fake-stash';
import { json } from '../fake-stash/answers';
import { words } from '../support/words';
import type { Dialog } from './dialog';
import { tab } from './servers';
import { SERVER, type Stage } from './stage';

/** The name of the older server in the list of servers. */
const OLDER = 'older';

/** Describes what dialogs show of the selected server's abilities. */
export function describeCapabilities(stage: Stage): void {
  let older: FakeStash;

  before(async () => {
    older = await FakeStash.start({ release: 'v0.11.0' });
    const { editor } = stage;
    await editor.show(tab.id);
    const dialog = await editor.openDialog(await editor.drag('stash-stop', 500, 100));
    const server = await editor.openServerOf('add');
    await server.type('name', OLDER);
    await server.type('url', older.url);
    await server.close();
    await dialog.close();
    await editor.deploy();
  });
  after(() => older.stop());

  it('a dialog greys what the server lacks with the release that has it, and marks what is chosen already', async () => {
    const { editor } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-scan', 500, 160);
    const dialog = await editor.openDialog(node);
    const isGreyed = (name: string) => dialog.input(name).isDisabled();
    await dialog.choose('server', SERVER.name);
    await dialog.text(words('server', 'capabilities.release', { release: 'v0.30.1' })).waitFor();
    await dialog.openSection('generate');
    assert.equal((await dialog.values())['scanGenerateCovers'], true, "as on Stash's own page");
    // Of what this release lacks, there is one option.
    assert.equal(await editor.page.locator('#dialog-form .stash-needs').count(), 1);

    await dialog.choose('server', OLDER);
    await dialog.text(words('server', 'capabilities.release', { release: 'v0.11.0' })).waitFor();
    const needs = (release: string) =>
      `(${words('server', 'capabilities.needs', { what: `Stash ${release}` })})`;
    await dialog.text(needs('v0.26')).waitFor();
    assert.deepEqual(
      [await isGreyed('rescan'), await isGreyed('scanGenerateCovers'), await isGreyed('scanGenerateSprites')],
      [true, false, false],
    );
    await dialog.close();

    // The choice was kept.
    const again = await editor.openDialog(node);
    await again.text(needs('v0.20')).waitFor();
    assert.equal((await again.values())['scanGenerateCovers'], true);
    await again.tick('scanGenerateCovers');
    assert.ok(await isGreyed('scanGenerateCovers'), 'it can be undone, but not done again');
    await again.choose('server', SERVER.name);
    await again.text(words('server', 'capabilities.release', { release: 'v0.30.1' })).waitFor();
    assert.deepEqual([await isGreyed('rescan'), await isGreyed('scanGenerateCovers')], [false, false]);
    await again.cancel();
    await editor.remove(node);
  });

  it('lists grey what the server lacks', async () => {
    const { editor } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-generate', 500, 220);
    const dialog = await editor.openDialog(node);
    await dialog.choose('server', OLDER);
    const option = (value: string) => editor.page.locator(`#stash-scope option[value="${value}"]`);
    for (const [scope, release] of [
      ['markers', 'v0.24'],
      ['folders', 'v0.31'],
    ] as const) {
      await option(scope).and(editor.page.locator(':disabled')).waitFor({ state: 'attached' });
      const needs = words('server', 'capabilities.needs', { what: `Stash ${release}` });
      assert.equal(await option(scope).textContent(), `${words('generate', `scope.${scope}`)} (${needs})`);
    }
    await dialog.cancel();
    await editor.remove(node);
  });

  it('stash-generate: a new node begins with what is selected on the Tasks page of Stash, a saved one keeps its choice', async () => {
    const { editor, stash } = stage;
    await editor.show(tab.id);
    const kinds = async (dialog: Dialog) => {
      const values = await dialog.values();
      return generateKinds.filter((kind) => values[kind] === true);
    };
    const node = await editor.drag('stash-generate', 500, 220);
    const dialog = await editor.openDialog(node);
    assert.equal(await dialog.isFlagged('sprites'), false);
    assert.deepEqual(await kinds(dialog), ['sprites', 'previews']);
    await dialog.cancel();

    stash.taskDefaults = { generate: { covers: true, previews: true, sprites: false, overwrite: true } };
    const first = await editor.openDialog(node);
    await first.tick('phashes');
    await first.choose('server', SERVER.name);
    await first.text(words('server', 'capabilities.release', { release: 'v0.30.1' })).waitFor();
    assert.deepEqual(await kinds(first), ['sprites', 'previews', 'phashes'], 'what was ticked before stays');
    await first.cancel();

    const again = await editor.openDialog(node);
    await again.choose('server', SERVER.name);
    await editor.page
      .getByRole('button', { name: words('server', 'capabilities.again'), exact: true })
      .click();
    await editor.page.locator('#node-input-covers:checked').waitFor();
    assert.deepEqual(await kinds(again), ['previews', 'covers']);
    assert.equal((await again.values())['overwrite'], false);
    await again.tick('phashes');
    await again.close();

    const saved = await editor.openDialog(node);
    await saved.text(words('server', 'capabilities.release', { release: 'v0.30.1' })).waitFor();
    assert.deepEqual(await kinds(saved), ['previews', 'covers', 'phashes']);
    await saved.cancel();
    stash.taskDefaults = undefined;
    await editor.remove(node);
  });

  it('stash-stop: a new node stops all jobs, whatever triggers it', async () => {
    const { editor } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-stop', 500, 280);
    const dialog = await editor.openDialog(node);
    assert.equal((await dialog.values())['jobType'], 'all');
    await dialog.cancel();
    await editor.remove(node);
  });

  it('"all" ticks what the server has', async () => {
    const { editor } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-status', 500, 280);
    const dialog = await editor.openDialog(node);
    await dialog.choose('server', OLDER);
    await editor.page.locator('[data-choice="latestVersion"]:disabled').waitFor();
    await dialog.text(words('server', 'choices.all')).click();
    assert.deepEqual((await dialog.values())['fields'], [
      ...['status', 'version', 'jobs', 'stats', 'databaseSchema', 'databasePath', 'configPath', 'appSchema'],
    ]);
    await dialog.cancel();
    await editor.remove(node);
  });

  it('an error that quotes the server is shown without the quote', async () => {
    const { editor } = stage;
    older.answerWith(json({ errors: [{ message: 'for Node-RED alone' }], data: null }), { field: 'version' });
    await editor.show(tab.id);
    const node = await editor.drag('stash-scan', 500, 340);
    const dialog = await editor.openDialog(node);
    await dialog.choose('server', OLDER);
    const again = { name: words('server', 'capabilities.again'), exact: true };
    await editor.page.getByRole('button', again).click();
    const reason = words('server', 'doctor.text.serverError');
    await dialog.text(`${reason} ${words('server', 'capabilities.unknown')}`).waitFor();
    older.answerNormally();
    await editor.page.getByRole('button', again).click();
    await dialog.text(words('server', 'capabilities.release', { release: 'v0.11.0' })).waitFor();
    await dialog.cancel();
    await editor.remove(node);
  });

  it('a server that cannot be asked greys nothing, and the dialog says why', async () => {
    const { editor } = stage;
    await older.stop();
    await editor.show(tab.id);
    const node = await editor.drag('stash-scan', 500, 340);
    const dialog = await editor.openDialog(node);
    await dialog.choose('server', OLDER);
    await dialog.text(words('server', 'capabilities.release', { release: 'v0.11.0' })).waitFor();
    await editor.page
      .getByRole('button', { name: words('server', 'capabilities.again'), exact: true })
      .click();
    const { url } = older;
    const host = url.replace('http://', '');
    const reason = words('server', 'errors.UNREACHABLE.refusedHere.text', {
      url,
      host,
      code: 'ECONNREFUSED',
    });
    await dialog.text(`${reason} ${words('server', 'capabilities.unknown')}`).waitFor();
    assert.equal(await dialog.input('rescan').isDisabled(), false);
    assert.equal(await editor.page.locator('#dialog-form .stash-needs').count(), 0);
    await dialog.cancel();
    await editor.remove(node);
  });
}
