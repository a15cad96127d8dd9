import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { json } from '../../fake-stash/answers';
import { Flow, type Message, shared, useFakeStash } from '../../support/flow';
import { useFolder } from '../../support/folder';
import { hasten, TEMPO } from '../../support/tempo';
import { helper } from '../../support/runtime';
import type { JobRecord } from '../../../src/records';

/** In seconds: longer than any pause between two writes, however busy the machine is. */
const SETTLE = 0.5;

describe('stash-scan that waits until files are complete', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.2 * TEMPO });
  const folder = useFolder();

  /** The library folder for videos is a folder on this disk. */
  const start = (properties: object = {}) =>
    Flow.start({
      type: 'stash-scan',
      properties: { paths: 'payload', pathsType: 'msg', settle: String(SETTLE), ...properties },
      server: { url: stash().url, pathMap: [{ here: folder(), there: '/media/videos' }] },
    });
  const scans = () =>
    stash()
      .requests.filter(({ operation }) => operation === 'metadataScan')
      .map(({ body }) => body?.variables?.['input']);
  /** Returns a path in the folder. */
  const at = (...names: string[]) => path.join(folder(), ...names);
  const write = (...names: string[]) => {
    mkdirSync(path.dirname(at(...names)), { recursive: true });
    writeFileSync(at(...names), 'content');
    // The server sees it, too.
    stash().arrive({ path: ['/media/videos', ...names].join('/') });
    return at(...names);
  };
  /** Changes something for twice as long as it would take to settle. */
  const change = async (one: () => void) => {
    const end = performance.now() + 2000 * SETTLE;
    while (performance.now() < end) {
      one();
      await wait(10);
    }
  };
  /** Lets files grow until they have been looked at: until another file, whose looks are at the same time, is complete. */
  const areSeen = async (flow: Flow, files: readonly string[]) => {
    const id = flow.send({ payload: write('seen.mp4') });
    while (!flow.hasEnded(id)) {
      for (const file of files) appendFileSync(file, 'more');
      await wait(10);
    }
  };
  const isShown = (flow: Flow, key: string) =>
    flow.statuses.some(({ text }) => text?.startsWith(shared(key)));
  // The key of "waiting for 2 files" is too long for a status, so the shorter text stands in.
  const isWaitingForFiles = (flow: Flow) => isShown(flow, 'queue.waiting');
  const ends = async (flow: Flow, ids: readonly string[]): Promise<Message[]> => {
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));
    return ids.map((id) => flow.endOf(id).msg);
  };

  it('scans a file once it no longer grows', async () => {
    const flow = await start();
    const file = write('clip.mp4');
    const id = flow.send({ payload: file });
    await change(() => {
      appendFileSync(file, 'more');
    });
    assert.deepEqual(scans(), []);
    await flow.until(() => isWaitingForFiles(flow));

    const [msg] = await ends(flow, [id]);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/clip.mp4'] }]);
    assert.deepEqual(msg?.stash?.['settled'], { complete: 1, unseen: 0, gone: 0 });
  });

  it('scans the file with its final name once the temporary one is gone', async () => {
    const flow = await start();
    const temporary = write('clip.mp4.part');
    const id = flow.send({ payload: temporary });
    await change(() => {
      appendFileSync(temporary, 'more');
    });
    renameSync(temporary, at('clip.mp4'));
    await ends(flow, [id]);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/clip.mp4'] }]);
  });

  it('waits for names only that the node calls temporary', async () => {
    const flow = await start({ temporaryNames: '*.loading' });
    const [part, loading] = [write('a.mp4.part'), write('b.mp4.loading')];
    const ids = [part, loading].map((payload) => flow.send({ payload }));
    await ends(flow, ids.slice(0, 1));
    assert.equal(flow.hasEnded(ids[1] ?? ''), false);
    renameSync(loading, at('b.mp4'));
    await ends(flow, ids);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/a.mp4.part'] }, { paths: ['/media/videos/b.mp4'] }]);
  });

  it('waits for each file of a message', async () => {
    const flow = await start();
    const [quiet, growing] = [write('a.mp4'), write('b.mp4')];
    const id = flow.send({ payload: [quiet, growing] });
    await change(() => {
      appendFileSync(growing, 'more');
    });
    assert.deepEqual(scans(), []);
    await ends(flow, [id]);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/a.mp4', '/media/videos/b.mp4'] }]);
  });

  it('does not wait for what this machine cannot see, and says so', async () => {
    const flow = await start({ settle: '60', reply: 'finished' });
    const { msg } = await flow.ask({ payload: ['/media/pictures', at('missing.mp4')] });
    assert.deepEqual(scans(), [{ paths: ['/media/pictures', '/media/videos/missing.mp4'] }]);
    assert.deepEqual(msg.stash?.['settled'], { complete: 0, unseen: 2, gone: 0 });
  });

  it('waits once for a path that a message has twice', async () => {
    const flow = await start();
    stash().answerWith(json({ errors: [{ message: 'not now' }] }), { field: 'configuration', times: 1 });
    const file = write('a.mp4');
    const { msg } = await flow.ask({ payload: [file, file] });
    assert.deepEqual(scans(), [{ paths: ['/media/videos/a.mp4'] }]);
    assert.deepEqual(msg.stash?.['settled'], { complete: 1, unseen: 0, gone: 0 });
  });

  it('does not wait for the whole library', async () => {
    const flow = await start({ settle: '60', paths: '', pathsType: 'library' });
    const { msg } = await flow.ask();
    assert.deepEqual(scans(), [{}]);
    assert.equal(msg.stash?.['settled'], undefined);
  });

  it('scans no file that was deleted half-way if there is another one', async () => {
    const flow = await start({ reply: 'finished' });
    const [kept, deleted] = [write('a.mp4'), write('b.mp4')];
    const id = flow.send({ payload: [kept, deleted] });
    await areSeen(flow, [deleted]);
    rmSync(deleted);
    const [msg] = await ends(flow, [id]);
    assert.deepEqual(scans().at(-1), { paths: ['/media/videos/a.mp4'] });
    assert.deepEqual(msg?.stash?.['settled'], { complete: 1, unseen: 0, gone: 1 });
  });

  for (const collect of ['0', '0.1']) {
    it(`scans nothing if all files were deleted half-way, and says so (collect: ${collect})`, async () => {
      const flow = await start({ collect });
      const deleted = ['a.mp4', 'b.mp4'].map((name) => write(name));
      const id = flow.send({ payload: deleted });
      await areSeen(flow, deleted);
      for (const file of deleted) rmSync(file);
      const [msg] = await ends(flow, [id]);
      assert.deepEqual(scans(), [{ paths: ['/media/videos/seen.mp4'] }]);
      assert.deepEqual(msg?.payload, { id: null, status: 'SKIPPED' });
      assert.deepEqual(msg.stash?.['settled'], { complete: 0, unseen: 0, gone: 2 });
      assert.equal(msg.stash.summary, 'summary.nothingLeft');
      if (collect !== '0') assert.deepEqual(msg.stash['collected'], { messages: 1, paths: [] });
    });
  }

  it('waits for the whole folder of a file if the server does not know the folder yet', async () => {
    const flow = await start({ reply: 'finished' });
    const [file, growing] = [write('New', 'a.mp4'), write('New', 'b.mp4')];
    const id = flow.send({ payload: file });
    await change(() => {
      appendFileSync(growing, 'more');
    });
    assert.deepEqual(scans(), []);
    const [msg] = await ends(flow, [id]);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/New'] }]);
    assert.deepEqual((msg?.payload as JobRecord).problems, []);
  });

  it('refuses a path outside the library at once', async () => {
    const flow = await start({ settle: '60' });
    const { msg } = await flow.ask({ payload: '/elsewhere/a.mp4' });
    assert.equal(msg.error?.code, 'PATH_NOT_IN_LIBRARY');
  });

  it('collects the messages whose files are complete, one message for each change of a file', async () => {
    const flow = await start({ collect: String(SETTLE), reply: 'finished' });
    const [one, other] = [write('a.mp4'), write('b.mp4')];
    const ids = [flow.send({ payload: one }), flow.send({ payload: other })];
    for (let count = 0; count < 20; count += 1) {
      // Both, so that they are complete at the same time, however long this takes.
      for (const file of [one, other]) appendFileSync(file, 'more');
      ids.push(flow.send({ payload: one }));
      await wait(10);
    }
    await flow.until(() => isWaitingForFiles(flow));
    const messages = await ends(flow, ids);
    // In the order in which they were complete.
    const paths = ['/media/videos/a.mp4', '/media/videos/b.mp4'];
    const inOrder = (all: readonly string[] | undefined) => [...(all ?? [])].sort();
    assert.deepEqual(
      scans().map((input) => inOrder((input as { paths: string[] }).paths)),
      [paths],
    );
    for (const { stash: about = {} } of messages) {
      const { messages: count, paths: scanned } = about['collected'] as { messages: number; paths: string[] };
      assert.deepEqual([count, inOrder(scanned)], [22, paths]);
      assert.deepEqual(about['settled'], { complete: 2, unseen: 0, gone: 0 });
    }
    assert.ok(isShown(flow, 'queue.held'));
  });

  it('does not let a file that grows hold up the others', async () => {
    const flow = await start({ collect: String(SETTLE) });
    const [growing, quiet] = [write('a.mp4'), write('b.mp4')];
    const ids = [flow.send({ payload: growing }), flow.send({ payload: quiet })];
    const changes = setInterval(() => {
      appendFileSync(growing, 'more');
    }, 10);
    try {
      await ends(flow, ids.slice(1));
    } finally {
      clearInterval(changes);
    }
    assert.deepEqual(scans(), [{ paths: ['/media/videos/b.mp4'] }]);
    assert.equal(flow.hasEnded(ids[0] ?? ''), false);
    await ends(flow, ids);
    assert.deepEqual(scans().at(-1), { paths: ['/media/videos/a.mp4'] });
  });

  it('drops what waits at a reset, and starts no scan', async () => {
    const flow = await start({ settle: '60' });
    const file = write('a.mp4');
    const dropped = flow.send({ payload: file });
    await flow.until(() => isWaitingForFiles(flow));
    const reset = flow.send({ reset: true });
    await flow.until(() => [dropped, reset].every((id) => flow.isDropped(id)));
    assert.deepEqual(scans(), []);
  });

  it('refuses more messages than it may hold', async () => {
    helper.settings({ nodeMessageBufferMaxLength: 2 });
    const flow = await start({ settle: '60' });
    const file = write('a.mp4');
    for (let count = 0; count < 2; count += 1) flow.send({ payload: file });
    const { msg } = await flow.ask({ payload: file });
    assert.equal(msg.error?.code, 'QUEUE_FULL');
  });

  it('refuses more messages than it may hold also while their jobs run', async () => {
    helper.settings({ nodeMessageBufferMaxLength: 2 });
    stash().jobs.hold();
    const flow = await start({ reply: 'finished' });
    const before = scans().length;
    for (const name of ['a.mp4', 'b.mp4']) flow.send({ payload: write(name) });
    await flow.until(() => scans().length === before + 2);
    const { msg } = await flow.ask({ payload: write('c.mp4') });
    assert.equal(msg.error?.code, 'QUEUE_FULL');
    // Not that of the queue of jobs.
    assert.match(msg.error.message, /QUEUE_FULL\.scan/);
  });
});
