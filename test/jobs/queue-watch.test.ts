import assert from 'node:assert/strict';
import type { QueueWatch } from '../../src/jobs/queue-watch';
import { starterOf } from '../../src/jobs/started-by';
import { scan } from '../../src/operations/scan/scan';
import { Server } from '../../src/server/server';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';
import { answerLate, cut } from '../fake-stash/faults';
import { Message, options } from '../support/connect';
import { hasten, sleep, TEMPO } from '../support/tempo';
import { until } from '../support/waiting';

describe('The watched queue of a server', () => {
  hasten();
  let stash: FakeStash;
  let server: Server;
  let watch: QueueWatch;

  const open = async (settings: FakeStashOptions = {}) => {
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 20, ...settings });
    server = new Server(options(stash.url));
    watch = server.jobs.watchQueue();
  };
  const view = () => watch.view(50);
  const isKnown = () => view().jobs !== null;
  /** Starts a scan for a node; null on servers that give no IDs. */
  const start = async (origin: string) => {
    const call = Object.assign(new Message(), { origin });
    return (await scan(server, { paths: null, options: [] }, call)).job.id;
  };
  /** Whether it is known who started the first job. */
  const isIdentified = () => {
    const job = stash.jobs.find('1');
    return job !== null && starterOf(stash.url, job) !== null;
  };
  const startElsewhere = () =>
    fetch(`${stash.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'mutation { metadataScan(input: {}) }' }),
    });

  afterEach(async () => {
    watch.end();
    await server.close();
    await stash.stop();
  });

  it('is unknown before the first response, and empty if no job runs or waits', async () => {
    await open();
    assert.deepEqual(view(), { jobs: null, count: 0, failure: undefined });
    await until(isKnown);
    assert.deepEqual(view(), { jobs: [], count: 0, failure: undefined });
  });

  it('has the jobs that run or wait, with their progress and the nodes that started them', async () => {
    await open();
    await until(isKnown);
    await start('first');
    await startElsewhere();
    await start('third');
    await until(() => view().count === 3 && (view().jobs?.[0]?.progress?.percent ?? 0) >= 20);

    assert.deepEqual(
      view().jobs?.map(({ job: { id, status, description }, progress, startedBy }) => ({
        ...{ id, status, description, startedBy },
        isRunning: progress?.task?.startsWith('Scanning /') ?? false,
      })),
      [
        { id: '1', status: 'RUNNING', description: 'Scanning...', startedBy: 'first', isRunning: true },
        { id: '2', status: 'READY', description: 'Scanning...', startedBy: null, isRunning: false },
        { id: '3', status: 'READY', description: 'Scanning...', startedBy: 'third', isRunning: false },
      ],
    );
    assert.deepEqual(watch.view(2).jobs?.length, 2);
    assert.equal(watch.view(2).count, 3);
  });

  it('keeps an estimate until there is news', async () => {
    await open();
    await until(isKnown);
    stash.jobs.hold();
    await start('first');
    await until(() => view().jobs?.[0]?.progress?.percent === 0);
    const [job] = view().jobs ?? [];
    await sleep(500);
    assert.deepEqual(view().jobs, [job]);
    stash.jobs.release();
    await until(() => (view().jobs?.[0]?.progress?.percent ?? 0) > 0);
    assert.ok((view().jobs?.[0]?.estimatedAt ?? 0) > (job?.estimatedAt ?? Infinity));
  });

  it('knows the node that started a job before anybody looked, also before a deploy', async () => {
    await open();
    await server.close();
    server = new Server(options(stash.url));
    stash.answerWith(answerLate(200), { field: 'findJob' });
    await start('first');
    assert.equal(isIdentified(), false, 'the reply does not wait for it');
    await until(isIdentified);
    await server.close();
    server = new Server(options(stash.url));
    watch = server.jobs.watchQueue();
    await until(isKnown);
    assert.equal(view().jobs?.[0]?.startedBy, 'first');
  });

  it('lets a job start although the watch ended before its first response', async () => {
    await open();
    stash.answerWith(answerLate(500), { field: 'jobQueue', times: 1 });
    watch.end();
    assert.equal(await start('first'), '1');
  });

  it('does not take the job of somebody else for that of a node after a restart that nobody has noticed', async () => {
    await open();
    await until(isKnown);
    watch.end();
    await start('first');
    await until(isIdentified);
    // Until nobody watches any more.
    await until(() => stash.sockets.subscribed.length === 0);
    const { port } = stash;
    await stash.stop();
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 20, port });
    stash.clock.ahead = 60_000;
    await startElsewhere();
    watch = server.jobs.watchQueue();
    await until(() => view().jobs?.length === 1);
    assert.equal(view().jobs?.[0]?.job.id, '1');
    assert.equal(view().jobs?.[0]?.startedBy, null);
  });

  it('is unknown, with the reason, while the server does not respond', async () => {
    await open();
    await until(isKnown);
    const { port } = stash;
    await stash.stop();
    await until(() => view().failure !== undefined);
    assert.equal(view().failure?.code, 'UNREACHABLE');
    assert.equal(view().jobs, null);
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', port });
    await until(isKnown);
    assert.equal(view().failure, undefined);
  });

  it('stays known if only the socket breaks', async () => {
    await open();
    await until(() => isKnown() && stash.sockets.subscribed.length === 2);
    let wasUnknown = false;
    const polls = stash.requests.length;
    stash.sockets.cut();
    await until(() => {
      wasUnknown ||= !isKnown();
      return stash.requests.length > polls;
    });
    assert.equal(wasUnknown, false);
  });

  it('has the error of a server whose jobs cannot be requested', async () => {
    await open({ apiKey: 'a-key' });
    await until(() => view().failure !== undefined);
    assert.equal(view().failure?.code, 'UNAUTHORIZED');
  });

  it('has no error from the last time that somebody looked', async () => {
    await open({ apiKey: 'a-key' });
    await until(() => view().failure !== undefined);
    watch.end();
    await sleep(2_500);
    watch = server.jobs.watchQueue();
    assert.deepEqual(view(), { jobs: null, count: 0, failure: undefined });
    await until(() => view().failure !== undefined);
  });

  for (const release of ['v0.30.1', 'v0.11.0'] as const) {
    it(`costs no request once nobody looks (${release})`, async () => {
      await open({ release });
      // Without a socket, a job is polled each second.
      await startElsewhere();
      await until(() => view().count === 1);
      watch.end();
      await sleep(2_500);
      const { length } = stash.requests;
      await sleep(5_000);
      assert.equal(stash.requests.length, length);
      assert.deepEqual(stash.sockets.subscribed, []);
    });
  }

  it('does not end the watch of a message that waits for its job', async () => {
    await open({ jobSeconds: 5 });
    await until(isKnown);
    const input = { paths: null, options: [], reply: 'finished' } as const;
    const ending = scan(server, input, new Message());
    await until(() => view().count === 1);
    watch.end();
    const { job } = await ending;
    assert.equal(job.status, 'FINISHED');
    stash.answerWith(cut);
  });
});
