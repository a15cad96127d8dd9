import assert from 'node:assert/strict';
import { extendSchema } from '../support/schema';
import { json } from '../fake-stash/answers';
import type { FakeStash } from '../fake-stash/fake-stash';
import { words } from '../flow/words';
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

/** Describes the list of sources in the dialogs of the performer nodes. */
export function describeSources(stage: Stage): void {
  for (const [name, offered] of Object.entries({
    'performer-search': ['Only names', 'Web of Films'],
    'performer-scrape': ['Web of Films'],
  })) {
    it(`stash-${name}: the dialog offers the server's scrapers and keeps the chosen one`, async () => {
      const { editor } = stage;
      await editor.show(tab.id);
      const node = await editor.drag(`stash-${name}`, 300, 300);
      const dialog = await editor.openDialog(node);
      assert.deepEqual(await dialog.sources(), [words('server', 'sources.builtin')]);
      await dialog.choose('server', SERVER.name);
      await dialog.chooseSource('Web of Films');
      assert.deepEqual(await dialog.sources(), [words('server', 'sources.builtin'), ...offered]);
      await dialog.close();

      const again = await editor.openDialog(node);
      assert.equal((await again.values())['source'], 'web-of-films');
      await again.source('Web of Films').waitFor({ state: 'attached' });
      await again.cancel();
    });
  }

  it('a source can be typed while the server is unreachable, and the dialog keeps it', async () => {
    const { editor } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-performer-search', 300, 400);
    const dialog = await editor.openDialog(node);
    const server = await editor.openServerOf('add');
    await server.type('name', 'a new one');
    await server.close();
    await dialog.text(words('server', 'capabilities.undeployed')).waitFor();
    await dialog.text(words('server', 'sources.type')).waitFor();
    await dialog.type('source', 'a-scraper');
    await dialog.close();

    const again = await editor.openDialog(node);
    await again.choose('server', SERVER.name);
    await again
      .source(words('server', 'sources.unknown', { id: 'a-scraper' }))
      .waitFor({ state: 'attached' });
    await again.close();
    const kept = await editor.openDialog(node);
    assert.equal((await kept.values())['source'], 'a-scraper');
    await kept.cancel();
  });
}
