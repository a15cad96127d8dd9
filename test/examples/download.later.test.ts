import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../browser/eventually';
import { type Example, useExamples } from '../support/example';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';

describe('The examples about new files in a real Node-RED', () => {
  /** In milliseconds. Node-RED runs in a process of its own, so its looks at files are a second apart. */
  const QUIET = 300;
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let downloads: string;
  let stash: FakeStash;
  let example: Example;
  /** How many requests and notifications there were before the test. */
  let earlier: { requests: number; notifications: number };

  const folder = () => downloads;
  const start = async (name: string, watched = folder) => {
    downloads = mkdtempSync(path.join(tmpdir(), 'stash-downloads-'));
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.2 });
    example = await runExample(name, stash.url, {
      'stash-server': {
        pathMap: [
          { here: '/downloads', there: '/media/videos' },
          { here: folder(), there: '/media/videos' },
        ],
      },
      'stash-scan': { settle: String(QUIET / 1000), collect: '2' },
      watch: { files: watched() },
      trigger: { duration: String(QUIET), units: 'ms' },
    });
  };

  const stop = async () => {
    await example.stop();
    await stash.stop();
    rmSync(downloads, { recursive: true, force: true });
  };

  beforeEach(() => {
    earlier = { requests: stash.requests.length, notifications: example.outputs('your notification').length };
  });

  describe('Scan a finished download', () => {
    before(() => start('Scan a finished download'));
    after(stop);

    for (const [format, bodyOf] of [
      ['a form', (file: string) => new URLSearchParams({ path: file })],
      ['JSON', (file: string) => JSON.stringify({ path: file })],
    ] as const) {
      it(`accepts a path as ${format}, scans just that as Stash sees it, and notifies`, async () => {
        const response = await post(bodyOf(write(`Holiday & more (${format}).mp4`)));
        assert.equal(response.status, 200);
        assert.match(
          await example.next('your notification'),
          /^Scan of \/media\/videos\/Holiday & more \(.+\)\.mp4 on nas finished \(1 new scene, no problems, /,
        );
        assert.deepEqual(scanned(), [[`/media/videos/Holiday & more (${format}).mp4`]]);
      });
    }

    it('scans once for two downloads, when the files are complete, and notifies once', async () => {
      for (const name of ['a.mp4', 'b.mp4.part']) await post(JSON.stringify({ path: write(name) }));
      await whileChanging(() => {
        for (const name of ['a.mp4', 'b.mp4.part']) appendFileSync(path.join(folder(), name), name);
      });
      assert.deepEqual(scanned(), []);
      stash.arrive({ path: '/media/videos/b.mp4' });
      renameSync(path.join(folder(), 'b.mp4.part'), path.join(folder(), 'b.mp4'));
      assert.match(
        await example.next('your notification'),
        /^Scan of 2 paths for 2 messages on nas finished \(2 new scenes, no problems, /,
      );
      // In the order in which they were complete.
      const paths = new Set(['/media/videos/a.mp4', '/media/videos/b.mp4']);
      assert.deepEqual(
        scanned().map((all) => new Set(all as string[])),
        [paths],
      );
      await sleep(QUIET);
      assert.equal(notifications().length, 1);
    });

    it('scans a path that Node-RED does not see, and says so', async () => {
      stash.arrive({ path: '/media/videos/downloads/a.mp4' });
      await post(new URLSearchParams({ path: '/media/videos/downloads/a.mp4' }));
      assert.match(await example.next('your notification'), /, 1 path not visible to Node-RED, /);
      assert.deepEqual(scanned(), [['/media/videos/downloads']]);
    });

    it('takes the webhooks of Sonarr, Radarr and Whisparr', async () => {
      for (const body of [
        { episodeFile: { relativePath: 'one.mkv', path: write('one.mkv') } },
        { episodeFiles: [{ path: write('two.mkv') }, { path: write('three.mkv') }] },
        { movieFile: { relativePath: 'four.mkv', path: write('four.mkv') }, isUpgrade: true },
      ]) {
        assert.equal((await post(JSON.stringify({ eventType: 'Download', ...body }))).status, 200);
      }
      assert.match(
        await example.next('your notification'),
        /^Scan of 4 paths for 3 messages on nas finished \(/,
      );
      assert.equal((scanned()[0] as string[]).length, 4);
    });

    it('accepts the other events of a webhook, also with a file that was deleted, and scans none of them', async () => {
      const path = write('gone.mkv');
      for (const body of [
        { eventType: 'Test', series: { path: '/tv/Lanterna' } },
        { eventType: 'Grab' },
        { eventType: 'MovieFileDelete', movieFile: { path } },
        { eventType: 'EpisodeFileDelete', episodeFile: { path } },
      ]) {
        assert.equal((await post(JSON.stringify(body))).status, 200);
      }
      const file = write('new.mkv');
      await post(JSON.stringify({ eventType: 'Download', movieFile: { path: file } }));
      assert.match(await example.next('your notification'), /^Scan of \S+ on nas finished/);
      assert.deepEqual(scanned(), [['/media/videos/new.mkv']]);
    });

    it('refuses a request without a path, and scans nothing', async () => {
      for (const body of ['{}', '{"path":[]}', '{"path":{"a":1}}']) {
        assert.equal((await post(body)).status, 400, body);
      }
      assert.deepEqual(scanned(), []);
    });

    it('reports a path outside the library as a problem', async () => {
      assert.equal((await post(new URLSearchParams({ path: '/etc' }))).status, 200);
      assert.match(await example.next('your notification'), /^“scan” on nas failed\. .*\/etc/);
      assert.deepEqual(scanned(), []);
    });

    it('can be tried with a button', async () => {
      await example.press('try it');
      assert.match(await example.next('your notification'), /^Scan of \/media\/videos\/Holiday on nas /);
    });
  });

  describe('Scan a watched folder', () => {
    before(() => start('Scan a watched folder'));
    after(stop);

    it('scans once for many files, after the last change, and not for what is deleted', async () => {
      await isWatching();
      mkdirSync(path.join(folder(), 'Holiday'));
      const names = ['a', 'b', 'c'].map((name) => `Holiday/${name}.mp4`);
      for (const name of names) write(name);
      await whileChanging(() => {
        for (const name of names) appendFileSync(path.join(folder(), name), name);
      });
      assert.deepEqual(scansOf('Holiday'), []);
      await eventually(
        () => Promise.resolve(notifications()),
        (all) => {
          assert.equal(
            all.filter((text) => / on nas finished \(3 new scenes, no problems, /.test(text)).length,
            1,
          );
        },
      );
      assert.deepEqual(scansOf('Holiday'), [['/media/videos/Holiday']]);

      rmSync(path.join(folder(), 'Holiday'), { recursive: true });
      await isWatching();
      assert.equal(scansOf('Holiday').length, 1);
      assert.equal(notifications().length, scanned().length);
    });

    /** Waits until a change in the folder is noticed, by writing files until the last one is scanned and told of. */
    async function isWatching(): Promise<void> {
      for (let patience = 4000, isScanned = false; !isScanned; patience *= 2) {
        const name = `${String(performance.now())}.mp4`;
        write(name);
        const end = performance.now() + patience;
        while (!isScanned && performance.now() < end) {
          await sleep(QUIET);
          isScanned = scansOf(name).length > 0 && notifications().length === scanned().length;
        }
      }
    }

    /** Returns the paths of the scans that a path with this name was in. */
    function scansOf(name: string): unknown[] {
      return scanned().filter((paths) => JSON.stringify(paths).includes(`/media/videos/${name}`));
    }
  });

  describe('Scan a watched folder, of a folder that does not exist', () => {
    before(() => start('Scan a watched folder', () => path.join(folder(), 'missing')));
    after(stop);

    it('says what is wrong', async () => {
      await eventually(
        () => Promise.resolve(example.outputs('your notification')),
        (all) => {
          assert.match(all[0] ?? '', /^The folder cannot be watched\. .*missing/);
        },
      );
    });
  });

  /** Returns the notifications since the test began. */
  function notifications(): string[] {
    return example.outputs('your notification').slice(earlier.notifications);
  }

  /** Writes a file, also for the server. @returns its path. */
  function write(name: string): string {
    const file = path.join(folder(), name);
    writeFileSync(file, name);
    stash.arrive({ path: `/media/videos/${name}` });
    return file;
  }

  /** Changes something for as long as a scan of what does not change would take to start. */
  async function whileChanging(change: () => void): Promise<void> {
    const end = performance.now() + 3000;
    while (performance.now() < end) {
      change();
      await sleep(QUIET / 6);
    }
  }

  function post(body: string | URLSearchParams): Promise<Response> {
    const headers = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
    return fetch(`${example.nodeRed.url}/stash/downloaded`, { method: 'POST', headers, body });
  }

  /** Returns the paths of each scan that the server was asked for. */
  function scanned(): unknown[] {
    return stash.requests
      .slice(earlier.requests)
      .filter(({ operation }) => operation === 'metadataScan')
      .map(({ body }) => (body as { variables: { input: { paths: unknown } } }).variables.input.paths);
  }
});
