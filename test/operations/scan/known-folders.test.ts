import assert from 'node:assert/strict';
import { useFakeTimers } from 'sinon';
import { Library } from '../../../src/operations/library/folders';
import { pathRequests, scannable } from '../../../src/operations/scan/known-folders';
import { RecentLibrary } from '../../../src/operations/scan/recent-library';
import { timing } from '../../../src/timing';
import { send } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { cut } from '../../fake-stash/faults';

import { Message, type TestServer, useServer } from '../../support/connect';

describe('The folders that a server knows', () => {
  let stash: FakeStash;
  let server: TestServer;
  const connect = useServer(
    (...both) => {
      [stash, server] = both;
    },
    undefined,
    // Hundreds of requests at once take their time on a busy machine.
    { timeout: 60 },
  );
  const usual = timing.recentLibrary;

  const library = (...folders: string[]) => new Library(server, folders);
  const known = (...folders: string[]) => {
    for (const folder of folders) {
      stash.arrive({ path: `${folder}/old.mp4` });
      stash.library.add({ path: `${folder}/old.mp4` }, '2026-01-11T10:00:00Z');
    }
  };
  /** Puts files on the disk that no scan has found yet. */
  const arrived = (paths: readonly string[]) => {
    for (const path of paths) stash.arrive({ path });
    return paths;
  };
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `/media/videos/${index}`);
  const videos = () => library('/media/videos');
  const asked = (paths: readonly string[], of = videos()) => ({
    library: of,
    paths: paths.map((path) => ({ here: path, there: path })),
  });
  /** Returns what is scanned for paths, which are the same on both sides. */
  const scanned = async (paths: readonly string[], of = videos()) => {
    const found = await scannable(asked(paths, of), pathRequests(server, new Message()));
    return found.map(({ there }) => there);
  };
  /** The same with what was known a few seconds ago. */
  const recently = async (paths: readonly string[], call = new Message()) => {
    const found = await RecentLibrary.of(server).scannable(asked(paths), call);
    return found.map(({ there }) => there);
  };
  const requests = () => stash.requests.filter(({ operation }) => /^find/.test(operation ?? '')).length;

  afterEach(() => {
    timing.recentLibrary = usual;
  });

  for (const release of ['v0.28.1', 'v0.30.1'] as const) {
    it(`are found on ${release} although they are many`, async () => {
      await connect({ release });
      known(...numbered(30));
      const paths = arrived([...numbered(30), '/media/videos/new'].map((folder) => `${folder}/a.mp4`));
      assert.deepEqual(await scanned(paths), [...paths.slice(0, 30), '/media/videos/new']);
    });
  }

  it('never stand in for a library folder whose name ends like that of a file', async () => {
    const paths = ['/nas/My.Videos', '/nas/my.com', ...arrived(['/nas/my.com/a.mp4'])];
    for (const folders of [
      ['/nas/My.Videos', '/nas/my.com'],
      ['/nas', '/nas/My.Videos/', '/nas/my.com'],
    ]) {
      assert.deepEqual(
        await scanned(paths, library(...folders)),
        ['/nas/My.Videos', '/nas/my.com'],
        String(folders),
      );
    }
  });

  it('never stand in for a new folder whose name ends like that of a file, nor for a file that has gone', async () => {
    const [inside] = arrived(['/media/videos/new/Site.com/a.mp4']);
    const paths = ['/media/videos/new/Site.com', '/media/videos/new/gone.mp4'];
    for (const ask of [scanned, recently]) assert.deepEqual(await ask(paths), paths);
    const beside = arrived(['/media/videos/new/b.mp4']);
    assert.deepEqual(await scanned([...paths, ...beside]), ['/media/videos/new']);
    assert.deepEqual(await scanned([inside ?? '']), ['/media/videos/new/Site.com']);
  });

  it('are told as far as the server answered, and asked for again otherwise', async () => {
    const paths = arrived(numbered(150).map((folder) => `${folder}/a.mp4`));
    for (const ask of [scanned, recently]) {
      stash.answerNormally();
      stash.answerWith(
        (_request, response, _body, execute) =>
          execute().then((answer) => {
            stash.answerWith(cut, { field: 'findFolders' });
            send(_request, response, answer);
          }),
        { field: 'findFolders', times: 1 },
      );
      assert.deepEqual(await ask(paths), [...numbered(100), ...paths.slice(100)]);
    }
    stash.answerNormally();
    assert.deepEqual(await recently(paths), numbered(150));
  });

  it('need no second wait within seconds, although the server is slow meanwhile', async () => {
    const ask = (folder: string) => recently(arrived([`${folder}/a.mp4`]));
    await ask('/media/videos/1');
    let goOn = () => {};
    const pause = new Promise<void>((resolve) => (goOn = resolve));
    stash.answerWith(
      async (request, response, _body, execute) => {
        await pause;
        send(request, response, await execute());
      },
      { field: 'findFolders' },
    );
    let isOver = false;
    const slow = ask('/media/videos/2').then(() => (isOver = true));
    assert.deepEqual(await ask('/media/videos/1'), ['/media/videos/1']);
    assert.equal(isOver, false);
    goOn();
    await slow;
    assert.equal(requests(), 2);
  });

  it('lead to another request after ten seconds, because a scan may have found more', async () => {
    const clock = useFakeTimers({ toFake: ['performance'] });
    try {
      const paths = arrived(['/media/videos/new/a.mp4']);
      const ask = () => recently(paths);
      assert.deepEqual(await ask(), ['/media/videos/new']);
      known('/media/videos/new');
      clock.tick(9_999);
      assert.deepEqual(await ask(), ['/media/videos/new']);
      clock.tick(1);
      assert.deepEqual(await ask(), paths);
      assert.equal(requests(), 2);
    } finally {
      clock.restore();
    }
  });

  it('are asked for once by the messages of a burst, and go on for others when one is dropped', async () => {
    const calls = numbered(300).map(() => new Message());
    const all = numbered(300).map((folder, index) => recently(arrived([`${folder}/a.mp4`]), calls[index]));
    const dropped = new Error('dropped');
    calls[0]?.reset(dropped);
    await assert.rejects(all[0] ?? Promise.resolve(), dropped);
    assert.deepEqual(
      await Promise.all(all.slice(1)),
      numbered(300)
        .slice(1)
        .map((folder) => [folder]),
    );
    assert.equal(requests(), 3);
  });
});
