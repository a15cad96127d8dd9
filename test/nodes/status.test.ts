import assert from 'node:assert/strict';
import type { JobRecord } from '../../src/server/job';
import { Flow, useStandIn } from '../flow';
import { json } from '../stand-in/answers';
import { other } from '../stand-in/tasks';

describe('stash-status', () => {
  const stash = useStandIn();
  const start = (properties: object) =>
    Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });

  it('tells all five fields if the flow file says nothing', async () => {
    const { output, msg } = await (await start({})).ask();

    assert.equal(output, 1);
    const payload = msg.payload as Record<string, unknown>;
    assert.deepEqual(Object.keys(payload), [
      'databaseSchema',
      'databasePath',
      'configPath',
      'appSchema',
      'status',
    ]);
    assert.equal(payload['status'], 'OK');
    assert.equal(msg.stash?.summary, 'summary.told');
  });

  it('tells just the chosen fields', async () => {
    const { msg } = await (await start({ fields: ['appSchema'] })).ask();

    assert.deepEqual(Object.keys(msg.payload as object), ['appSchema']);
    assert.equal(msg.stash?.summary, 'summary.answered');
  });

  it('asks the server anew each time', async () => {
    const flow = await start({ fields: ['status'] });
    const before = await flow.ask();
    stash().status = 'NEEDS_MIGRATION';
    const after = await flow.ask();

    assert.deepEqual(before.msg.payload, { status: 'OK' });
    assert.deepEqual(after.msg.payload, { status: 'NEEDS_MIGRATION' });
  });

  describe('with the jobs', () => {
    const stash = useStandIn({ release: 'v0.30.1', jobSeconds: 60 });
    const start = (properties: object) =>
      Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });

    it('tells those that run and wait', async () => {
      for (const name of ['Generating...', 'Scanning...']) stash().jobs.add(other(name, 'a step'));
      const { output, msg } = await (await start({ fields: ['status', 'jobs'] })).ask();

      assert.equal(output, 1);
      const { status, jobs } = msg.payload as { status: string; jobs: JobRecord[] };
      assert.equal(status, 'OK');
      assert.deepEqual(
        jobs.map(({ id, status, description }) => [id, status, description]),
        [
          ['1', 'RUNNING', 'Generating...'],
          ['2', 'READY', 'Scanning...'],
        ],
      );
      assert.equal(jobs[0]?.added, stash().jobs.find('1')?.addTime);
      assert.equal(msg.stash?.summary, 'summary.toldWithQueue');
      assert.equal(msg.stash.operation, 'systemStatus');
    });

    it('tells that there are none, and asks for nothing else if nothing else is chosen', async () => {
      const { msg } = await (await start({ fields: ['jobs'] })).ask();

      assert.deepEqual(msg.payload, { jobs: [] });
      assert.equal(msg.stash?.operation, 'jobQueue');
      assert.equal(msg.stash.summary, 'summary.queue');
      assert.ok(!stash().requests.some(({ operation }) => operation === 'systemStatus'));
    });

    it('does not tell them unless that is wished', async () => {
      const { msg } = await (await start({})).ask();

      assert.ok(!('jobs' in (msg.payload as object)));
      assert.ok(!stash().requests.some(({ operation }) => operation === 'jobQueue'));
    });

    it('tells of a server that is not set up, too', async () => {
      stash().status = 'SETUP';
      const { msg } = await (await start({ fields: ['status', 'jobs'] })).ask();

      assert.deepEqual(msg.payload, { status: 'SETUP', jobs: [] });
    });
  });

  describe('with the jobs, of a server with one slot for them', () => {
    const stash = useStandIn({ release: 'v0.7.0', jobSeconds: 60 });

    it('tells what runs there', async () => {
      stash().jobs.add(other('Scanning...', 'a step'));
      const properties = { fields: ['jobs'] };
      const flow = await Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });
      const { jobs } = (await flow.ask()).msg.payload as { jobs: JobRecord[] };

      assert.deepEqual(
        jobs.map(({ id, status, description }) => [id, status, description]),
        [[null, 'RUNNING', 'Scan']],
      );
    });
  });

  it('names the jobs as missing where a server cannot tell them', async () => {
    // A server that does not tell its schema is asked for nothing but what the interface document names.
    stash().answerWith(json({ errors: [{ message: 'introspection disabled' }], data: null }), {
      field: '__type',
    });
    const { output, msg } = await (await start({ fields: ['status', 'jobs'] })).ask();

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { status: 'OK' });
    assert.deepEqual(msg.stash?.missing, ['jobs']);
  });
});
