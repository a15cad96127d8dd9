import assert from 'node:assert/strict';
import { type Client, servers } from './client';

const FOLDER = '/media/videos/Harbour Nine';
const FILE = `${FOLDER}/Low Tide.mp4`;
const PICTURE = '/media/pictures/Harbour Nine/Poster.jpg';

describe('Fake server: the disk', () => {
  const start = servers();
  const newest = () => start({ release: 'v0.30.1' });
  const ask = (path: string) => `{ directory(path: "${path}") { path parent directories } }`;

  async function directories({ value }: Client, path: string): Promise<unknown> {
    return ((await value(ask(path))) as { directories: unknown }).directories;
  }

  it('lists the folders in a folder, but no files', async () => {
    const client = await newest();
    assert.deepEqual(await client.value(ask('/media/videos')), {
      path: '/media/videos',
      parent: '/media',
      directories: ['Harbour Nine', 'Lanterna', 'Quiet Hill'].map((name) => `/media/videos/${name}`),
    });
    assert.deepEqual(await directories(client, FOLDER), []);
    assert.deepEqual(await client.value('{ directory { path directories } }'), {
      path: '/root',
      directories: [],
    });
    assert.deepEqual(await client.value(ask('/')), {
      path: '/',
      parent: null,
      directories: ['/config', '/media', '/root'],
    });
  });

  it('lists folders in the place of one that is missing', async () => {
    const client = await newest();
    client.stash.arrive({ path: '/media/videos/Harbour Nine Extras/One.mp4' });
    client.stash.library.vanish(FOLDER);
    assert.deepEqual(await directories(client, FOLDER), ['/media/videos/Harbour Nine Extras']);
    client.stash.library.reappear(FOLDER);
    assert.deepEqual(await directories(client, FILE), []);
    assert.deepEqual(await directories(client, FOLDER), []);
    assert.equal(((await directories(client, '/media/videos')) as unknown[]).length, 4);
  });

  it('reports a missing folder that is asked for with a slash at its end', async () => {
    const client = await newest();
    assert.deepEqual(await directories(client, `${FOLDER}/`), []);
    client.stash.library.vanish(FOLDER);
    assert.equal(await client.failure(ask(`${FOLDER}/`)), `open ${FOLDER}: no such file or directory`);
  });

  it('keeps the folder of an unmounted drive', async () => {
    const client = await newest();
    client.stash.library.unmount('/media/videos');
    assert.deepEqual(await directories(client, '/media/videos/'), []);
    assert.deepEqual(await directories(client, '/media'), ['/media/pictures', '/media/videos']);
    client.stash.library.reappear('/media/videos');
    assert.equal(((await directories(client, '/media/videos/')) as unknown[]).length, 3);
  });

  describe('streams', () => {
    const get = ({ stash }: Client, path: string, init: RequestInit = {}) =>
      fetch(stash.url + path, { redirect: 'manual', headers: { Range: 'bytes=0-0' }, ...init });

    for (const [path, file, type] of [
      ['/scene/1/stream', FILE, 'video/mp4'],
      ['/image/1/image', PICTURE, 'image/jpeg'],
    ] as const) {
      it(`a file that exists at ${path}`, async () => {
        const client = await newest();
        const answer = await get(client, path);
        assert.equal(answer.status, 206);
        assert.match(String(answer.headers.get('content-range')), /^bytes 0-0\/\d+$/);
        assert.equal(answer.headers.get('content-type'), type);
        assert.equal((await answer.arrayBuffer()).byteLength, 1);
        assert.equal((await get(client, path, { headers: {} })).status, 200);
        assert.equal((await get(client, path, { method: 'HEAD' })).status, 405);
        client.stash.library.vanish(file);
        assert.ok([404, 500].includes((await get(client, path)).status));
        client.stash.library.reappear(file);
        assert.equal((await get(client, path)).status, 206);
      });
    }

    it('tells a file that has gone from an unknown id', async () => {
      const client = await newest();
      client.stash.library.vanish('/media/videos');
      const gone = await get(client, '/scene/1/stream');
      assert.deepEqual([gone.status, await gone.text()], [404, '404 page not found\n']);
      const unknown = await get(client, '/scene/99/stream');
      assert.deepEqual([unknown.status, await unknown.text()], [404, 'Not Found\n']);
    });

    it('a converted file, of which nothing comes if it has gone', async () => {
      const client = await newest();
      for (const content of ['converted', '']) {
        if (content === '') client.stash.library.vanish(FILE);
        const answer = await get(client, '/scene/1/stream.mp4');
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'video/mp4']);
        assert.equal(await answer.text(), content);
      }
    });

    it('a file by way of a link, as long as the folder of the link is there', async () => {
      const client = await newest();
      client.stash.library.disk.link('/media/link', '/media/videos');
      client.stash.library.add({ path: '/media/link/Harbour Nine/Low Tide.mp4' }, '2026-01-11T04:41:59Z');
      assert.equal((await get(client, '/scene/6/stream')).status, 206);
      client.stash.library.vanish(FILE);
      assert.equal((await get(client, '/scene/6/stream')).status, 404);
    });

    for (const [release, isWhole] of [
      ['v0.17.2', true],
      ['v0.23.1', false],
    ] as const) {
      it(`an image in an archive ${isWhole ? 'whole, without its length' : 'as any other'} on ${release}`, async () => {
        const client = await start({ release });
        client.stash.library.add({ path: '/media/pictures/set.zip/1.jpg' }, '2026-01-11T04:41:59Z');
        const answer = await get(client, '/image/2/image');
        assert.deepEqual(
          [answer.status, answer.headers.get('content-length'), (await answer.arrayBuffer()).byteLength],
          isWhole ? [200, null, 4096] : [206, '1', 1],
        );
      });
    }

    it('needs credentials, if the server has some', async () => {
      const client = await start({ release: 'v0.30.1', apiKey: 'secret' });
      const answer = await get(client, '/scene/1/stream');
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.get('location'), '/login?returnURL=%2Fscene%2F1%2Fstream');
      const headers = { ApiKey: 'secret', Range: 'bytes=0-0' };
      assert.equal((await get(client, '/scene/1/stream', { headers })).status, 206);
    });

    it('fails in SETUP and NEEDS_MIGRATION', async () => {
      for (const status of ['SETUP', 'NEEDS_MIGRATION'] as const) {
        const client = await newest();
        client.stash.status = status;
        assert.equal((await get(client, '/scene/1/stream')).status, 500);
        const older = await start({ release: 'v0.11.0' });
        older.stash.status = status;
        assert.equal((await get(older, '/scene/1/stream')).status, 404);
      }
    });
  });
});
