import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeStash } from '../fake-stash/fake-stash';
import type { Release } from '../fake-stash/releases';
import { json, send, text } from '../fake-stash/answers';
import { Flow, useFakeStash } from '../support/flow';
import { helper } from '../support/runtime';
import { passTimeLimit } from '../support/time-limit';
import { until } from '../support/waiting';
import { ForwardProxy } from '../support/forward-proxy';
import { plugin } from '../../src/contract/plugin';
import { timing } from '../../src/timing';

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

/** The folders that the fake server has. */
const FOLDERS = ['/media/videos', '/media/pictures'].map((path) => ({ path, label: path }));

/** The scraper that the fake server has. */
const LOCAL = [{ id: 'localtest', name: 'localtest', scrapes: true }];

/** What the route answers, as far as the tests read it. */
interface Answer {
  case?: string;
  details?: { url?: string };
  release: string;
  lacks: Record<string, Record<string, string>>;
  folders: unknown;
  scrapers: unknown;
  plugins: unknown;
  socket: unknown;
  hasPlugin: unknown;
  generate: unknown;
}

/** Returns the response to the request of a dialog. */
async function ask(question: object = { id: 'server1' }): Promise<Answer> {
  const response = await helper.request().post('/stash-server/capabilities').send(question).expect(200);
  return response.body as Answer;
}

const askAgain = () => ask({ id: 'server1', fresh: true });

/** Returns how often the server was asked for its release, which every question does once. */
function asked(stash: FakeStash): number {
  return stash.requests.filter(({ operation }) => operation === 'listScrapers').length;
}

