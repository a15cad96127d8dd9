import assert from 'node:assert/strict';
import { Pause } from '../../src/jobs/pause';
import { generate } from '../../src/operations/tasks/generate';
import { stop } from '../../src/operations/tasks/stop';
import type { AbandonedJob } from '../../src/jobs/persisted-jobs';
import { Server } from '../../src/server/server';
import { timing } from '../../src/timing';
import { json } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { Message, options } from '../support/connect';
import { hasten, sleep, TEMPO } from '../support/tempo';
import { until } from '../support/waiting';

/** A context store that outlives a restart of Node-RED. */
class Store {
  value: unknown;
  read = () => Promise.resolve(this.value);
  write = (value: unknown) => {
    this.value = structuredClone(value);
  };
  get jobs(): { id: string; variables: unknown }[] {
    return (this.value as { jobs?: { id: string; variables: unknown }[] } | undefined)?.jobs ?? [];
  }
}

/** The call of a message of the node that starts jobs. */
class OfNode extends Message {
  readonly node = 'generate';
  readonly origin = 'generate';
}

describe('Jobs that a pause has stopped when Node-RED ends', () => {
  hasten();
  let stash: FakeStash;
  let server: Server;
  let store: Store;
  let abandoned: AbandonedJob[];

  const start = (url = stash.url) => {
    abandoned = [];
    const changes = { jobStore: store, abandoned: (job: AbandonedJob) => abandoned.push(job) };
    server = new Server(options(url, changes));
  };
  const generations = () => stash.requests.filter(({ operation }) => operation === 'metadataGenerate');
  const pause = () => Pause.of(stash.url);
  const hold = async () => {
    const silent = { onEnd: () => undefined, onError: () => undefined };
    pause().request({ node: 'pause', interrupt: true, atMost: Infinity, ...silent });
    await pause().interrupt(new Message());
  };
  const input = { kinds: ['sprites'], options: [], paths: null, sceneIDs: ['1'] } as const;

  /** Starts a job, lets a pause stop it, and waits until it is kept. */
  const interrupt = async () => {
    stash.jobs.hold();
    await generate(server, input, new OfNode());
    await until(() => pause().jobs.find({ id: '1' })?.current !== undefined);
    await hold();
    stash.jobs.release();
    await until(() => store.jobs.length === 1);
  };
  /** Ends Node-RED, and starts it again. */
  const restart = async ({ url = stash.url, isPaused = false } = {}) => {
    await server.close();
    pause().releaseAll();
    if (isPaused) await hold();
    const ended = abandoned;
    start(url);
    return ended;
  };
  /** Lets the time pass that follows a start, and more. */
  const rest = () => sleep(1_000);

  before(() => {
    timing.jobs.restAfterRestart = 500 / TEMPO;
  });
  beforeEach(async () => {
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });
    store = new Store();
    start();
  });
  afterEach(async () => {
    pause().releaseAll();
    await server.close();
    await stash.stop();
  });

  it('are named, kept, and started with the same arguments some time after the next start', async () => {
    await interrupt();
    const ended = await restart();
    assert.deepEqual(
      ended.map(({ record, isPersisted, node }) => [record.id, record.description, isPersisted, node]),
      [['1', 'Generating...', true, 'generate']],
    );
    assert.equal(generations().length, 1);
    await until(() => generations().length === 2);
    const [first, second] = generations().map(({ body }) => body);
    assert.deepEqual(first, second);
    await until(() => store.jobs.length === 0 && stash.jobs.queue === null);
  });

  it('hold back no message before they are to start', async () => {
    await interrupt();
    const { restAfterRestart } = timing.jobs;
    timing.jobs.restAfterRestart = 600_000;
    try {
      await restart();
      await until(() => pause().jobs.find({ id: '1' }) !== undefined);
      await generate(server, { ...input, sceneIDs: ['2'] }, new OfNode());
    } finally {
      timing.jobs.restAfterRestart = restAfterRestart;
    }
    assert.deepEqual(
      generations().map(({ body }) => (body?.variables?.['input'] as { sceneIDs: string[] }).sceneIDs[0]),
      ['1', '2'],
    );
  });

  it('are not started while jobs are paused, and stay kept if Node-RED ends once more', async () => {
    await interrupt();
    await restart({ isPaused: true });
    await rest();
    assert.equal(generations().length, 1);
    const ended = await restart();
    assert.deepEqual(
      ended.map(({ record, isPersisted }) => [record.id, isPersisted]),
      [['1', true]],
    );
    await until(() => generations().length === 2);
  });

  for (const [what, end] of [
    [
      'a stop node',
      async () => {
        assert.equal((await stop(server, { job: null }, new Message())).interrupted, 1);
      },
    ],
    [
      'a message with reset',
      () => {
        server.jobs.giveUpOf('generate');
      },
    ],
  ] as const) {
    it(`are not started if ${what} ends them after the restart`, async () => {
      await interrupt();
      await restart({ isPaused: true });
      await until(() => pause().jobs.find({ id: '1' }) !== undefined);
      await end();
      await until(() => store.jobs.length === 0);
      pause().releaseAll();
      await rest();
      assert.equal(generations().length, 1);
    });
  }

  it('are not started at another address, nor later at the first one', async () => {
    await interrupt();
    await restart({ url: 'http://localhost:1' });
    await until(() => store.jobs.length === 0);
    await restart();
    await rest();
    assert.equal(generations().length, 1);
  });

  it('are reported with the node that had started them if the server refuses them', async () => {
    await interrupt();
    stash.answerWith(json({ errors: [{ message: 'no space left' }] }), { field: 'metadataGenerate' });
    await restart();
    await until(() => abandoned.length === 1);
    const [{ error, node, record } = {}] = abandoned;
    assert.deepEqual([error?.code, node, record?.id], ['GRAPHQL', 'generate', '1']);
    await until(() => store.jobs.length === 0);
  });

  it('are named as lost without a store', async () => {
    await server.close();
    server = new Server(options(stash.url, { abandoned: (job) => abandoned.push(job) }));
    stash.jobs.hold();
    await generate(server, input, new OfNode());
    await until(() => pause().jobs.find({ id: '1' })?.current !== undefined);
    await hold();
    await server.close();
    await until(() => abandoned.length === 1);
    assert.deepEqual(
      abandoned.map(({ record, isPersisted }) => [record.id, isPersisted]),
      [['1', false]],
    );
  });
});
