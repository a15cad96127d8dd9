import assert from 'node:assert/strict';
import { Flow, useFakeStash } from '../support/flow';
import { helper, leave } from '../support/runtime';
import { extendSchema } from '../support/schema';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, send, text } from '../fake-stash/answers';
import { taskNames } from '../../src/operations/task-kinds';

/** Returns a scraper as a server lists it, with its supported kinds of look-up. */
function scraper(id: string, name: string, ...supported_scrapes: string[]) {
  return { id, name, performer: { supported_scrapes } };
}

const SCRAPERS = [
  scraper('builtin_freeones', 'FreeOnes', 'NAME', 'URL'),
  scraper('web-of-films', 'Web of Films', 'NAME', 'FRAGMENT'),
  scraper('addresses', 'Addresses only', 'URL'),
  scraper('names', 'Names only', 'NAME'),
  scraper('archive', 'Archive', 'URL', 'NAME'),
  { id: 'scenes', name: 'Scenes only', performer: null },
];

describe("the list of sources in the performer nodes' dialogs", () => {
  const stash = useFakeStash();

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(() => Flow.start({ type: 'stash-performer-search', server: { url: stash().url } }));

  /** Returns the response to the request of the dialog. */
  async function ask(id = 'server1'): Promise<unknown> {
    const response = await helper.request().get('/stash-server/scrapers').query({ id }).expect(200);
    return response.body;
  }

  for (const operation of ['listScrapers', 'listPerformerScrapers']) {
    it(`contains the scrapers that search by name, sorted (${operation})`, async () => {
      extendSchema(stash(), { has: { Query: [operation] } });
      stash().answerWith(json({ data: { [operation]: SCRAPERS } }), { field: operation });

      assert.deepEqual(await ask(), [
        { id: 'archive', name: 'Archive', scrapes: true },
        { id: 'names', name: 'Names only', scrapes: false },
        { id: 'web-of-films', name: 'Web of Films', scrapes: true },
      ]);
    });
  }

  it('is empty for a server without scrapers', async () => {
    assert.deepEqual(await ask(), []);
  });

  it('gives the reason if the server cannot be reached', async () => {
    await stash().stop();

    const { case: which, details } = (await ask()) as { case: string; details: { url: string } };
    assert.deepEqual([which, details.url], ['UNREACHABLE.refusedHere', stash().url]);
  });

  it('is available only for deployed servers', async () => {
    for (const id of ['not-deployed', 'tested', '']) {
      assert.deepEqual(await ask(id), { case: 'NO_SERVER.none', details: {} });
    }
    const { body } = await helper.request().get('/stash-server/scrapers?id[]=server1').expect(200);
    assert.deepEqual(body, { case: 'NO_SERVER.none', details: {} });
    assert.deepEqual(stash().requests, []);
  });

  it('may be an error case, but never the response of the server', async () => {
    const secret = 'what only Node-RED can reach';
    for (const [answer, expected] of [
      [text(200, secret), 'NOT_STASH.page'],
      [json({ errors: [{ message: secret }], data: null }), 'GRAPHQL.failed'],
      [json({ data: { listScrapers: secret } }), 'NOT_STASH.notGraphQL'],
    ] as const) {
      stash().answerNormally();
      extendSchema(stash(), { has: { Query: ['listScrapers'] } });
      stash().answerWith(answer, { field: 'listScrapers' });
      const result = await ask();
      assert.equal((result as { case: string }).case, expected);
      assert.ok(!JSON.stringify(result).includes(secret));
    }
  });

  describe('is requested', () => {
    const listed = () => stash().requests.filter(({ operation }) => operation === 'listScrapers');
    beforeEach(() => {
      extendSchema(stash(), { has: { Query: ['listScrapers'] } });
    });

    it('once for many browsers at the same time', async () => {
      let answer: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const before = listed().length;
      stash().answerWith(
        async (request, response) => {
          await released;
          send(request, response, json({ data: { listScrapers: SCRAPERS } }));
        },
        { field: 'listScrapers' },
      );
      const asking = Array.from({ length: 60 }, () => ask());
      while (listed().length === before) await sleep(1);
      answer();
      for (const result of await Promise.all(asking)) assert.equal((result as object[]).length, 3);
      assert.ok(listed().length - before <= 2, `${listed().length - before} requests`);
    });

    it('again for each dialog', async () => {
      stash().answerWith(json({ data: { listScrapers: SCRAPERS } }), { field: 'listScrapers' });
      const before = listed().length;
      await ask();
      await ask();
      assert.equal(listed().length, before + 2);
    });

    it('only as long as a browser waits for it', async () => {
      const closed = new Promise((resolve) => {
        stash().answerWith((_request, response) => void response.once('close', resolve), {
          field: 'listScrapers',
          times: 1,
        });
      });
      const before = listed().length;
      const asking = Array.from({ length: 3 }, () =>
        helper.request().get('/stash-server/scrapers').query({ id: 'server1' }),
      );
      const ended = Promise.allSettled(asking);
      while (listed().length === before) await sleep(1);
      asking.forEach(leave);
      await Promise.race([ended, sleep(100)]);
      await closed;
      stash().answerWith(json({ data: { listScrapers: SCRAPERS } }), { field: 'listScrapers' });
      assert.equal(((await ask()) as object[]).length, 3);
    });
  });
});