describe('what a server can do, for all dialogs', () => {
  before(() => helper.startServer());
  after(() => helper.stopServer());

  /** Uses a fake server of a release, deployed for a node. */
  function deployed(release: Release): () => FakeStash {
    const stash = useFakeStash({ release });
    beforeEach(() => Flow.start({ type: 'stash-scan', server: { url: stash().url } }));
    return stash;
  }

  describe('of a server of today', () => {
    const stash = deployed('v0.30.1');

    it('contains its release and library folders, and that it tells of its jobs over a WebSocket', async () => {
      const { release, folders, socket } = await ask();
      assert.deepEqual([release, folders, socket], ['v0.30.1', FOLDERS, true]);
    });

    it('lacks only what newer releases have', async () => {
      const { backup, ...nodes } = (await ask()).lacks;
      assert.deepEqual(nodes, {
        scan: { scanGenerateImagePhashes: 'Stash v0.31' },
        generate: {
          imagePhashes: 'Stash v0.31',
          imageIDs: 'Stash v0.31',
          galleryIDs: 'Stash v0.31',
          paths: 'Stash v0.31',
        },
        status: {},
        stop: {},
        task: {},
        find: {},
        playback: { paused: 'Stash v0.25 + plugin' },
        'performer-scrape': { career_start: 'Stash v0.31', career_end: 'Stash v0.31' },
        studios: { organized: 'Stash v0.31' },
        update: {},
      });
      // It depends on Node.js.
      assert.ok(backup);
    });

    it('has pauses of what is watched, and events, once it has the plugin', async () => {
      assert.equal((await ask()).hasPlugin, false);
      stash().plugins = [{ id: plugin.id, name: 'Node-RED', version: plugin.version, tasks: [] }];
      const { lacks, hasPlugin } = await askAgain();
      assert.deepEqual([lacks['playback'], hasPlugin], [{}, true]);
    });

    it('is the reason if the server cannot be reached', async () => {
      await stash().stop();
      const { case: which, details } = await ask();
      assert.deepEqual([which, details?.url], ['UNREACHABLE.refusedHere', stash().url]);
    });

    it('is available only for deployed servers', async () => {
      for (const id of ['not-deployed', 'tested', '', ['server1']]) {
        assert.deepEqual(await ask({ id }), { case: 'NO_SERVER.none', details: {} });
      }
      assert.deepEqual(stash().requests, []);
    });

    it('has an error case for a part that fails, but never the response of the server', async () => {
      const secret = 'what only Node-RED can reach';
      for (const [answer, expected] of [
        [text(200, secret), { case: 'NOT_STASH.page', details: {} }],
        [json({ errors: [{ message: secret }], data: null }), { case: 'GRAPHQL.failed', details: {} }],
        [
          json({ data: { listScrapers: secret } }),
          { case: 'GRAPHQL.form', details: { name: 'listScrapers', release: 'v0.30.1' } },
        ],
      ] as const) {
        stash().answerNormally();
        stash().answerWith(answer, { field: 'listScrapers' });
        const found = await askAgain();
        assert.deepEqual(found.scrapers, expected);
        assert.deepEqual(found.folders, FOLDERS);
        assert.ok(!JSON.stringify(found).includes(secret));
      }
    });

    it('says that a proxy lets no WebSocket pass', async () => {
      stash().sockets.refused = true;
      assert.equal((await ask()).socket, false);
    });

    it('closes the WebSocket that it has tried', async () => {
      await ask();
      await until(() => stash().sockets.open === 0);
    });

    describe('is requested from the server', () => {
      it('once for many browsers at the same time', async () => {
        let answer: () => void = () => undefined;
        const released = new Promise<void>((resolve) => {
          answer = resolve;
        });
        stash().answerWith(
          async (request, response) => {
            await released;
            send(request, response, json({ data: { listScrapers: SCRAPERS } }));
          },
          { field: 'listScrapers' },
        );
        const asking = Array.from({ length: 40 }, () => ask());
        while (asked(stash()) === 0) await sleep(1);
        answer();
        for (const { scrapers } of await Promise.all(asking)) assert.equal((scrapers as object[]).length, 3);
        assert.equal(asked(stash()), 1);
      });

      it('once a minute, unless a user asks again', async () => {
        await ask();
        await ask();
        assert.equal(asked(stash()), 1);
        await askAgain();
        assert.equal(asked(stash()), 2);

        const usual = timing.capabilities;
        timing.capabilities = 0;
        try {
          await askAgain();
          await ask();
          assert.equal(asked(stash()), 4);
        } finally {
          timing.capabilities = usual;
        }
      });

      it('again after a failure, whose cause may be mended', async () => {
        stash().answerWith(json({ errors: [{ message: 'not now' }], data: null }), {
          field: 'listScrapers',
          times: 1,
        });
        assert.deepEqual((await ask()).scrapers, { case: 'GRAPHQL.failed', details: {} });
        assert.deepEqual((await ask()).scrapers, LOCAL);
      });
    });
  });

  it('is that of the new release after an upgrade that broke no request', async () => {
    const old = await FakeStash.start({ release: 'v0.25.1' });
    const { port } = new URL(old.url);
    let newer: FakeStash | undefined;
    try {
      await Flow.start({ type: 'stash-scan', server: { url: old.url } });
      assert.equal((await ask()).release, 'v0.25.1');
      await old.stop();
      newer = await FakeStash.start({ release: 'v0.31.0', port: Number(port) });
      const { release, lacks } = await askAgain();
      assert.deepEqual([release, lacks['scan']], ['v0.31.0', {}]);
    } finally {
      await helper.unload();
      await (newer ?? old).stop();
    }
  });

  it('is found out with a short time limit, whatever that of the server is', async () => {
    const stash = await FakeStash.start({ release: 'v0.30.1' });
    try {
      let isPending = false;
      stash.answerWith(() => void (isPending = true), { field: 'configuration' });
      await Flow.start({ type: 'stash-scan', server: { url: stash.url, timeout: 30 } });
      const { folders } = await passTimeLimit(10, ask, () => isPending);
      assert.deepEqual(folders, { case: 'TIMEOUT.noAnswer', details: { seconds: 10 } });
    } finally {
      await helper.unload();
      await stash.stop();
    }
  });

  describe('of a server that lacks plugins', () => {
    const stash = deployed('documented');

    it('is known for a minute, too, because nothing can mend that', async () => {
      const { plugins } = await ask();
      assert.equal((plugins as { case: string }).case, 'UNSUPPORTED.lacking');
      const { length } = stash().requests;
      await ask();
      assert.equal(stash().requests.length, length);
    });
  });

  describe('of a server whose secret is also a word of its library', () => {
    const KEY = 'media';
    const stash = useFakeStash({ release: 'v0.30.1', apiKey: KEY });
    beforeEach(() =>
      Flow.start({
        type: 'stash-scan',
        server: { url: stash().url, auth: 'apiKey' },
        credentials: { apiKey: KEY },
      }),
    );

    it('contains the values as they are, beside texts that are short and without it', async () => {
      const long = 'x'.repeat(5000);
      const scrapers = [
        scraper(KEY, `Of ${KEY} ${long}`, 'NAME'),
        scraper(long, 'With an endless ID', 'NAME'),
      ];
      stash().answerWith(json({ data: { listScrapers: scrapers } }), { field: 'listScrapers' });
      stash().plugins = [
        {
          ...{ id: KEY, name: `Of ${KEY} ${long}` },
          tasks: [{ name: `Sort ${KEY}`, description: `All ${KEY}` }, { name: long }],
        },
        { id: long, name: 'With an endless ID', tasks: [{ name: 'Never' }] },
      ];
      const found = await ask();
      assert.deepEqual(found.folders, [
        { path: '/media/videos', label: '/•••/videos' },
        { path: '/media/pictures', label: '/•••/pictures' },
      ]);
      const name = `Of ••• ${long}`.slice(0, 100);
      assert.deepEqual(found.scrapers, [{ id: KEY, name, scrapes: false }]);
      const task = { name: 'Sort media', label: 'Sort •••', description: 'All •••' };
      assert.deepEqual(found.plugins, [{ id: KEY, name, tasks: [task] }]);
    });
  });

  describe('of v0.17.2', () => {
    const stash = deployed('v0.17.2');

    it('tells what its Tasks page has selected to generate, and nothing for a page that keeps nothing', async () => {
      assert.deepEqual((await ask()).generate, []);
      stash().defaults = { generate: { sprites: true, markers: true, previews: false } };
      assert.deepEqual((await askAgain()).generate, ['sprites', 'markers']);
    });

    it('tells which release has what it lacks', async () => {
      const { find, scan, generate, status, stop, task } = (await ask()).lacks;
      assert.deepEqual(find, { play_count: 'Stash v0.18', last_played_at: 'Stash v0.18' });
      assert.deepEqual(scan, {
        rescan: 'Stash v0.26',
        scanGenerateCovers: 'Stash v0.20',
        scanGenerateClipPreviews: 'Stash v0.21',
        scanGenerateImagePhashes: 'Stash v0.31',
      });
      assert.deepEqual(generate, {
        covers: 'Stash v0.20',
        imageThumbnails: 'Stash v0.25',
        galleryIDs: 'Stash v0.31',
        imageIDs: 'Stash v0.31',
        imagePhashes: 'Stash v0.31',
        clipPreviews: 'Stash v0.21',
        markerIDs: 'Stash v0.24',
        paths: 'Stash v0.31',
      });
      assert.deepEqual([status, stop], [{ latestVersion: 'Stash v0.19' }, {}]);
      assert.deepEqual(task, {
        metadataCleanGenerated: 'Stash v0.25',
        optimiseDatabase: 'Stash v0.22',
        updatePackages: 'Stash v0.24',
      });
    });

    it('says that it tells of its jobs over a WebSocket', async () => {
      assert.equal((await ask()).socket, true);
    });
  });

  describe('of v0.11.0', () => {
    deployed('v0.11.0');

    it('says that it has no WebSocket of today, and cannot limit a clean to folders', async () => {
      const { socket, lacks } = await ask();
      assert.deepEqual([socket, lacks['task']?.['metadataClean.paths']], [false, 'Stash v0.12']);
    });
  });

  describe('of a server behind a configured proxy', () => {
    const stash = useFakeStash({ release: 'v0.30.1' });

    it('does not say whether a WebSocket works, because none is tried', async () => {
      const proxy = await ForwardProxy.start();
      try {
        await Flow.start({
          type: 'stash-scan',
          server: { url: stash().url, proxy: 'proxy1' },
          configs: [{ id: 'proxy1', type: 'http proxy', url: proxy.url, noproxy: [] }],
        });
        assert.equal((await ask()).socket, null);
      } finally {
        await proxy.stop();
      }
    });
  });
});
