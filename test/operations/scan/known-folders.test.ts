import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { useFakeTimers } from 'sinon';
import { Library } from '../../../src/operations/library/folders';
import { KnownFolders, scannablePaths } from '../../../src/operations/scan/known-folders';
import { timing } from '../../../src/timing';
import { send } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { answerLate, cut } from '../../fake-stash/faults';
import type { Release } from '../../fake-stash/releases';
import { Message, options, TestServer } from '../../support/connect';

describe('The folders that a server knows', () => {
  let stash: FakeStash;
  let server: TestServer;
  const usual = timing.recentLibrary;

  const connect = async (release: Release) => {
    stash = await FakeStash.start({ release });
    server = new TestServer(options(stash.url), null);
  };
  const library = (...folders: string[]) => new Library(server, folders);
  const known = (...folders: string[]) => {
    for (const folder of folders) {
      stash.arrive({ path: `${folder}/old.mp4` });
      stash.library.add({ path: `${folder}/old.mp4` }, '2026-01-11T10:00:00Z');
    }
  };
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `/media/videos/${index}`);
  const requests = () => stash.requests.filter(({ operation }) => /^find/.test(operation ?? '')).length;

  afterEach(async () => {
    timing.recentLibrary = usual;
    await server.close();
    await stash.stop();
  });

  for (const release of ['v0.28.1', 'v0.30.1'] as const) {
    it(`are found on ${release} although they are many`, async () => {
      await connect(release);
      known(...numbered(30));
      const paths = [...numbered(30), '/media/videos/new'].map((folder) => `${folder}/a.mp4`);
      assert.deepEqual(
        await scannablePaths(server, { library: library('/media/videos'), paths }, new Message()),
        [...paths.slice(0, 30), '/media/videos/new'],
      );
    });
  }

  it('never stand in for a library folder whose name ends like that of a file', async () => {
    await connect('v0.30.1');
    const paths = ['/nas/My.Videos', '/nas/my.com', '/nas/my.com/a.mp4'];
    for (const folders of [
      ['/nas/My.Videos', '/nas/my.com'],
      ['/nas', '/nas/My.Videos/', '/nas/my.com'],
    ]) {
      assert.deepEqual(
        await scannablePaths(server, { library: library(...folders), paths }, new Message()),
        ['/nas/My.Videos', '/nas/my.com'],
        String(folders),
      );
    }
  });

  it('end the wait although the first answers are old when the last ones arrive', async () => {
    await connect('v0.30.1');
    timing.recentLibrary = 20;
    stash.answerWith(answerLate(50), { field: 'findFolders' });
    const paths = numbered(250).map((folder) => `${folder}/a.mp4`);
    const all = await new KnownFolders(server).scannable(
      paths,
      { library: library('/media/videos'), paths },
      new Message(),
    );
    assert.deepEqual(all, numbered(250));
    assert.equal(requests(), 3);
  });

  it('are told as far as the server answered, and asked for again otherwise', async () => {
    await connect('v0.30.1');
    const paths = numbered(150).map((folder) => `${folder}/a.mp4`);
    const [asked, folders] = [{ library: library('/media/videos'), paths }, new KnownFolders(server)];
    for (const ask of [
      () => scannablePaths(server, asked, new Message()),
      () => folders.scannable(paths, asked, new Message()),
    ]) {
      stash.answerNormally();
      stash.answerWith(
        (_request, response, _body, execute) =>
          execute().then((answer) => {
            stash.answerWith(cut, { field: 'findFolders' });
            send(_request, response, answer);
          }),
        { field: 'findFolders', times: 1 },
      );
      assert.deepEqual(await ask(), [...numbered(100), ...paths.slice(100)]);
    }
    stash.answerNormally();
    assert.deepEqual(await folders.scannable(paths, asked, new Message()), numbered(150));
  });

  it('need no second wait within seconds, although the server is slow meanwhile', async () => {
    await connect('v0.30.1');
    const folders = new KnownFolders(server);
    const ask = (folder: string) => {
      const paths = [`${folder}/a.mp4`];
      return folders.scannable(paths, { library: library('/media/videos'), paths }, new Message());
    };
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
    await connect('v0.30.1');
    const clock = useFakeTimers({ toFake: ['performance'] });
    try {
      const folders = new KnownFolders(server);
      const paths = ['/media/videos/new/a.mp4'];
      const ask = () => folders.scannable(paths, { library: library('/media/videos'), paths }, new Message());
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

  it('end the wait for each message although more messages come all the time', async () => {
    await connect('v0.30.1');
    stash.answerWith(answerLate(70), { field: 'findFolders' });
    const folders = new KnownFolders(server);
    let [sent, ended] = [0, 0];
    const end = performance.now() + 1000;
    while (performance.now() < end) {
      sent += 1;
      const paths = [`/media/videos/${sent}/a.mp4`];
      void folders
        .scannable(paths, { library: library('/media/videos'), paths }, new Message())
        .then(() => (ended += 1));
      await sleep(20);
    }
    assert.ok(ended > sent / 2, `${ended} of ${sent}`);
  });

  it('are asked for once by the messages of a burst, and go on for others when one is dropped', async () => {
    await connect('v0.30.1');
    const folders = new KnownFolders(server);
    const calls = numbered(300).map(() => new Message());
    const all = numbered(300).map((folder, index) => {
      const paths = [`${folder}/a.mp4`];
      const asked = { library: library('/media/videos'), paths };
      return folders.scannable(paths, asked, calls[index] ?? new Message());
    });
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