describe("the list of library folders in the server's dialog", () => {
  const stash = useFakeStash({ release: 'v0.30.1' });

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(() => Flow.start({ type: 'stash-scan', server: { url: stash().url } }));

  async function ask(id = 'server1'): Promise<unknown> {
    const response = await helper.request().get('/stash-server/folders').query({ id }).expect(200);
    return response.body;
  }

  it('contains the folders of a deployed server', async () => {
    assert.deepEqual(await ask(), ['/media/videos', '/media/pictures']);
  });

  it('is available only for deployed servers', async () => {
    assert.deepEqual(await ask('not-deployed'), { case: 'NO_SERVER.none', details: {} });
    assert.deepEqual(stash().requests, []);
  });

  it('gives the reason if the server has no list', async () => {
    stash().answerWith(json({ errors: [{ message: 'a secret' }], data: null }), { field: 'configuration' });
    assert.deepEqual(await ask(), { case: 'GRAPHQL.failed', details: {} });
  });
});

describe("the lists in the task node's dialog", () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());

  async function ask(list: 'plugins' | 'tasks'): Promise<unknown> {
    const response = await helper.request().get(`/stash-server/${list}`).query({ id: 'server1' }).expect(200);
    return response.body;
  }

  describe('of a server of today', () => {
    const stash = useFakeStash({ release: 'v0.30.1' });
    beforeEach(() => Flow.start({ type: 'stash-task', server: { url: stash().url } }));

    it('contain the plugins that have tasks and are turned on, sorted', async () => {
      stash().plugins = [
        { id: 'tidy', name: 'Tidy', tasks: [{ name: 'Tidy up', description: 'Renames files' }] },
        { id: 'hooks', name: 'Only hooks', tasks: [] },
        { id: 'off', name: 'Off', enabled: false, tasks: [{ name: 'Never' }] },
        { id: 'echo', name: 'Echo', tasks: [{ name: 'Say hello' }] },
      ];

      assert.deepEqual(await ask('plugins'), [
        { id: 'echo', name: 'Echo', tasks: [{ name: 'Say hello', description: '' }] },
        { id: 'tidy', name: 'Tidy', tasks: [{ name: 'Tidy up', description: 'Renames files' }] },
      ]);
    });

    it('contain all tasks, none of which needs another release', async () => {
      const tasks = (await ask('tasks')) as { name: string; needs: string | null }[];
      assert.deepEqual(
        tasks.map(({ name, needs }) => [name, needs]),
        taskNames.map((name) => [name, null]),
      );
    });
  });

  describe('of an older server', () => {
    const stash = useFakeStash({ release: 'v0.17.2' });
    beforeEach(() => Flow.start({ type: 'stash-task', server: { url: stash().url } }));

    it('tell which release a task needs', async () => {
      const tasks = (await ask('tasks')) as { name: string; needs: string | null }[];
      assert.deepEqual(
        tasks.filter(({ needs }) => needs !== null),
        [
          { name: 'metadataCleanGenerated', needs: 'v0.25.0' },
          { name: 'optimiseDatabase', needs: 'v0.22.0' },
          { name: 'updatePackages', needs: 'v0.24.0' },
        ],
      );
    });
  });
});
