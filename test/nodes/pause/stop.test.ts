import assert from 'node:assert/strict';
import type { NodeStatus } from 'node-red';
import type { SinonSpy } from 'sinon';
import type { JobRecord } from '../../../src/records';
import { json, unauthorized } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { otherTask } from '../../fake-stash/tasks';
import { askedWords, Flow, type Message, shared, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten, TEMPO } from '../../support/tempo';
import { until } from '../../support/waiting';
import { PAUSED, usePausing } from './pausing';

const LOCKED = json({ errors: [{ message: 'database is locked' }] });

describe('A pause and a stop', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });

  before(() => helper.startServer());
  after(() => helper.stopServer());

  const sprites = { sprites: true, reply: 'finished' };
  /** Starts a generate node, with a pause node and a stop node beside it. */
  const start = (properties: object = sprites, type = 'stash-generate') =>
    Flow.start({
      type,
      properties,
      server: { url: stash().url },
      idle: 'stash-pause',
      configs: [
        {
          id: 'stop',
          type: 'stash-stop',
          jobType: 'all',
          server: 'server1',
          z: 'tab',
          x: 10,
          y: 20,
          wires: [['elsewhere']],
        },
        {
          id: 'stopOne',
          type: 'stash-stop',
          server: 'server1',
          z: 'tab',
          x: 10,
          y: 20,
          wires: [['elsewhere']],
        },
      ],
    });
  const {
    pausing,
    watching,
    pause,
    requests,
    generations,
    stops,
    record,
    isShown,
    sendAndRun,
    askAndRun,
    interrupt,
  } = usePausing(stash);
  /** Ends the pause, and lets what waited start: a status of the server shows that nothing else is under way. */
  const resume = async () => {
    watching(0);
    await until(() => !pausing().isOn);
  };
  /** Lets a stop node stop something. @returns the records of what it has stopped. */
  const stop = async (node: 'stop' | 'stopOne', msg: { payload?: unknown } = {}): Promise<JobRecord[]> => {
    const sent = new Promise<Message>((resolve) => {
      helper.getNode('elsewhere').once('input', resolve);
    });
    helper.getNode(node).receive(msg);
    return ((await sent).payload as { stopped: JobRecord[] }).stopped;
  };
  const idsOf = (jobs: JobRecord[]) => jobs.map(({ id, status }) => [id, status]);
  /** Stops a job as a person does in Stash. */
  const stopInStash = () => {
    stash().jobs.stop('1');
  };
  /** Starts another job, and waits for its end: what is to start before it has started by then. */
  const afterAnother = async (flow: Flow) => {
    const before = generations().length;
    const id = flow.send();
    await flow.until(() => flow.hasEnded(id));
    return generations().length - before - 1;
  };

  describe('when the stop of the pause fails', () => {
    const fail = async (flow: Flow) => {
      await flow.until(() => flow.statuses.at(-1)?.text?.includes('progress.') === true);
      stash().answerWith(LOCKED, { field: 'stopJob', times: 1 });
      watching(1);
      await flow.until(() => flow.idleStatuses.some(({ fill }) => fill === 'red'));
    };

    it('leave a job stopped that a person stops after the pause', async () => {
      const flow = await start({ ...sprites, sendFailed: true });
      const id = await sendAndRun(flow);
      await fail(flow);
      await resume();
      stopInStash();
      stash().jobs.release();
      await flow.until(() => flow.hasEnded(id));
      assert.deepEqual(
        [record(flow.endOf(id).msg).status, record(flow.endOf(id).msg).interrupted],
        ['CANCELLED', undefined],
      );
      assert.equal(await afterAnother(flow), 0);
    });

    it('report a job as lost that a restart of Stash has lost, not as interrupted', async () => {
      const flow = await start({ ...sprites, sendFailed: true });
      const id = await sendAndRun(flow);
      await fail(flow);
      await resume();
      const { port } = stash();
      await stash().stop();
      const again = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1, port });
      try {
        await flow.until(() => flow.hasEnded(id));
        const { status, interrupted } = record(flow.endOf(id).msg);
        assert.deepEqual([status, interrupted], ['LOST', undefined]);
        assert.equal(requests('metadataGenerate', again).length, 0);
      } finally {
        await again.stop();
      }
    });
  });

  for (const [what, act] of [
    ['a stop node', () => stop('stop')],
    [
      'the button in the sidebar',
      async () => {
        const { id, addTime } = stash().jobs.find('1') ?? {};
        const body = { id: 'server1', job: { id, added: addTime } };
        await helper.request().post('/stash-server/stop').send(body).expect(200);
      },
    ],
  ] as const) {
    for (const first of ['stop', 'pause'] as const) {
      it(`leave a job stopped that ${what} stops ${first === 'stop' ? 'just before' : 'just after'} the pause`, async () => {
        const flow = await start({ ...sprites, sendFailed: true });
        const id = await sendAndRun(flow);
        if (first === 'pause') watching(1);
        const stopping = act();
        if (first === 'stop') watching(1);
        await stopping;
        await flow.until(() => pausing().isOn && stash().jobs.queue?.[0]?.status === 'STOPPING');
        stash().jobs.release();
        await flow.until(() => flow.hasEnded(id));
        assert.equal(record(flow.endOf(id).msg).status, 'CANCELLED');
        await resume();
        assert.equal(await afterAnother(flow), 0);
      });
    }
  }

  describe('amid the pause', () => {
    it('end what the pause has stopped, if all jobs are to stop, and nothing else', async () => {
      const flow = await start();
      const id = await sendAndRun(flow);
      await interrupt(flow);
      const unstarted = flow.send();
      await flow.until(() => pausing().pending.waiting === 2);

      assert.deepEqual(idsOf(await stop('stop')), [['1', 'CANCELLED']]);
      assert.ok(askedWords.some(({ key, values }) => key === 'detail.waiting' && values['count'] === 1));
      await flow.until(() => flow.hasEnded(id));
      assert.equal(flow.endOf(id).msg.error?.code, 'JOB_CANCELLED');
      assert.deepEqual(
        [pausing().isOn, pausing().pending.waiting, flow.hasEnded(unstarted)],
        [true, 1, false],
      );

      await resume();
      await flow.until(() => flow.hasEnded(unstarted));
      assert.equal(generations().length, 2);
    });

    it('do not say that nothing is to stop while a message waits for its end', async () => {
      const flow = await start();
      await pause();
      flow.send();
      await flow.until(() => pausing().pending.waiting === 1);
      assert.deepEqual(await stop('stop'), []);
      for (const [key, value] of [
        ['summary.waiting', 'count'],
        ['status.waiting', 'waiting'],
      ] as const)
        await until(() => askedWords.some((one) => one.key === key && one.values[value] === 1));
    });

    it('show under the stop node that messages wait, until the pause has ended', async () => {
      const flow = await start();
      const isUnderStop = async (fill: string, text: string) => {
        const node = helper.getNode('stop') as unknown as { status: SinonSpy<[NodeStatus]> };
        await until(() => {
          const own = node.status.getCalls().filter(({ thisValue }) => thisValue === node);
          const [shown] = own.at(-1)?.args ?? [];
          return shown?.fill === fill && shown.text === text;
        });
      };
      await sendAndRun(flow);
      await interrupt(flow);
      flow.send();
      await flow.until(() => pausing().pending.waiting === 2);
      await stop('stop');
      await isUnderStop('yellow', 'status.waiting');
      await resume();
      await isUnderStop('green', 'node-red:common.status.connected');
    });

    for (const [what, act] of [
      ['a stop node with its record', (job: JobRecord) => stop('stopOne', { payload: job })],
      ['a stop node with its ID', ({ id }: JobRecord) => stop('stopOne', { payload: id })],
      [
        'the button in the sidebar',
        async ({ id, added }: JobRecord) => {
          const body = { id: 'server1', job: { id, added } };
          const answer = await helper.request().post('/stash-server/stop').send(body).expect(200);
          assert.deepEqual(answer.body, { stopped: true });
          return [];
        },
      ],
      [
        'a message with reset at the node that had started it',
        () => {
          helper.getNode('tested').receive({ reset: true });
          return [];
        },
      ],
    ] as const) {
      it(`end a job that the pause has stopped, by ${what}, although its message has left`, async () => {
        const flow = await start({ sprites: true });
        stash().jobs.hold();
        await flow.ask();
        await flow.until(() => stash().jobs.queue?.[0]?.status === 'RUNNING');
        const { addTime: added = '' } = stash().jobs.find('1') ?? {};
        await interrupt(flow);
        const stopped = await act({ id: '1', added } as JobRecord);
        assert.deepEqual(idsOf(stopped), stopped.length > 0 ? [['1', 'CANCELLED']] : []);
        await isShown(flow, shared('status.job.cancelled'));
        await resume();
        assert.equal(await afterAnother(flow), 0);
      });
    }

    it('leave a job stopped that still ends, when its message with reply started is reset', async () => {
      const flow = await start({ sprites: true });
      stash().jobs.hold();
      await flow.ask();
      watching(1);
      await flow.until(() => stash().jobs.queue?.[0]?.status === 'STOPPING');
      await flow.until(() => flow.idleStatuses.at(-1)?.text === 'status.paused');
      helper.getNode('tested').receive({ reset: true });
      stash().jobs.release();
      await isShown(flow, shared('status.job.cancelled'));
      await resume();
      assert.equal(await afterAnother(flow), 0);
    });

    it('stop the job that was started again, if the record of the first one is given', async () => {
      const flow = await start({ ...sprites, sendFailed: true });
      const id = await sendAndRun(flow);
      await interrupt(flow);
      stash().jobs.hold();
      await resume();
      await flow.until(() => stash().jobs.queue?.[0]?.status === 'RUNNING');
      assert.deepEqual(idsOf(await stop('stopOne', { payload: '1' })), [['2', 'STOPPING']]);
      stash().jobs.release();
      await flow.until(() => flow.hasEnded(id));
      assert.equal(record(flow.endOf(id).msg).status, 'CANCELLED');
    });
  });

  describe('when a job cannot be started again', () => {
    const runWithoutMessage = async () => {
      const flow = await start({ sprites: true });
      await askAndRun(flow);
      await flow.until(() => flow.statuses.at(-1)?.text?.includes('progress.') === true);
      return flow;
    };

    it('say so in the log if the node that had started it is deleted', async () => {
      const flow = await runWithoutMessage();
      await interrupt(flow);
      const options = { type: 'stash-generate', server: { url: stash().url }, idle: 'stash-pause' };
      await flow.redeploy({ ...options, without: 'deleted' });
      stash().answerWith(LOCKED, { field: 'metadataGenerate' });
      await resume();
      await until(() => askedWords.some(({ key }) => key === shared('errors.GRAPHQL.failed.text')));
      assert.equal(generations().length, 2);
    });

    it('say so if the server refuses all requests while the job is stopping', async () => {
      const flow = await runWithoutMessage();
      watching(1);
      await flow.until(() => flow.idleStatuses.at(-1)?.text === 'status.paused');
      stash().answerWith(unauthorized());
      stash().sockets.cut();
      await flow.until(() => flow.ownErrors.length === 1);
      assert.equal(flow.ownErrors[0]?.stash?.error?.code, 'UNAUTHORIZED');
      await flow.until(() => flow.statuses.at(-1)?.fill === 'red');
    });
  });

  describe('when nothing goes on', () => {
    const errorsIn = (key: string) => askedWords.filter((asked) => asked.key.endsWith(key)).length;
    const warned = () =>
      askedWords.flatMap(({ key, values }) => (key === shared('interrupted.lost') ? [values['job']] : []));

    it('warn of each job that the pause has stopped, also of one whose message has left', async () => {
      const flow = await start({ sprites: true });
      stash().jobs.hold();
      await flow.ask();
      await flow.until(() => flow.statuses.at(-1)?.text?.includes('progress.') === true);
      await interrupt(flow);
      await helper.unload();
      await until(() => warned().length === 1);
      assert.deepEqual(warned(), ['1']);
    });

    it('do not say that work continues on the server, if a pause has stopped it', async () => {
      const flow = await start();
      await sendAndRun(flow);
      await interrupt(flow);
      await helper.unload();
      assert.deepEqual([errorsIn('CLOSED.closed.text'), errorsIn('CLOSED.interrupted.text')], [0, 1]);
      await until(() => warned().length === 1);
    });

    it('do not say so either if the server of the node gets another address', async () => {
      const flow = await start();
      const id = await sendAndRun(flow);
      await interrupt(flow);
      const other = await FakeStash.start({ release: 'v0.30.1' });
      try {
        await flow.redeploy({ type: 'stash-generate', properties: sprites, server: { url: other.url } });
        await flow.until(() => flow.caught(id).length === 1);
        assert.equal(flow.caught(id)[0]?.stash?.error?.code, 'CLOSED');
        assert.deepEqual([errorsIn('CLOSED.closed.text'), errorsIn('CLOSED.interrupted.text')], [0, 1]);
        assert.deepEqual(warned(), ['1']);
      } finally {
        await other.stop();
      }
    });

    it('do not say so of messages that share a scan', async () => {
      const properties = { collect: '0.05', paths: 'payload', pathsType: 'msg', reply: 'finished' };
      const flow = await start(properties, 'stash-scan');
      stash().jobs.hold();
      const ids = ['a', 'b'].map((name) => flow.send({ payload: `/media/videos/${name}.mp4` }));
      await flow.until(() => stash().jobs.queue?.[0]?.status === 'RUNNING');
      await interrupt(flow);
      const counts = askedWords.flatMap(({ key, values }) => (key === PAUSED ? [values['count']] : []));
      assert.equal(counts.at(-1), 2);
      const other = await FakeStash.start({ release: 'v0.30.1' });
      try {
        await flow.redeploy({ type: 'stash-scan', properties, server: { url: other.url } });
        await flow.until(() => ids.every((id) => flow.caught(id).length === 1));
        assert.deepEqual([errorsIn('CLOSED.closed.text'), errorsIn('CLOSED.interrupted.text')], [0, 1]);
      } finally {
        await other.stop();
      }
    });

    it('do not say so of a message for which nothing was sent', async () => {
      const flow = await start();
      watching(1);
      await flow.until(() => pausing().isOn);
      flow.send();
      await flow.until(() => pausing().pending.waiting === 1);
      await helper.unload();
      assert.deepEqual([errorsIn('CLOSED.closed.text'), errorsIn('CLOSED.unsent.text')], [0, 1]);
      assert.deepEqual(warned(), []);
    });
  });

  describe('right after a restart of Stash', () => {
    /** Restarts the server, on which a person starts a job then. */
    const restart = async (task: (again: FakeStash) => Promise<void>) => {
      const { port } = stash();
      await stash().stop();
      const again = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 60, port });
      try {
        again.jobs.add(otherTask('Scanning...', 'a step'));
        await task(again);
      } finally {
        await again.stop();
      }
    };

    it('do not stop the job that has the ID of one that is lost: the pause', async () => {
      const flow = await start({ ...sprites, sendFailed: true });
      const id = await sendAndRun(flow);
      await flow.until(() => flow.statuses.at(-1)?.text === shared('progress.percent'));
      await restart(async (again) => {
        watching(1);
        await flow.until(() => flow.hasEnded(id) && flow.idleStatuses.at(-1)?.text === 'status.paused');
        assert.equal(record(flow.endOf(id).msg).status, 'LOST');
        assert.deepEqual([requests('stopJob', again).length, again.jobs.queue?.[0]?.status], [0, 'RUNNING']);
      });
    });

    it('do not stop the job that has the ID of one that is lost: the stop node', async () => {
      await start();
      stash().jobs.hold();
      stash().jobs.add(otherTask('Scanning...', 'a step'));
      // The queue as it was before the restart.
      const lost = { ...stash().jobs.find('1'), addTime: '2026-01-11T04:41:59Z' };
      stash().answerWith(json({ data: { jobQueue: [lost] } }), { field: 'jobQueue', times: 1 });
      assert.deepEqual(await stop('stop'), []);
      assert.deepEqual([stops().length, stash().jobs.find('1')?.status], [0, 'RUNNING']);
    });
  });
});
