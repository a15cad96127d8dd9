import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../browser/eventually';
import { Example } from '../support/example';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';

describe('The examples about new files in a real Node-RED', () => {
  const userDir = useUserDir();
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.2 });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  describe('Scan a finished download', () => {
    beforeEach(async () => {
      example = await Example.start(userDir(), 'Scan a finished download', stash.url);
    });

    for (const [format, body] of [
      ['a form', new URLSearchParams({ path: '/downloads/Holiday & more/a.mp4' })],
      ['JSON', JSON.stringify({ path: '/downloads/Holiday & more/a.mp4' })],
    ] as const) {
      it(`accepts a path as ${format}, scans just that as Stash sees it, and notifies`, async () => {
        const response = await post(body);
        assert.equal(response.status, 202);
        assert.match(
          await example.next('your notification'),
          /^Scan of \/media\/videos\/Holiday & more\/a\.mp4 on nas /,
        );
        assert.deepEqual(scanned(), [['/media/videos/Holiday & more/a.mp4']]);
      });
    }

    it('leaves a path alone that is not below the folder', async () => {
      await post(new URLSearchParams({ path: '/media/videos/downloads/a.mp4' }));
      await example.next('your notification');
      assert.deepEqual(scanned(), [['/media/videos/downloads/a.mp4']]);
    });

    it('refuses a request without a path, and scans nothing', async () => {
      for (const body of ['{}', '{"path":["/data"]}', '{"path":{"a":1}}']) {
        assert.equal((await post(body)).status, 400, body);
      }
      assert.deepEqual(scanned(), []);
    });

    it('reports a path outside the library as a problem', async () => {
      assert.equal((await post(new URLSearchParams({ path: '/etc' }))).status, 202);
      assert.match(await example.next('your notification'), /^Scan failed\. .*\/etc/);
      assert.deepEqual(scanned(), []);
    });

    it('can be tried with a button', async () => {
      await example.press('try it');
      assert.match(await example.next('your notification'), /^Scan of \/media\/videos\/Holiday on nas /);
    });
  });

  describe('Scan a watched folder', () => {
    const QUIET_MS = 800;
    let folder: string;

    beforeEach(async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'stash-downloads-'));
      example = await Example.start(userDir(), 'Scan a watched folder', stash.url, {
        watch: { files: folder },
        trigger: { duration: String(QUIET_MS), units: 'ms' },
      });
    });

    afterEach(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    it('scans once for many files, after the last change, and not for what is deleted', async () => {
      const before = await watched();
      mkdirSync(path.join(folder, 'Holiday'));
      for (let count = 0; count < 8; count++) {
        write(`Holiday/${String(count)}.mp4`);
        await sleep(QUIET_MS / 8);
        assert.equal(scanned().length, before);
      }
      await eventually(
        () => Promise.resolve(scanned().length),
        (count) => {
          assert.equal(count, before + 1);
        },
      );
      assert.deepEqual(scanned().at(-1), ['/media/videos']);
      assert.match(await example.next('your notification'), /^Scan of \/media\/videos on nas /);

      rmSync(path.join(folder, 'Holiday'), { recursive: true });
      await sleep(2 * QUIET_MS);
      assert.equal(scanned().length, before + 1);
    });

    /**
     * Resolves with the number of scans so far, once the folder is watched and no scan is due. The watch node does not
     * tell when it has begun to watch, so this writes a file until a scan follows.
     */
    async function watched(): Promise<number> {
      while (scanned().length === 0) {
        write('first.mp4');
        await sleep(2 * QUIET_MS);
      }
      for (;;) {
        const count = scanned().length;
        await sleep(2 * QUIET_MS);
        if (scanned().length === count) return count;
      }
    }

    function write(file: string): void {
      writeFileSync(path.join(folder, file), file);
    }
  });

  function post(body: string | URLSearchParams): Promise<Response> {
    const headers = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
    return fetch(`${example.nodeRed.url}/stash/downloaded`, { method: 'POST', headers, body });
  }

  /** Returns the paths of each scan that the server was asked for. */
  function scanned(): unknown[] {
    return stash.requests
      .filter(({ operation }) => operation === 'metadataScan')
      .map(({ body }) => (body as { variables: { input: { paths: unknown } } }).variables.input.paths);
  }
});
