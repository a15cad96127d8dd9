import assert from 'node:assert/strict';
import { Flow, type Message, shared, stopAll, useFakeStash } from '../../support/flow';
import { hasten, TEMPO } from '../../support/tempo';
import { json } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { answerLate, cut, loseAnswer } from '../../fake-stash/faults';
import { helper } from '../../support/runtime';
import type { JobRecord } from '../../../src/records';

/** In seconds: long enough for all messages of a burst, however busy the machine is. */
const QUIET = 0.4;

describe('stash-scan that collects messages', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.2 * TEMPO });
  const start = (properties: object = {}, server: object = {}) =>
    Flow.start({
      type: 'stash-scan',
      properties: { paths: 'payload', pathsType: 'msg', collect: String(QUIET), ...properties },
      server: { url: stash().url, ...server },
    });
  const scans = () =>
    stash()
      .requests.filter(({ operation }) => operation === 'metadataScan')
      .map(({ body }) => body?.variables?.['input']);
  const count = (operation: string) =>
    stash().requests.filter((request) => request.operation === operation).length;

  /** Sends a message for each path and waits until all have ended. */
  async function burst(flow: Flow, paths: readonly unknown[]): Promise<Message[]> {
    const ids = paths.map((payload, index) => flow.send({ payload, topic: `topic ${index}` }));
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));
    return ids.map((id) => flow.endOf(id).msg);
  }

  it('starts one scan for all of them, and each gets its job and keeps its own properties', async () => {
    const flow = await start();
    const messages = await burst(flow, ['/media/videos/a', '/media/videos/b', '/media/videos/a/c.mp4']);

    assert.deepEqual(scans(), [{ paths: ['/media/videos/a', '/media/videos/b'] }]);
    for (const [index, { payload, topic, stash: about }] of messages.entries()) {
      assert.deepEqual(payload, { id: '1', status: 'STARTED' });
      assert.equal(topic, `topic ${index}`);
      assert.deepEqual(about, {
        server: { name: 'nas', url: stash().url },
        operation: 'metadataScan',
        summary: shared('summary.job.started'),
        collected: { messages: 3, paths: ['/media/videos/a', '/media/videos/b'] },
      });
    }
    assert.equal(count('configuration'), 1, 'the library is requested when the first message comes');
  });

  it('scans for messages from before a deploy as the node was when they came, and for later ones as it is now', async () => {
    const flow = await start();
    const first = flow.send({ payload: '/media/videos/a' });
    await flow.until(() => flow.statuses.some(({ text }) => text?.startsWith(shared('queue.held'))));
    const properties = {
      paths: 'payload',
      pathsType: 'msg',
      collect: String(QUIET),
      scanGeneratePhashes: true,
    };
    await flow.redeploy({ type: 'stash-scan', properties, server: { url: stash().url } });
    const ids = [first, flow.send({ payload: '/media/videos/b' })];
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));

    assert.deepEqual(scans(), [
      { paths: ['/media/videos/a'] },
      { paths: ['/media/videos/b'], scanGeneratePhashes: true },
    ]);
  });

  it('shows under the node what has become of the job of messages that have left', async () => {
    const flow = await start();
    await Promise.all([
      flow.ask({ payload: '/media/videos/a.mp4' }),
      flow.ask({ payload: '/media/videos/b.mp4' }),
    ]);
    // On a busy machine, the job is not so brief.
    await flow.until(() => /\.job\.(done|finished)$/.test(flow.statuses.at(-1)?.text ?? ''));
  });

  it('lets all messages wait for the end of the one job, with progress for the first', async () => {
    stash().jobs.hold();
    const flow = await start({ reply: 'finished', listNew: '5', outputs: 2 });
    const one = flow.send({ payload: '/media/videos' });
    const other = flow.send({ payload: '/media/pictures' });
    await flow.until(() => flow.progressOf(one).length > 0);
    stash().jobs.release();
    await flow.until(() => flow.hasEnded(one) && flow.hasEnded(other));

    const first = flow.endOf(one).msg.payload as JobRecord;
    const second = flow.endOf(other).msg.payload;
    assert.equal(first.status, 'FINISHED');
    assert.ok('new' in first);
    assert.deepEqual(first, second);
    assert.notEqual(first, second, 'a flow may change one of them');
    assert.deepEqual(flow.progressOf(other), []);
  });

  it('waits for each further message, but not longer than the first may wait', async () => {
    const flow = await start({ collect: '60', collectAtMost: String(QUIET) });
    const messages = await burst(flow, ['/media/videos/a', '/media/videos/b']);
    assert.deepEqual(messages[0]?.stash?.['collected'], {
      messages: 2,
      paths: ['/media/videos/a', '/media/videos/b'],
    });
  });

  it('starts another scan for what comes later', async () => {
    const flow = await start();
    await burst(flow, ['/media/videos/a']);
    await burst(flow, ['/media/videos/a', '/media/videos/b']);
    assert.deepEqual(scans(), [
      { paths: ['/media/videos/a'] },
      { paths: ['/media/videos/a', '/media/videos/b'] },
    ]);
  });

  it('starts another scan for a path that comes while the first scan is being sent', async () => {
    const flow = await start();
    const first = flow.send({ payload: '/media/videos/a' });
    stash().answerWith(answerLate(1000 * QUIET), { field: 'metadataScan', times: 1 });
    await flow.until(() => scans().length === 1);
    flow.send({ payload: '/media/videos/a' });
    await flow.until(() => flow.hasEnded(first) && scans().length === 2);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/a'] }, { paths: ['/media/videos/a'] }]);
    await flow.until(() => flow.sent.length === 2);
  });

  it('scans the folder for more than 50 files of it', async () => {
    const flow = await start();
    const files = Array.from({ length: 51 }, (_, index) => `/media/videos/new/${index}.mp4`);
    const messages = await burst(flow, files);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/new'] }]);
    assert.deepEqual(messages[50]?.stash?.['collected'], { messages: 51, paths: ['/media/videos/new'] });
  });

  it('collects messages for the whole library, too', async () => {
    const flow = await start({ pathsType: 'library' });
    const messages = await burst(flow, [1, 2]);
    assert.deepEqual(scans(), [{}]);
    assert.deepEqual(messages[1]?.stash?.['collected'], { messages: 2, paths: null });
    assert.equal(count('configuration'), 0);
  });

  it('scans what has changed since the earliest of their times', async () => {
    const flow = await start({ minModTime: 'since', minModTimeType: 'msg' });
    const ids = [
      flow.send({ payload: '/media/videos/a', since: '2026-07-31T12:00Z' }),
      flow.send({ payload: '/media/videos/b', since: '2026-07-30T12:00Z' }),
      flow.send({ payload: '/media/videos/c', since: Date.UTC(2026, 7, 1) }),
    ];
    const wrong = await flow.ask({ payload: '/media/videos/d', since: '' });
    assert.equal(wrong.msg.error?.code, 'BAD_INPUT');
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));
    assert.deepEqual(scans(), [
      {
        paths: ['/media/videos/a', '/media/videos/b', '/media/videos/c'],
        filter: { minModTime: '2026-07-30T12:00:00.000Z' },
      },
    ]);
  });

  it('scans with one time for messages that count it back from now', async () => {
    const flow = await start({ pathsType: 'library', minModTime: '24h', minModTimeType: 'str' });
    const before = Date.now();
    await burst(flow, [1, 2]);
    const [scan, ...others] = scans() as { filter: { minModTime: string } }[];
    const since = Date.parse(scan?.filter.minModTime ?? '') + 86_400_000;
    assert.ok(since >= before && since <= Date.now(), String(since - before));
    assert.deepEqual(others, []);
  });

  it('translates the paths first', async () => {
    const flow = await start({}, { pathMap: [{ here: '/downloads', there: '/media/videos' }] });
    await burst(flow, ['/downloads/a', '/media/videos/a']);
    assert.deepEqual(scans(), [{ paths: ['/media/videos/a'] }]);
  });

  it('ends a message with a path outside the library alone and at once', async () => {
    const flow = await start({ collect: '60', collectAtMost: '60' });
    const kept = flow.send({ payload: '/media/videos/a' });
    const { msg } = await flow.ask({ payload: ['/media/videos/b', '/other'] });
    assert.equal(msg.error?.code, 'PATH_NOT_IN_LIBRARY');
    assert.equal(flow.hasEnded(kept), false);
    assert.deepEqual(scans(), []);
    const invalid = await flow.ask({ payload: '' });
    assert.equal(invalid.msg.error?.code, 'BAD_INPUT');
  });

  it('accepts a folder that was added to the library a moment ago', async () => {
    const flow = await start();
    const { msg } = await flow.ask({ payload: '/new/a' });
    assert.equal(msg.error?.code, 'PATH_NOT_IN_LIBRARY');
    stash().answerWith(
      json({
        data: { configuration: { general: { stashes: [{ path: '/new' }, { path: '/media/videos' }] } } },
      }),
      { field: 'configuration' },
    );
    assert.equal((await flow.ask({ payload: '/new/a' })).msg.error, undefined);
    assert.deepEqual(scans(), [{ paths: ['/new/a'] }]);
  });

  it('ends a message alone, and ignores its time, whose path could not be checked when it came', async () => {
    const flow = await start({ minModTime: 'since', minModTimeType: 'msg' });
    stash().answerWith(cut, { field: 'configuration', times: 2 });
    const outside = flow.send({ payload: '/other', since: '2020-01-01' });
    const kept = flow.send({ payload: '/media/videos/a', since: '2026-07-31T12:00Z' });
    await flow.until(() => flow.hasEnded(outside) && flow.hasEnded(kept));
    assert.equal(flow.endOf(outside).msg.error?.code, 'PATH_NOT_IN_LIBRARY');
    assert.deepEqual(flow.endOf(kept).msg.stash?.['collected'], { messages: 1, paths: ['/media/videos/a'] });
    assert.deepEqual(scans(), [
      { paths: ['/media/videos/a'], filter: { minModTime: '2026-07-31T12:00:00.000Z' } },
    ]);
  });

  it('holds messages while the server is unreachable, and scans when it is back', async () => {
    const flow = await start();
    // For each message when it comes, and then twice for all.
    stash().answerWith(cut, { field: 'configuration', times: 4 });
    const messages = await burst(flow, ['/media/videos/a', '/media/videos/b']);
    assert.deepEqual(
      messages.map(({ error }) => error),
      [undefined, undefined],
    );
    assert.deepEqual(scans(), [{ paths: ['/media/videos/a', '/media/videos/b'] }]);
  });

  it('ends each message with the error of the scan', async () => {
    const flow = await start({ reply: 'finished' });
    stash().answerWith(json({ errors: [{ message: 'no' }], data: null }), { field: 'metadataScan' });
    for (const { error, stash } of await burst(flow, ['/media/videos/a', '/media/videos/b'])) {
      assert.equal(error?.code, 'GRAPHQL');
      assert.equal(stash?.operation, 'metadataScan');
    }
  });

  it('ends each of 200 messages with UNAUTHORIZED for a wrong key, with few requests', async () => {
    const locked = await FakeStash.start({ apiKey: 'right', release: 'v0.30.1' });
    const flow = await Flow.start({
      type: 'stash-scan',
      properties: { paths: 'payload', pathsType: 'msg', collect: String(QUIET) },
      server: { url: locked.url, auth: 'apiKey' },
      credentials: { apiKey: 'wrong' },
    });
    const paths = Array.from({ length: 200 }, (_, index) => `/media/videos/${index}`);
    const messages = await burst(flow, paths);
    const { length: asked } = locked.requests;
    await locked.stop();

    for (const { error } of messages) assert.equal(error?.code, 'UNAUTHORIZED');
    assert.ok(asked <= 4, `${asked} requests`);
  });

  it('ends each message with the job that was cancelled', async () => {
    stash().jobs.seconds = 3;
    const flow = await start({ reply: 'finished' });
    const ids = ['/media/videos', '/media/pictures'].map((payload) => flow.send({ payload }));
    await flow.until(() => ids.some((id) => flow.progressOf(id).length > 0));
    await stopAll();
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));
    for (const { error, stash } of ids.map((id) => flow.endOf(id).msg)) {
      assert.equal(error?.code, 'JOB_CANCELLED');
      assert.equal(stash?.job?.id, '1');
    }
  });

  it('starts no second scan after a lost response, and ends all messages alike', async () => {
    const flow = await start();
    stash().answerWith(loseAnswer, { field: 'metadataScan', times: 1 });
    const messages = await burst(flow, ['/media/videos/a', '/media/videos/b']);
    assert.equal(scans().length, 1);
    const [first, second] = messages.map(({ payload, error }) => error?.code ?? (payload as JobRecord).id);
    assert.equal(first, second);
  });

  it('drops all messages at a reset, and begins anew', async () => {
    const flow = await start({ collect: '60', collectAtMost: '0' });
    const ids = ['/media/videos/a', '/media/videos/b'].map((payload) => flow.send({ payload }));
    await flow.until(() => flow.statuses.some(({ text }) => text?.startsWith(shared('queue.held'))));
    const reset = flow.send({ reset: true });
    await flow.until(() => [...ids, reset].every((id) => flow.isDropped(id)));
    assert.deepEqual(scans(), []);
    const next = flow.send({ payload: '/media/videos/c' });
    await flow.until(() => count('configuration') > 0);
    assert.equal(flow.hasEnded(next), false);
  });

  it('refuses more messages than it may hold', async () => {
    helper.settings({ nodeMessageBufferMaxLength: 2 });
    const flow = await start({ collect: '60' });
    const ids = ['/media/videos/a', '/media/videos/b'].map((payload) => flow.send({ payload }));
    const { msg } = await flow.ask({ payload: '/media/videos/c' });
    assert.equal(msg.error?.code, 'QUEUE_FULL');
    assert.equal(msg.stash?.error?.retry, true);
    assert.ok(ids.every((id) => !flow.hasEnded(id)));
  });
});
