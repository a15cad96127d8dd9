import assert from 'node:assert/strict';
import { pluginTasks } from '../../../src/operations/dialogs/capabilities';
import { performerScrapers } from '../../../src/operations/performers/scrapers';
import { json } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';

import { failure, Message, type TestServer, useServer } from '../../support/connect';

describe('A dialog offers', () => {
  let stash: FakeStash;
  let server: TestServer;
  const connect = useServer(
    (...both) => {
      [stash, server] = both;
    },
    { release: 'v0.30.1', apiKey: 'api-key-secret' },
    { auth: 'apiKey', apiKey: 'api-key-secret' },
  );

  /** Lists what a dialog offers if the server responds with `value`. */
  async function listed<T>(field: string, value: unknown, list: (call: Message) => Promise<T>): Promise<T> {
    stash.answerNormally();
    stash.answerWith(json({ data: { [field]: value } }), { field });
    return await list(new Message());
  }

  describe('the tasks of plugins', () => {
    const offered = (plugins: unknown) => listed('plugins', plugins, (call) => pluginTasks(server, call));
    const run = { name: 'Run', description: 'Runs' };
    const plugin = { id: 'tidy', name: 'Tidy', enabled: true, tasks: [run] };

    it('sorted by plugin', async () => {
      assert.deepEqual(await pluginTasks(server, new Message()), [
        { id: 'echo', name: 'Echo', tasks: [{ name: 'Say hello', label: 'Say hello', description: '' }] },
        {
          id: 'tidy',
          name: 'Tidy',
          tasks: [
            { name: 'Tidy up', label: 'Tidy up', description: 'Renames files after their titles' },
            { name: 'Break', label: 'Break', description: 'Fails' },
          ],
        },
      ]);
    });

    it('without plugins that are turned off', async () => {
      stash.plugins = stash.plugins.map((one) => ({ ...one, enabled: one.id !== 'tidy' }));
      const left = await pluginTasks(server, new Message());
      assert.deepEqual(
        left.map(({ id }) => id),
        ['echo'],
      );
    });

    for (const [what, plugins] of [
      ['before the setup', null],
      ['of a plugin without tasks', [{ ...plugin, tasks: null }]],
      ['of a plugin with an empty list of tasks', [{ ...plugin, tasks: [] }]],
      ['of a plugin without an ID', [{ ...plugin, id: null }]],
      ['of a plugin with an empty ID', [{ ...plugin, id: '' }]],
      ['of a plugin whose ID is too long to be kept', [{ ...plugin, id: 'x'.repeat(4097) }]],
      ['of a plugin without a name', [{ ...plugin, name: null }]],
      ['without a name', [{ ...plugin, tasks: [{ name: null }, { name: '' }, { name: 'x'.repeat(4097) }] }]],
    ] as const) {
      it(`but none ${what}`, async () => {
        assert.deepEqual(await offered(plugins), []);
      });
    }

    it('beside others that it cannot offer', async () => {
      const tasks = [{ name: null }, { name: '' }, null, run];
      const [found, ...others] = await offered([
        { ...plugin, id: '' },
        { ...plugin, tasks },
      ]);
      assert.deepEqual(others, []);
      assert.deepEqual(found?.tasks, [{ ...run, label: 'Run' }]);
    });

    it('with short texts and without secrets, but with the whole name that the server takes', async () => {
      const name = `${'x'.repeat(200)} api-key-secret`;
      const description = 'y'.repeat(300);
      const [found] = await offered([
        { ...plugin, name: 'Tidy api-key-secret', tasks: [{ name, description }] },
      ]);
      assert.ok(found);
      assert.ok(!found.name.includes('secret'));
      assert.deepEqual(found.tasks, [{ name, label: 'x'.repeat(100), description: 'y'.repeat(200) }]);
    });

    it('up to a thousand plugins with a hundred tasks each', async () => {
      const tasks = Array.from({ length: 101 }, (_, index) => ({ name: `Task ${index}` }));
      const all = Array.from({ length: 1001 }, (_, index) => ({
        ...plugin,
        id: `plugin${index}`,
        tasks: [run],
      }));
      const found = await offered([{ ...plugin, id: 'first', tasks }, ...all]);
      assert.equal(found.length, 1000);
      assert.equal(found.find(({ id }) => id === 'first')?.tasks.length, 100);
    });

    it('of a server that cannot turn plugins off', async () => {
      await connect({ release: 'v0.11.0' });
      const found = await pluginTasks(server, new Message());
      assert.deepEqual(
        found.map(({ id }) => id),
        ['echo', 'tidy'],
      );
    });
  });

  describe('the scrapers of performers', () => {
    const offered = (scrapers: unknown) =>
      listed('listScrapers', scrapers, (call) => performerScrapers(server, call));
    const scraper = (id: unknown, ways: unknown, name: unknown = String(id)) => ({
      id,
      name,
      performer: { supported_scrapes: ways },
    });

    for (const [release, field] of [
      ['v0.30.1', 'listScrapers'],
      ['v0.11.0', 'listPerformerScrapers'],
    ] as const) {
      it(`that ${release} lists`, async () => {
        await connect({ release });
        const found = await performerScrapers(server, new Message());
        assert.deepEqual(
          found.find(({ id }) => id === 'localtest'),
          { id: 'localtest', name: 'localtest', scrapes: true },
        );
        assert.deepEqual(
          found.map(({ name }) => name),
          found.map(({ name }) => name).sort((one, other) => one.localeCompare(other)),
        );
        assert.ok(!found.some(({ id }) => id === 'builtin_freeones'));
        assert.equal(stash.requests.at(-1)?.operation, field);
      });
    }

    it('but none of a server without a list of them', async () => {
      await connect({ release: 'documented' });
      assert.deepEqual(await performerScrapers(server, new Message()), []);
    });

    it('that can look up a name, and tells which ones read a performer', async () => {
      const all = [
        scraper('e', ['NAME']),
        scraper('d', ['NAME', 'URL']),
        scraper('c', ['NAME', 'FRAGMENT']),
        scraper('b', ['URL', 'FRAGMENT']),
        scraper('a', null),
        { id: 'none', name: 'none', performer: null },
      ];
      assert.deepEqual(await offered(all), [
        { id: 'c', name: 'c', scrapes: true },
        { id: 'd', name: 'd', scrapes: true },
        { id: 'e', name: 'e', scrapes: false },
      ]);
    });

    it('without the built-in one, and those that it cannot keep', async () => {
      const all = [null, '', 'x'.repeat(4097), 'builtin_freeones', 'kept'].map((id) => scraper(id, ['NAME']));
      const found = await offered([...all, scraper('unnamed', ['NAME'], null)]);
      assert.deepEqual(
        found.map(({ id }) => id),
        ['kept'],
      );
    });

    it('up to two thousand', async () => {
      const all = Array.from({ length: 2001 }, (_, index) => scraper(`scraper${index}`, ['NAME']));
      assert.equal((await offered(all)).length, 2000);
    });
  });

  it('nothing, and reports an error, if the list is none', async () => {
    for (const [field, list] of [
      ['plugins', pluginTasks],
      ['listScrapers', performerScrapers],
    ] as const) {
      for (const value of [12, {}, [1]]) {
        const error = await failure(listed(field, value, (call) => list(server, call) as Promise<unknown>));
        assert.equal(error.case, 'GRAPHQL.form');
      }
    }
  });
});
