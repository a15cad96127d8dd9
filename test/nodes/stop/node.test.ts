import assert from 'node:assert/strict';
import { askedWords, Flow, type Message, useFakeStash } from '../../support/flow';
import { hasten, TEMPO } from '../../support/tempo';
import { otherTask } from '../../fake-stash/tasks';
import type { JobRecord } from '../../../src/records';

describe('stash-stop', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 60 });
  const start = (properties: object = {}) =>
    Flow.start({ type: 'stash-stop', properties, server: { url: stash().url } });
  const stopped = (msg: Message) => (msg.payload as { stopped: JobRecord[] }).stopped;

  /** Queues jobs; the first one runs. */
  function jobs(...names: string[]): void {
    for (const name of names) stash().jobs.add(otherTask(name, 'a step', 'another'));
  }

  const statusOf = (id: string) => stash().jobs.find(id)?.status;
  const sent = () =>
    stash()
      .requests.filter(({ operation }) => /^stop/.test(operation ?? ''))
      .map(({ body }) => body);

  it('stops the running job by its id', async () => {
    jobs('Generating...', 'Scanning...');
    const { output, msg } = await (await start()).ask({ payload: '1', topic: 'kept' });

    assert.equal(output, 1);
    assert.equal(msg['topic'], 'kept');
    assert.deepEqual(
      stopped(msg).map(({ id, status, description }) => [id, status, description]),
      [['1', 'STOPPING', 'Generating...']],
    );
    assert.equal(msg.stash?.summary, 'summary.stoppedOne');
    assert.deepEqual([statusOf('1'), statusOf('2')], ['STOPPING', 'READY']);
  });

  it('cancels a queued job', async () => {
    jobs('Generating...', 'Scanning...');
    const { msg } = await (await start()).ask({ payload: 2 });

    assert.deepEqual(
      stopped(msg).map(({ id, status }) => [id, status]),
      [['2', 'CANCELLED']],
    );
    assert.deepEqual([statusOf('1'), statusOf('2')], ['RUNNING', 'CANCELLED']);
  });

  it('sends the id as a variable', async () => {
    jobs('Scanning...');
    await (await start()).ask({ payload: 1 });

    assert.deepEqual(sent(), [
      { query: 'mutation ($job_id: ID!) { stopJob(job_id: $job_id) }', variables: { job_id: '1' } },
    ]);
  });

  it('stops all jobs, even those that stopAllJobs skips', async () => {
    jobs('Generating...', 'Scanning...', 'Cleaning...', 'Scanning...', 'Scanning...');
    const { msg } = await (await start({ jobType: 'all' })).ask({ payload: 'not looked at' });

    assert.deepEqual(
      stopped(msg).map(({ id, status }) => [id, status]),
      [
        ['1', 'STOPPING'],
        ['2', 'CANCELLED'],
        ['3', 'CANCELLED'],
        ['4', 'CANCELLED'],
        ['5', 'CANCELLED'],
      ],
    );
    assert.deepEqual(['1', '2', '3', '4', '5'].map(statusOf), [
      'STOPPING',
      'CANCELLED',
      'CANCELLED',
      'CANCELLED',
      'CANCELLED',
    ]);
  });

  it('stops the job in a record of another node', async () => {
    jobs('Generating...');
    const flow = await Flow.start({
      type: 'stash-status',
      properties: { fields: ['jobs'] },
      server: { url: stash().url },
    });
    const { msg } = await flow.ask();
    const [running] = (msg.payload as { jobs: JobRecord[] }).jobs;
    await flow.redeploy({ type: 'stash-stop', server: { url: stash().url } });

    assert.equal(stopped((await flow.ask({ payload: running })).msg).length, 1);
    assert.equal(statusOf('1'), 'STOPPING');
  });

  for (const [what, payload] of [
    ['does not exist', '7'],
    ['has the id of a job that was queued at another time', { id: '1', added: '2026-01-11T04:41:59Z' }],
    ['has no id', { id: null, status: 'STARTED' }],
  ] as const) {
    it(`sends nothing for a job that ${what}`, async () => {
      jobs('Generating...');
      const { output, msg } = await (await start()).ask({ payload });

      assert.equal(output, 1);
      assert.deepEqual(stopped(msg), []);
      assert.equal(msg.stash?.summary, 'summary.notThere');
      assert.equal(statusOf('1'), 'RUNNING');
      assert.deepEqual(sent(), []);
    });
  }

  it('does not say that nothing is to stop, if what triggers it names no job, as an inject node does', async () => {
    jobs('Generating...');
    const flow = await start();
    await flow.ask({ payload: 1_795_000_000_000 });
    await flow.until(() => flow.statuses.at(-1)?.text === 'status.notThere');
    assert.equal(flow.statuses.at(-1)?.fill, 'yellow');
    assert.ok(askedWords.some(({ key, values }) => key === 'status.notThere' && values['shown'] === '1795…'));
  });

  it('sends nothing if no job runs', async () => {
    const { output, msg } = await (await start({ jobType: 'all' })).ask();

    assert.equal(output, 1);
    assert.deepEqual(stopped(msg), []);
    assert.equal(msg.stash?.summary, 'summary.nothing');
    assert.deepEqual(sent(), []);
  });

  it('stops at most 1,000 jobs, however many the server reports', async () => {
    stash().jobs.hold();
    jobs(...new Array<string>(1500).fill('Scanning...'));
    const { msg } = await (await start({ jobType: 'all' })).ask();

    assert.equal(stopped(msg).length, 1000);
    assert.deepEqual([sent().length, stash().jobs.queue?.length], [1000, 501]);
  });
});
