import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFlushed } from '../../support/followed';
import { askedWords, Flow, type Message, stopAll, useFakeStash, shared } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten, TEMPO } from '../../support/tempo';
import { until } from '../../support/waiting';
import { FakeStash } from '../../fake-stash/fake-stash';
import { otherTask } from '../../fake-stash/tasks';
import type { Release } from '../../fake-stash/releases';
import type { JobProgress, JobRecord, ReachEvent } from '../../../src/records';

describe('stash-jobs', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 1 });

  /** Resolves when the node has subscribed to job events, and a line of log was written. */
  async function start(properties: object = {}): Promise<Flow> {
    const flow = await Flow.start({ type: 'stash-jobs', properties, server: { url: stash().url } });
    const { sockets, requests } = stash();
    await flow.until(() => sockets.subscribed.includes('jobsSubscribe') && isFlushed(requests));
    return flow;
  }

  const add = (name = 'Scanning...', ...steps: string[]) =>
    stash().jobs.add(otherTask(name, ...(steps.length > 0 ? steps : ['a step'])));
  const topics = (flow: Flow) => flow.sent.map(({ topic }) => topic);
  const record = (msg: Message | undefined) => msg?.payload as JobRecord;
  const hasEnded = (flow: Flow, count = 1) =>
    flow.until(() => flow.sent.filter(({ topic }) => topic === 'ended').length === count);

  it('reports start and end of any job, even one that another client starts', async () => {
    const flow = await start();
    add();
    await hasEnded(flow);

    assert.deepEqual(topics(flow), ['started', 'ended']);
    const [started, ended] = flow.sent;
    assert.deepEqual([record(started).id, record(started).status], ['1', 'RUNNING']);
    assert.equal(started?.stash?.summary, shared('summary.job.started'));
    assert.deepEqual([record(ended).id, record(ended).status], ['1', 'FINISHED']);
    assert.deepEqual(record(ended).problems, []);
    assert.deepEqual(ended?.stash, {
      server: { name: 'nas', url: stash().url },
      summary: shared('summary.job.finished'),
    });
  });

  for (const [run, dryRun, words] of [
    ['a clean', false, 'removed'],
    ['a dry run', true, 'wouldRemove'],
  ] as const) {
    it(`says what ${run} of another client has removed, or would have`, async () => {
      const flow = await start();
      stash().jobs.hold();
      add('Cleaning...');
      await flow.until(() => topics(flow).includes('started'));
      const { serverLog } = stash();
      if (dryRun) serverLog.write('Info', 'Running in Dry Mode');
      serverLog.write('Info', 'File not found. Marking to clean: "/media/a.mp4"');
      stash().jobs.release();
      await hasEnded(flow);

      assert.deepEqual(record(flow.sent.at(-1)).marked, { count: 1, dryRun, paths: ['/media/a.mp4'] });
      const { key, values } = askedWords.filter(({ key }) => key.includes('detail.job.')).at(0) ?? {};
      assert.deepEqual([key?.endsWith(`.${words}`), values?.['count']], [true, 1]);
    });
  }

  it('says that a pause has stopped a job, which goes on afterwards', async () => {
    const url = stash().url;
    const common = { server: 'server1', z: 'tab', x: 10, y: 20, wires: [] };
    const flow = await Flow.start({
      type: 'stash-jobs',
      server: { url },
      configs: [
        { ...common, id: 'gen', type: 'stash-generate', sprites: true },
        { ...common, id: 'pause', type: 'stash-pause', paused: 'payload', pausedType: 'msg' },
      ],
    });
    await flow.until(
      () => stash().sockets.subscribed.includes('jobsSubscribe') && isFlushed(stash().requests),
    );
    stash().jobs.hold();
    helper.getNode('gen').receive({});
    await flow.until(() => topics(flow).includes('started'));
    helper.getNode('pause').receive({ payload: true });
    await flow.until(() => stash().jobs.queue?.[0]?.status === 'STOPPING');
    stash().jobs.release();
    await hasEnded(flow);
    helper.getNode('pause').receive({ payload: false });
    await hasEnded(flow, 2);
    assert.deepEqual(
      flow.sent
        .filter(({ topic }) => topic === 'ended')
        .map((msg) => [record(msg).id, record(msg).status, msg.stash?.summary]),
      [
        ['1', 'CANCELLED', 'summary.interrupted'],
        ['2', 'FINISHED', shared('summary.job.finished')],
      ],
    );
  });

  it('reports the progress of a job if the dialog says so', async () => {
    const flow = await start({ progress: true });
    stash().jobs.seconds = 3;
    add('Generating...', 'sprites', 'previews', 'markers', 'the rest');
    await hasEnded(flow);

    const updates = flow.sent.filter(({ topic }) => topic === 'progress');
    assert.ok(updates.length >= 1 && updates.length <= 5, `${updates.length} in three seconds`);
    const { id, percent, stalled, task } = updates.at(-1)?.payload as JobRecord & JobProgress;
    assert.deepEqual([id, stalled], ['1', false]);
    assert.ok(percent !== null && percent > 0 && percent <= 100, String(percent));
    assert.ok(['sprites', 'previews', 'markers', 'the rest', null].includes(task), String(task));
    assert.equal(updates.at(-1)?.stash?.summary, 'summary.progress');
  });

  for (const [which, properties] of [
    ['started', { ended: false }],
    ['ended', { started: false }],
  ] as const) {
    it(`reports only what is ticked: ${which}`, async () => {
      const flow = await start(properties);
      stash().jobs.seconds = 0.1;
      add();
      add();
      await flow.until(() => flow.sent.length === 2);

      assert.deepEqual(topics(flow), [which, which]);
    });
  }

  for (const milliseconds of [0, 20, 200]) {
    it(`reports pending events at a deploy ${milliseconds} ms after the end of a job`, async () => {
      const flow = await start();
      // Log lines during the job delay the message about its end.
      const busy = setInterval(() => {
        stash().serverLog.write('Error', 'something');
      }, 100);
      add('Scanning...');
      add('Generating...');
      await flow.until(() => stash().jobs.find('1')?.status === 'FINISHED');
      clearInterval(busy);
      await sleep(milliseconds);
      const properties = { name: 'deployed anew' };
      await flow.redeploy({ type: 'stash-jobs', properties, server: { url: stash().url, timeout: '7' } });
      await hasEnded(flow, 2);

      assert.deepEqual(
        flow.sent.map((msg) => `${String(msg.topic)} ${String(record(msg).id)}`),
        ['started 1', 'ended 1', 'started 2', 'ended 2'],
      );
    });
  }

  it('reports what happens during a deploy of this node alone, although another node closes slowly', async () => {
    const flow = await start();
    stash().jobs.seconds = 0.1;
    helper.getNode('tested').on('close', (done: () => void) => {
      add();
      void until(() => stash().jobs.queue === null).then(done);
    });
    await flow.redeploy({
      ...{ type: 'stash-jobs', properties: { name: 'deployed anew' } },
      server: { url: stash().url },
    });
    await hasEnded(flow);

    assert.deepEqual(topics(flow), ['started', 'ended']);
  });

  it('does not report jobs that finished before it started', async () => {
    stash().jobs.seconds = 0.05;
    add();
    while (stash().jobs.queue !== null) await sleep(5);
    const flow = await start();
    add();
    await hasEnded(flow);

    assert.deepEqual([...new Set(flow.sent.map((msg) => record(msg).id))], ['2']);
  });

  it('reports a gap after a server restart', async () => {
    stash().jobs.seconds = 60;
    const flow = await start();
    add();
    await flow.until(() => flow.sent.length === 1);
    await stash().stop();
    const again = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', port: stash().port });
    try {
      await flow.until(() => topics(flow).includes('gap'));

      const lost = flow.sent.find(({ topic }) => topic === 'ended');
      assert.equal(record(lost).status, 'LOST');
      const gap = flow.sent.find(({ topic }) => topic === 'gap');
      const { reason, from, to } = gap?.payload as { reason: string; from: string; to: string };
      assert.equal(reason, 'restarted');
      assert.ok(Date.parse(from) <= Date.parse(to), `${from} to ${to}`);
      assert.equal(gap?.stash?.summary, 'summary.restarted');
      assert.equal(topics(flow).filter((topic) => topic === 'gap').length, 1);
    } finally {
      await again.stop();
    }
  });

  describe('with a server that comes and goes', () => {
    let stopAgain = () => Promise.resolve();
    afterEach(() => stopAgain());

    const restart = async (release: Release) => {
      const again = await FakeStash.start({ tempo: TEMPO, release, port: stash().port });
      stopAgain = () => again.stop();
      return again;
    };
    const reach = (flow: Flow) => flow.sent.filter(({ topic }) => topic === 'away' || topic === 'back');
    const payload = (msg: Message | undefined) => msg?.payload as Omit<ReachEvent, 'type'>;

    it('reports that it goes away and that it comes back, once each, if the dialog says so', async () => {
      const flow = await start({ started: false, ended: false, reach: true });
      const { url } = stash();
      const began = Date.now();
      await stash().stop();
      await flow.until(() => reach(flow).length === 1);
      await restart('v0.28.1');
      await flow.until(() => reach(flow).length === 2);

      assert.deepEqual(
        reach(flow).map(({ topic, stash: { summary } = {} }) => [topic, summary]),
        [
          ['away', 'summary.serverAway'],
          ['back', 'summary.serverBack'],
        ],
      );
      const [away, back] = reach(flow).map(payload);
      assert.deepEqual([away?.url, away?.release], [url, 'v0.30.1']);
      assert.deepEqual([back?.url, back?.release], [url, 'v0.28.1']);
      const [gone, returned] = [away, back].map((one) => Date.parse(one?.since ?? ''));
      assert.ok(gone !== undefined && returned !== undefined && began <= gone && gone <= returned);
    });

    it('reports no gap in the jobs if the dialog asks for none of their events', async () => {
      stash().jobs.seconds = 60;
      const flow = await start({ started: false, ended: false, reach: true });
      add();
      await flow.until(() => flow.statuses.at(-1)?.fill === 'blue');
      await stash().stop();
      await flow.until(() => reach(flow).length === 1);
      const { jobs } = await restart('v0.30.1');
      jobs.seconds = 60;
      // The gap would come before the status of this job.
      jobs.add(otherTask('Cleaning...', 'a step'));
      await flow.until(() => reach(flow).length === 2 && flow.statuses.at(-1)?.fill === 'blue');

      assert.deepEqual(topics(flow), ['away', 'back']);
    });

    it('reports that it is away and that it comes back if it was away from the start', async () => {
      const { url } = stash();
      await stash().stop();
      const flow = await Flow.start({ type: 'stash-jobs', properties: { reach: true }, server: { url } });
      await flow.until(() => flow.statuses.at(-1)?.fill === 'red');
      await restart('v0.30.1');
      await flow.until(() => reach(flow).some(({ topic }) => topic === 'back'));

      assert.deepEqual(
        reach(flow).map((msg) => [msg.topic, payload(msg).release]),
        [
          ['away', ''],
          ['back', 'v0.30.1'],
        ],
      );
    });
  });

  it('does not report that the server goes away unless the dialog says so', async () => {
    const flow = await start();
    await stash().stop();
    await flow.until(() => flow.statuses.at(-1)?.fill === 'red');

    assert.deepEqual(flow.sent, []);
  });

  it('gives each message its own job record', async () => {
    const flow = await start();
    add();
    await hasEnded(flow);
    const [started, ended] = flow.sent;

    assert.notEqual(started?.payload, ended?.payload);
    assert.ok(started?._msgid);
    assert.notEqual(started._msgid, ended?._msgid);
  });

  describe('under the node', () => {
    const shows = (flow: Flow, text: string) =>
      flow.until(() => flow.statuses.some((one) => one.text === text));

    it('shows a running job, and then the server', async () => {
      const flow = await start({ started: false });
      stash().jobs.seconds = 30;
      add();
      await shows(flow, 'status.progress');
      await stopAll();
      await hasEnded(flow);
      await flow.until(() => flow.statuses.at(-1)?.fill === 'green');
    });

    it('shows and reports a job that is being stopped', async () => {
      const flow = await start({ progress: true });
      stash().jobs.seconds = 60;
      add('Generating...', 'sprites');
      await flow.until(() => topics(flow).includes('progress'));
      await stopAll();
      await shows(flow, 'status.stopping');

      const last = flow.sent.at(-1);
      const { status, secondsLeft } = last?.payload as JobRecord & JobProgress;
      assert.deepEqual([last?.topic, status, secondsLeft], ['progress', 'STOPPING', null]);
      assert.equal(last?.stash?.summary, 'summary.stopping');
    });
  });

  describe('without any event to report', () => {
    it('shows that no server is chosen', async () => {
      const flow = await Flow.start({ type: 'stash-jobs', server: null });
      assert.equal(flow.firstStatus?.fill, 'red');
    });

    it('shows that no event is ticked, and sends no request', async () => {
      const flow = await Flow.start({
        type: 'stash-jobs',
        properties: { started: false, ended: false },
        server: { url: stash().url },
      });

      assert.equal(flow.firstStatus?.fill, 'red');
      assert.deepEqual(stash().requests, []);
    });

    for (const [how, server, credentials] of [
      ['API key', { auth: 'apiKey' }, { apiKey: 'wrong' }],
      ['password', { auth: 'session' }, { username: 'ann', password: 'wrong' }],
    ] as const) {
      it(`reports a rejected ${how} once, to a Catch node`, async () => {
        const locked = await FakeStash.start({ credentials: { username: 'ann', password: 'secret' } });
        const flow = await Flow.start({
          type: 'stash-jobs',
          server: { url: locked.url, ...server },
          credentials,
        });
        await flow.until(() => flow.statuses.length > 0);
        await sleep(5_000 / TEMPO);
        await locked.stop();

        assert.deepEqual(
          flow.ownErrors.map(({ error, stash }) => [error?.code, stash?.error?.code]),
          [['UNAUTHORIZED', 'UNAUTHORIZED']],
        );
        assert.equal(flow.statuses.at(-1)?.fill, 'red');
        assert.deepEqual(flow.sent, []);
        assert.equal(locked.requests.length, 1);
      });
    }
  });

  it('follows a server at once whose API key a deploy has corrected', async () => {
    stash().apiKey = 'right';
    const server = { url: stash().url, auth: 'apiKey' };
    const flow = await Flow.start({ type: 'stash-jobs', server, credentials: { apiKey: 'wrong' } });
    await flow.until(() => flow.ownErrors.length > 0);
    await flow.redeploy({
      type: 'stash-jobs',
      server: { ...server, timeout: 31 },
      credentials: { apiKey: 'right' },
    });
    await flow.until(() => flow.statuses.at(-1)?.fill === 'green');
    add();
    await hasEnded(flow);

    assert.deepEqual(topics(flow), ['started', 'ended']);
  });

  it('reports nothing after it is removed', async () => {
    const flow = await start();
    await flow.redeploy({ type: 'stash-status', server: { url: stash().url } });
    add();
    await flow.until(() => stash().jobs.queue === null);

    assert.deepEqual(flow.sent, []);
  });
});
