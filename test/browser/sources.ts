import assert from 'node:assert/strict';
import { extendSchema } from '../support/schema';
import { json } from '../fake-stash/answers';
import type { FakeStash } from '../fake-stash/fake-stash';
import { words } from '../support/words';
import type { Dialog } from './dialog';
import { eventually } from './eventually';
import { tab } from './servers';
import { SERVER, type Stage } from './stage';

/** Adds two scrapers to a server, one of which can only search by name. */
export function addScrapers(stash: FakeStash): void {
  const listScrapers = [
    { id: 'web-of-films', name: 'Web of Films', performer: { supported_scrapes: ['NAME', 'URL'] } },
    { id: 'only-names', name: 'Only names', performer: { supported_scrapes: ['NAME'] } },
  ];
  extendSchema(stash, { has: { Query: ['listScrapers'] } });
  stash.answerWith(json({ data: { listScrapers } }), { field: 'listScrapers' });
}

/** Describes the choice of a scraper in the dialogs of the performer nodes. */
export function describeSources(stage: Stage): void {
  const builtin = words('server', 'picker.builtin');

  for (const [name, offered] of Object.entries({
    'performer-search': ['Only names', 'Web of Films'],
    'performer-scrape': ['Web of Films'],
  })) {
    it(`stash-${name}: the dialog offers the server's scrapers and keeps the chosen one`, async () => {
      const { editor } = stage;
      await editor.show(tab.id);
      const node = await editor.drag(`stash-${name}`, 300, 300);
      const dialog = await editor.openDialog(node);
      assert.deepEqual(await dialog.picked('source'), [builtin]);
      await dialog.choose('server', SERVER.name);
      assert.deepEqual(await dialog.offered('source'), [builtin, ...offered]);
      await dialog.pick('source', 'Web of Films');
      assert.deepEqual(await dialog.picked('source'), ['Web of Films']);
      await dialog.close();

      const again = await editor.openDialog(node);
      const { source, sourceType } = await again.values();
      assert.deepEqual([source, sourceType], ['web-of-films', 'str']);
      await shown(again, 'Web of Films');
      await again.pick('source', builtin);
      await again.close();
      const last = await editor.openDialog(node);
      assert.equal((await last.values())['source'], '');
      await last.cancel();
    });
  }

  it('what is typed replaces the chosen scraper, also if its name comes when the list is open', async () => {
    const { editor } = stage;
    const { page } = editor;
    await editor.show(tab.id);
    const node = await editor.drag('stash-performer-scrape', 300, 300);
    let answer: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/stash-server/capabilities', async (route) => {
      await released;
      await route.continue();
    });
    const dialog = await editor.openDialog(node);
    await dialog.choose('server', SERVER.name);
    await dialog.toPicker('source');
    await page.keyboard.press('ArrowDown');
    answer();
    await page.locator('.stash-option', { hasText: 'Web of Films' }).waitFor();
    await page.keyboard.type('web');
    await page.locator('.stash-option.stash-active', { hasText: 'Web of Films' }).waitFor();
    await page.unroute('**/stash-server/capabilities');
    await dialog.cancel();
    await editor.remove(node);
  });

  it('a scraper can be typed while the server is unreachable, and the dialog keeps it', async () => {
    const { editor } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-performer-search', 300, 400);
    const dialog = await editor.openDialog(node);
    const server = await editor.openServerOf('add');
    await server.type('name', 'a new one');
    // Nobody listens there.
    await server.type('url', 'http://127.0.0.1:1');
    await server.close();
    const reason = words('server', 'errors.UNREACHABLE.refusedHere.text', { url: 'http://127.0.0.1:1' });
    await dialog.text(`${reason} ${words('server', 'capabilities.unknown')}`).waitFor();
    assert.deepEqual(await dialog.offered('source'), [builtin]);
    const hint = words('server', 'picker.anyScraper');
    assert.equal(await editor.page.locator('.stash-popup-note').innerText(), `${reason} ${hint}`);
    // It needs no choice, as in any other input.
    await editor.page.keyboard.type('a-scraper');
    await dialog.close();

    const again = await editor.openDialog(node);
    await shown(again, 'a-scraper');
    await again.choose('server', SERVER.name);
    await shown(again, `a-scraper ${words('server', 'picker.gone')}`);
    await again.close();
    const kept = await editor.openDialog(node);
    assert.equal((await kept.values())['source'], 'a-scraper');
    await kept.cancel();
  });

  it('a scraper can come from the message', async () => {
    const { editor } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-performer-scrape', 300, 460);
    const dialog = await editor.openDialog(node);
    await dialog.choose('server', SERVER.name);
    await dialog.chooseType('source', 'msg.');
    await dialog.tells('source', words('server', 'invalid.property', { type: 'msg' }));
    await dialog.typeValue('source', 'topic');
    await dialog.isSilent('source');
    await dialog.close();
    const kept = await editor.openDialog(node);
    const { source, sourceType } = await kept.values();
    assert.deepEqual([source, sourceType], ['topic', 'msg']);
    // Each type keeps its own value.
    await kept.chooseType('source', words('server', 'picker.scraper'));
    assert.deepEqual(await kept.picked('source'), [builtin]);
    await kept.chooseType('source', 'msg.');
    assert.equal((await kept.values())['source'], 'topic');
    await kept.cancel();
  });
}

/** Waits until a dialog shows this scraper. */
async function shown(dialog: Dialog, text: string): Promise<void> {
  await eventually(
    () => dialog.picked('source'),
    (picked) => {
      assert.deepEqual(picked, [text]);
    },
  );
}
