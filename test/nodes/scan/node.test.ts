import assert from 'node:assert/strict';
import { scanOptions } from '../../../src/operations/scan/scan';
import type { JobProgress, JobRecord } from '../../../src/records';
import { json } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import type { Release } from '../../fake-stash/releases';
import { cut } from '../../fake-stash/faults';
import { otherTask } from '../../fake-stash/tasks';
import { collectGarbage } from '../../support/garbage';
import { askTwice, Flow, type Message, shared, stopAll, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten, TEMPO } from '../../support/tempo';

describe('stash-scan', () => {
  hasten();
  // Jobs take long enough to be still running when a test reads them, however busy the machine is.
  const stash = useFakeStash({ tempo: TEMPO, jobSeconds: 60 });
  const start = (properties: object) =>
    Flow.start({ type: 'stash-scan', properties, server: { url: stash().url } });

  it('starts a scan and returns its job', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    const { output, msg } = await flow.ask({ payload: 'anything', topic: 'kept' });

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { id: '1', status: 'STARTED' });
    assert.equal(msg['topic'], 'kept');
    assert.deepEqual(msg.stash, {
      server: { name: 'nas', url: stash().url },
      operation: 'metadataScan',
      summary: shared('summary.job.started'),
    });
    assert.equal(stash().jobs.find('1')?.status, 'RUNNING');
  });

  it('reports that the scan is queued behind another job', async () => {
    stash().jobs.add(otherTask('Generating...', 'one'));
    const flow = await start({});
    const { msg } = await flow.ask();

    assert.deepEqual(msg.payload, { id: '2', status: 'STARTED' });
    assert.equal(msg.stash?.summary, shared('summary.job.queued'));
    await flow.until(() => flow.statuses.at(-1)?.text === shared('queue.queued'));
  });

  it('shows under the node what has become of a job after its message has left', async () => {
    stash().jobs.seconds = 0.2;
    stash().jobs.failure = 'disk full';
    const flow = await start({});
    const { msg } = await flow.ask();

    assert.deepEqual(msg.payload, { id: '1', status: 'STARTED' });
    await flow.until(() => flow.statuses.at(-1)?.text === shared('status.job.failed'));
    assert.equal(flow.sent.length, 1);
    assert.deepEqual(flow.ownErrors, []);
  });

  it('goes on to show the job of a message that has left once the server is back', async () => {
    const flow = await start({});
    await flow.ask();
    await flow.until(() => flow.statuses.at(-1)?.text === shared('progress.percent'));
    stash().answerWith(cut);
    stash().sockets.cut();
    await flow.until(() => flow.statuses.at(-1)?.text === shared('errors.UNREACHABLE.label'));
    stash().answerNormally();
    await flow.until(() => flow.statuses.at(-1)?.text === shared('progress.percent'));
    stash().jobs.stop('1');
    await flow.until(() => flow.statuses.at(-1)?.text === shared('status.job.cancelled'));
  });

  it('shows only that a job has started once the server no longer tells what becomes of it', async () => {
    const flow = await start({});
    await flow.ask();
    await flow.until(() => flow.statuses.at(-1)?.text === shared('progress.percent'));
    stash().apiKey = 'new';
    stash().sockets.cut();
    await flow.until(() => flow.statuses.at(-1)?.text === shared('status.job.started'));
  });

  it('keeps no message that has left, however long its job takes', async () => {
    const flow = await Flow.start({
      ...{ type: 'stash-scan', server: { url: stash().url } },
      ...{ wires: [], withoutComplete: true, withoutCatch: true },
    });
    let sent: WeakRef<object> | undefined;
    flow.deliver((id) => {
      const msg = { _msgid: id };
      sent = new WeakRef(msg);
      return msg;
    });
    await flow.until(() => flow.statuses.at(-1)?.text === shared('progress.percent'));
    // The helper keeps the arguments of all calls.
    (helper as unknown as { _sandbox: { resetHistory(): void } })._sandbox.resetHistory();
    await collectGarbage();
    assert.equal(sent?.deref(), undefined);
    assert.equal(stash().jobs.find('1')?.status, 'RUNNING');
  });

  it('reports that the scan was accepted if its place in the queue is unknown', async () => {
    const flow = await start({});
    const { msg } = await askTwice(flow);

    assert.deepEqual(msg.payload, { id: '2', status: 'STARTED' });
    assert.equal(msg.stash?.summary, shared('summary.job.accepted'));
  });

  describe('with options', () => {
    const newest = useFakeStash({ tempo: TEMPO, release: 'v0.31.0' });
    for (const option of scanOptions) {
      it(`sends ${option} when it is ticked, and nothing for the others`, async () => {
        const server = { url: newest().url };
        const flow = await Flow.start({ type: 'stash-scan', properties: { [option]: true }, server });
        const { output } = await flow.ask();

        assert.equal(output, 1);
        assert.deepEqual(scansOf(newest()), [{ [option]: true }]);
      });
    }
  });

  describe('of what has changed since a time', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.2 * TEMPO });
    const start = (properties: object) =>
      Flow.start({ type: 'stash-scan', properties, server: { url: stash().url } });
    const since = { minModTime: 'since', minModTimeType: 'msg' };

    for (const [what, value] of [
      ['a timestamp', 1_785_513_600_000],
      ['a text with an offset', '2026-07-31T18:00+02:00'],
    ] as const) {
      it(`sends the time of ${what} in the one form that every release accepts`, async () => {
        const flow = await start(since);
        const { output, msg } = await flow.ask({ since: value });

        assert.equal(output, 1, msg.error?.message);
        assert.deepEqual(scansOf(stash()), [{ filter: { minModTime: '2026-07-31T16:00:00.000Z' } }]);
      });
    }

    it('adds only changed files, and says so if there are none', async () => {
      stash().arrive({ path: '/media/videos/old.mp4', modified: '2020-01-01T00:00:00Z' });
      const flow = await start({ ...since, reply: 'finished', listNew: '5' });
      const nothing = await flow.ask({ since: '2026-07-31' });

      assert.equal((nothing.msg.payload as JobRecord).status, 'FINISHED');
      assert.equal(nothing.msg.stash?.summary, 'summary.nothingChanged');
      await flow.until(() => flow.statuses.at(-1)?.text === 'status.nothingChanged');
      assert.equal(flow.statuses.at(-1)?.fill, 'green');

      stash().arrive({ path: '/media/videos/new.mp4', modified: '2026-08-01T00:00:00Z' });
      const { msg } = await flow.ask({ since: '2026-07-31' });
      const { scenes } = (msg.payload as { new: { scenes: { first: { path: string }[] } } }).new;
      assert.deepEqual(
        scenes.first.map(({ path }) => path),
        ['/media/videos/new.mp4'],
      );
      assert.equal(msg.stash?.summary, shared('summary.job.finished'));
    });

    it('reports a folder that is missing on the server’s disk all the same', async () => {
      const flow = await start({
        ...since,
        reply: 'finished',
        paths: '/media/videos/none',
        pathsType: 'str',
      });
      const { msg } = await flow.ask({ since: '2026-07-31' });

      assert.equal(msg.stash?.summary, 'summary.noFiles');
    });
  });

  describe('with folders', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1' });
    const start = (properties: object) =>
      Flow.start({ type: 'stash-scan', properties, server: { url: stash().url } });
    const scans = () =>
      stash()
        .requests.filter(({ operation }) => operation === 'metadataScan')
        .map(({ body }) => body?.variables?.['input']);

    for (const [what, properties, payload, paths] of [
      [
        'a text in the message',
        { paths: 'payload', pathsType: 'msg' },
        '/media/videos/new',
        ['/media/videos/new'],
      ],
      [
        'a list in the message',
        { paths: 'payload', pathsType: 'msg' },
        ['/media/videos/a', '/media/pictures/b.mp4'],
        ['/media/videos/a', '/media/pictures/b.mp4'],
      ],
      ['a text in the dialog', { paths: '/media/pictures', pathsType: 'str' }, 1, ['/media/pictures']],
      [
        'a JSON list in the dialog',
        { paths: '["/media/videos", "/media/pictures"]', pathsType: 'json' },
        1,
        ['/media/videos', '/media/pictures'],
      ],
      [
        'a JSONata expression',
        { paths: '"/media/videos/" & payload', pathsType: 'jsonata' },
        'new',
        ['/media/videos/new'],
      ],
    ] as const) {
      it(`scans the folders of ${what}`, async () => {
        const flow = await start(properties);
        const { output, msg } = await flow.ask({ payload });

        assert.equal(output, 1, msg.error?.message);
        assert.equal(msg.stash?.summary, shared('summary.job.started'));
        assert.deepEqual(scans(), [{ paths }]);
      });
    }

    for (const payload of [undefined, null, '', '  ', [], ['/media/videos', ' ']]) {
      it(`reports BAD_INPUT for empty folders, and never scans everything: ${JSON.stringify(payload)}`, async () => {
        const flow = await start({ paths: 'payload', pathsType: 'msg' });
        const { msg } = await flow.ask({ payload });

        assert.equal(msg.error?.code, 'BAD_INPUT');
        assert.deepEqual(stash().requests, []);
      });
    }

    for (const payload of [12, { path: '/media/videos' }, ['/media/videos', 12], new Array(1)]) {
      it(`reports BAD_INPUT for folders that are not text: ${JSON.stringify(payload)}`, async () => {
        const flow = await start({ paths: 'payload', pathsType: 'msg' });

        assert.equal((await flow.ask({ payload })).msg.error?.code, 'BAD_INPUT');
        assert.deepEqual(stash().requests, []);
      });
    }

    describe('that is a file', () => {
      let server: FakeStash;
      const file = '/media/videos/My_Series (1)/Pilot.mp4';
      const startAt = async (release: Release) => {
        server = await FakeStash.start({ release, jobSeconds: 0 });
        server.arrive({ path: file });
        return await Flow.start({
          type: 'stash-scan',
          properties: { paths: 'payload', pathsType: 'msg', reply: 'finished' },
          server: { url: server.url },
        });
      };
      afterEach(async () => {
        await server.stop();
      });

      for (const release of ['v0.17.2', 'v0.30.1'] as const) {
        it(`scans its folder instead if ${release} does not know that`, async () => {
          const flow = await startAt(release);
          server.arrive({ path: '/media/videos/My-Series (1)/Pilot.mp4' });
          const scanned = async (payload: string) => {
            const { msg } = await flow.ask({ payload });
            assert.deepEqual((msg.payload as JobRecord).problems, []);
            return scansOf(server).at(-1);
          };
          // The server takes the underscore for a wildcard.
          await scanned('/media/videos/My-Series (1)');
          assert.deepEqual(await scanned(file), { paths: ['/media/videos/My_Series (1)'] });
          assert.deepEqual(await scanned(file), { paths: [file] }, 'it knows the folder now');
        });
      }

      it('scans it on a server that needs no folder for it', async () => {
        const flow = await startAt('v0.11.0');
        await flow.ask({ payload: file });
        assert.deepEqual(scansOf(server), [{ paths: [file] }]);
      });

      it('scans it if the server does not tell which folders it knows', async () => {
        const flow = await startAt('v0.30.1');
        server.answerWith(json({ errors: [{ message: 'no such folder' }] }), { field: 'findFolders' });
        const { msg } = await flow.ask({ payload: file });
        assert.equal(msg.error, undefined);
        assert.deepEqual(scansOf(server), [{ paths: [file] }]);
      });
    });

    describe('and a path map', () => {
      const mapped = (pathMap: unknown) =>
        Flow.start({
          type: 'stash-scan',
          properties: { paths: 'payload', pathsType: 'msg' },
          server: { url: stash().url, pathMap },
        });

      it('scans the folder as the server sees it', async () => {
        process.env['STASH_TEST_HERE'] = '/downloads';
        const flow = await mapped([{ here: '${STASH_TEST_HERE}', there: '/media/videos' }]);
        const { msg } = await flow.ask({ payload: '/downloads/new' });
        delete process.env['STASH_TEST_HERE'];

        assert.deepEqual(scans(), [{ paths: ['/media/videos/new'] }]);
        assert.equal(msg.stash?.summary, shared('summary.job.started'));
      });

      for (const wrong of [{ here: '/downloads' }, [{ here: '/downloads', there: '' }], ['/a'], 'x', 7]) {
        it(`reports NO_SERVER if it is ${JSON.stringify(wrong)}`, async () => {
          const flow = await mapped(wrong);
          const { msg } = await flow.ask({ payload: '/media/videos' });

          assert.equal(msg.error?.code, 'NO_SERVER');
          assert.deepEqual(scans(), []);
        });
      }

      it('that is null changes no path', async () => {
        const flow = await mapped(null);
        const { msg } = await flow.ask({ payload: '/media/videos' });

        assert.equal(msg.error?.code, undefined);
        assert.deepEqual(scans(), [{ paths: ['/media/videos'] }]);
      });
    });
  });

  describe('that awaits its job', () => {
    // Longer than a tenth of a second, because a summary omits shorter durations.
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.2 * TEMPO });
    const waiting = (properties: object = {}) =>
      Flow.start({
        type: 'stash-scan',
        properties: { reply: 'finished', ...properties },
        server: { url: stash().url },
      });
    const record = (msg: Message) => msg.payload as JobRecord & { new?: unknown };

    it('returns the record of the job', async () => {
      const flow = await waiting({ listNew: '0' });
      const { output, msg } = await flow.ask({ topic: 'kept' });

      assert.equal(output, 1);
      assert.equal(msg['topic'], 'kept');
      const { added, start, end, seconds, ...job } = record(msg);
      assert.deepEqual(job, {
        id: '1',
        status: 'FINISHED',
        description: 'Scanning...',
        error: null,
        problems: [],
        problemCount: 0,
        problemsBy: 'time',
      });
      const { addTime, startTime, endTime } = stash().jobs.find('1') ?? {};
      assert.deepEqual([added, start, end], [addTime, startTime, endTime]);
      assert.ok(seconds !== null && seconds > 0.1 && seconds < 20, String(seconds));
      assert.equal(msg.stash?.operation, 'metadataScan');
      assert.equal(msg.stash.summary, shared('summary.job.finished'));
      await flow.until(() => flow.statuses.at(-1)?.text === shared('status.job.finished'));
    });

    for (const [what, paths, summary] of [
      ['a folder that is missing on the server’s disk', '/media/videos/no such folder', 'summary.noFiles'],
      ['a folder with a file', '/media/videos/Lanterna', shared('summary.job.finished')],
    ] as const) {
      it(`reports whether it found files: ${what}`, async () => {
        const flow = await waiting({ paths, pathsType: 'str' });
        const { output, msg } = await flow.ask();

        assert.equal(output, 1);
        assert.equal(record(msg).status, 'FINISHED');
        assert.equal(msg.stash?.summary, summary);
        const found = summary === shared('summary.job.finished');
        const fill = found ? 'green' : 'yellow';
        await flow.until(() => flow.statuses.at(-1)?.fill === fill);
        if (!found) assert.match(record(msg).problems?.[0]?.text ?? '', /no such file or directory/);
      });
    }

    it('lists unreadable files as problems', async () => {
      const broken = '/media/videos/Broken.mp4';
      stash().broken = [broken];
      const { msg } = await (await waiting()).ask();

      const { status, problems, problemCount } = record(msg);
      assert.equal(status, 'FINISHED');
      assert.equal(problemCount, 1);
      assert.equal(problems?.[0]?.level, 'error');
      assert.match(problems[0].text, /error processing "\/media\/videos\/Broken\.mp4"/);
    });

    it('sends progress to the second output, and the result last', async () => {
      stash().jobs.seconds = 3;
      const flow = await waiting();
      const id = flow.send({ topic: 'kept', payload: 'a button' });
      await flow.until(() => flow.hasEnded(id));

      const updates = flow.progressOf(id);
      assert.ok(updates.length >= 1 && updates.length <= 6, `${updates.length} messages in three seconds`);
      for (const { payload, topic, stash: about } of updates) {
        assert.deepEqual(Object.keys(payload as object), ['percent', 'task', 'secondsLeft', 'stalled']);
        assert.equal(topic, 'kept');
        assert.equal(about?.job?.id, '1');
      }
      assert.equal(flow.sent.at(-1), flow.endOf(id).msg);
      assert.equal(record(flow.endOf(id).msg).status, 'FINISHED');
    });

    it('does not copy the message for progress that no node receives', async () => {
      stash().jobs.hold();
      const flow = await Flow.start({
        ...{ type: 'stash-scan', properties: { reply: 'finished' }, server: { url: stash().url } },
        ...{ withoutProgress: true, withoutComplete: true },
      });
      let reads = 0;
      const id = flow.deliver((_msgid) => ({
        _msgid,
        get large() {
          return ++reads;
        },
      }));
      const isShown = () => flow.statuses.at(-1)?.text === shared('progress.percent');
      await flow.until(isShown);
      assert.equal(reads, 0);
      stash().jobs.release();
      await flow.until(() => flow.sent.length > 0);
      assert.equal((flow.sent[0]?.payload as JobRecord).status, 'FINISHED');
      assert.equal(flow.progressOf(id).length, 0);
    });

    describe('under the node', () => {
      const texts = (flow: Flow) => flow.statuses.map(({ text }) => text?.replace(/^.*:/, ''));

      for (const seconds of [0.6, 2.5]) {
        it(`shows "busy" once, and the result at the end of a job of ${seconds} s`, async () => {
          stash().jobs.seconds = seconds;
          const flow = await waiting();
          await flow.ask();
          await flow.until(() => texts(flow).includes('status.job.finished'));

          const all = texts(flow).slice(texts(flow).indexOf('status.busy'));
          // On a busy machine the same text may be set twice, which nobody sees.
          const shown = all.filter((text, index) => text !== all[index - 1]);
          assert.equal(shown.lastIndexOf('status.busy'), 0, shown.join());
          assert.equal(shown.at(-1), 'status.job.finished');
        });
      }

      it('shows "queued" while another job runs', async () => {
        stash().jobs.seconds = 2.5;
        stash().jobs.hold();
        stash().jobs.add(otherTask('Generating...', 'one'));
        const flow = await waiting();
        const id = flow.send();
        await flow.until(() => texts(flow).includes('queue.queued'));
        stash().jobs.release();
        await flow.until(() => stash().jobs.find('2')?.status === 'RUNNING');
        const shown = texts(flow).slice(texts(flow).indexOf('queue.queued'));
        assert.deepEqual([...new Set(shown)], ['queue.queued']);
        await flow.until(() => flow.hasEnded(id));
        const queued = texts(flow).indexOf('queue.queued');
        assert.ok(!texts(flow).slice(queued).includes('status.busy'), texts(flow).join());
      });

      it('shows "stopping" and sends it to the second output', async () => {
        stash().jobs.seconds = 60;
        const flow = await waiting();
        const id = flow.send();
        await flow.until(() => flow.progressOf(id).length > 0);
        await stopAll();
        await flow.until(() => texts(flow).at(-1) === 'progress.stopping');

        const update = flow.progressOf(id).at(-1);
        assert.equal((update?.payload as JobProgress).secondsLeft, null);
        assert.deepEqual(Object.keys(update?.payload as object), [
          ...['percent', 'task', 'secondsLeft', 'stalled'],
        ]);
        assert.match(update?.stash?.summary ?? '', /progress\.stopping$/);
        assert.equal(update?.stash?.job?.status, 'STOPPING');
      });

      it('shows that the server is unreachable, whatever the result of another message is', async () => {
        stash().jobs.seconds = 60;
        const flow = await waiting();
        const id = flow.send();
        await flow.until(() => flow.progressOf(id).length > 0);
        await stash().stop();
        await flow.until(() => flow.statuses.at(-1)?.fill === 'red');
        const since = flow.statuses.length;
        const updates = flow.progressOf(id).length;
        const another = flow.send();
        await flow.until(() => flow.hasEnded(another));
        // The status under a node changes at most once a second.
        const soon = performance.now() + 1_500 / TEMPO;
        await flow.until(() => performance.now() > soon);

        assert.deepEqual(
          flow.statuses.slice(since).filter(({ fill }) => fill !== 'red'),
          [],
        );
        assert.equal(flow.progressOf(id).length, updates);
      });
    });

    it('raises an error with the job record if the job has failed', async () => {
      const flow = await waiting();
      stash().jobs.failure = 'disk full';
      const { msg } = await flow.ask({ payload: 'as it came' });

      assert.equal(msg.payload, 'as it came');
      assert.equal(msg.error?.code, 'JOB_FAILED');
      assert.ok(msg.error.message.includes('JOB_FAILED.failed'));
      assert.equal(msg.stash?.job?.id, '1');
      assert.equal(msg.stash.job.status, 'FAILED');
      assert.equal(msg.stash.error?.retry, false);
    });

    it('sends the job record of a job that has failed if the dialog says so', async () => {
      const flow = await waiting({ sendFailed: true });
      stash().jobs.failure = 'disk full';
      const { output, msg } = await flow.ask();

      assert.equal(output, 1);
      assert.equal(record(msg).status, 'FAILED');
      assert.equal(msg.stash?.summary, shared('summary.job.failed'));
    });

    it('waits for its job as the node was when it came, whatever a deploy changes', async () => {
      stash().jobs.hold();
      const flow = await waiting();
      const id = flow.send();
      await flow.until(() => stash().jobs.queue?.length === 1);
      await flow.redeploy({
        type: 'stash-scan',
        properties: { reply: 'started', waitLimit: '0.00001' },
        server: { url: stash().url },
      });
      const next = flow.send();
      await flow.until(() => flow.hasEnded(next));
      assert.equal(flow.hasEnded(id), false);
      stash().jobs.release();
      await flow.until(() => flow.hasEnded(id));

      const statuses = [id, next].map((one) => record(flow.endOf(one).msg).status);
      assert.deepEqual(statuses, ['FINISHED', 'STARTED']);
    });

    describe('and lists new items', () => {
      it('returns the first of each kind', async () => {
        stash().arrive({ path: '/media/videos/New/One.mp4', title: 'The First' });
        stash().arrive({ path: '/media/videos/New/Two.mp4' });
        stash().arrive({ path: '/media/videos/New/Three.jpg' });
        const { msg } = await (await waiting({ listNew: '1' })).ask();

        assert.deepEqual(record(msg).new, {
          scenes: {
            count: 2,
            first: [{ id: '7', kind: 'scene', title: 'Two.mp4', path: '/media/videos/New/Two.mp4' }],
            ids: ['7', '6'],
          },
          images: {
            count: 1,
            first: [{ id: '2', kind: 'image', title: 'Three.jpg', path: '/media/videos/New/Three.jpg' }],
            ids: ['2'],
          },
          galleries: { count: 0, first: [], ids: [] },
        });
        assert.equal(msg.stash?.missing, undefined);
      });

      it('excludes items of other scans in the same second', async () => {
        stash().jobs.seconds = 0.01;
        const folders = ['a', 'b', 'c'].map((name) => `/media/videos/burst/${name}`);
        for (const folder of folders) stash().arrive({ path: `${folder}/new.mp4` });
        const flow = await waiting({ listNew: '5', paths: 'payload', pathsType: 'msg' });
        const ids = folders.map((payload) => flow.send({ payload }));
        await flow.until(() => ids.every((id) => flow.hasEnded(id)));

        for (const [index, id] of ids.entries()) {
          const { scenes } = record(flow.endOf(id).msg).new as {
            scenes: { count: number; first: { path: string }[] };
          };
          assert.deepEqual(
            [scenes.count, scenes.first.map(({ path }) => path)],
            [1, [`${folders[index]}/new.mp4`]],
          );
        }
      });

      it('sends no request for them with 0', async () => {
        const { msg } = await (await waiting({ listNew: 0 })).ask();

        assert.ok(!('new' in record(msg)));
        assert.ok(!stash().requests.some(({ operation }) => operation === 'findScenes'));
      });

      it('returns null if the request for them fails, and still the result of the job', async () => {
        stash().answerWith(json({ errors: [{ message: 'database is locked' }] }), { field: 'findImages' });
        const { output, msg } = await (await waiting({ listNew: 5 })).ask();

        assert.equal(output, 1);
        assert.equal(record(msg).status, 'FINISHED');
        assert.equal(record(msg).new, null);
      });
    });
  });

  describe('that awaits its job, on a release that may not report progress', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.11.0', jobSeconds: 0.2 });

    it('does not claim that there were no files', async () => {
      const properties = { reply: 'finished', paths: '/media/videos/no such folder', pathsType: 'str' };
      const flow = await Flow.start({ type: 'stash-scan', properties, server: { url: stash().url } });
      const { msg } = await flow.ask();

      assert.equal((msg.payload as JobRecord).status, 'FINISHED');
      assert.equal(msg.stash?.summary, shared('summary.job.finished'));
    });
  });
});

/** Returns the input of each metadataScan request. */
function scansOf({ requests }: FakeStash): unknown[] {
  return requests
    .filter(({ operation }) => operation === 'metadataScan')
    .map(({ body }) => body?.variables?.['input']);
}
