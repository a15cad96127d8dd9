import assert from 'node:assert/strict';
import { status } from '../../src/operations/library/status';
import { searchPerformers } from '../../src/operations/performers/search';
import { timing } from '../../src/timing';
import { json } from '../fake-stash/answers';
import { silence } from '../fake-stash/faults';
import { LIMITED, OFFLINE } from '../fake-stash/github';
import { words } from '../flow/words';
import { Message as Call, options, TestServer } from '../support/connect';
import { Flow, type FlowOptions, type Message, useFakeStash } from '../support/flow';
import { helper } from '../support/runtime';
import { hasten, TEMPO } from '../support/tempo';

const UNKNOWN = `Github API request failed: ${OFFLINE}`;
const usual = structuredClone(timing.latestVersion);

describe('stash-status with the latest version', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 60 });
  const optionsOf = (fields: string[], server: object = {}): FlowOptions => ({
    type: 'stash-status',
    properties: { fields },
    server: { url: stash().url, pause: 0, ...server },
  });
  const start = (fields = ['latestVersion'], server: object = {}) => Flow.start(optionsOf(fields, server));

  afterEach(() => {
    Object.assign(timing.latestVersion, usual);
  });

  /** Makes the server report another build. The schema has to be loaded before. */
  function becomes(version: string | null, hash = ''): void {
    stash().answerNormally();
    stash().answerWith(json({ data: { version: { version, hash } } }), { field: 'version' });
  }

  function latestIn({ payload }: Message) {
    return (payload as { latestVersion: { version: string; isNewer: boolean | null } | null }).latestVersion;
  }

  it('returns the latest release, and whether it is newer', async () => {
    const { output, msg } = await (await start()).ask();

    assert.equal(output, 1);
    const { version, date: release_date, url } = stash().github.latest;
    assert.deepEqual(msg.payload, {
      latestVersion: { version, shorthash: '9d1f4c06', release_date, url, isNewer: true },
    });
    assert.equal(msg.stash?.operation, 'latestversion');
    assert.equal(msg.stash.summary, 'summary.answered');
    assert.ok(!stash().requests.some(({ operation }) => operation === 'systemStatus'));
  });

  it('returns null for a program or a date that GitHub does not have', async () => {
    Object.assign(stash().github.latest, { url: '', date: '' });
    const latest = latestIn((await (await start()).ask()).msg);

    assert.deepEqual(latest, {
      version: 'v0.31.0',
      shorthash: '9d1f4c06',
      release_date: null,
      url: null,
      isNewer: true,
    });
  });

  describe('asks GitHub', () => {
    it('once in an hour for all messages and nodes, and not before the first message', async () => {
      const flow = await start();
      assert.equal(stash().github.requests, 0);
      const ids = [1, 2, 3, 4].map(() => flow.send());
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));
      for (const id of ids) assert.equal(latestIn(flow.endOf(id).msg)?.version, 'v0.31.0');
      await helper.unload();
      const other = await start(['status', 'latestVersion']);
      assert.equal(latestIn((await other.ask()).msg)?.version, 'v0.31.0');
      assert.equal(stash().github.requests, 1);
    });

    it('again after an hour', async () => {
      timing.latestVersion.known = 0;
      const flow = await start();
      await flow.ask();
      await flow.ask();

      assert.equal(stash().github.requests, 2);
    });

    it('again after an upgrade of the server', async () => {
      const flow = await start();
      await flow.ask();
      becomes('v0.31.0');
      const { msg } = await flow.ask();

      assert.equal(latestIn(msg)?.isNewer, false);
      assert.equal(stash().github.requests, 2);
    });

    it('while a look-up of a performer waits for its turn', async () => {
      stash().site.delay = 60_000;
      const server = new TestServer(options(stash().url), null);
      try {
        const call = new Call();
        const searched = searchPerformers(server, { query: 'Robin', source: '' }, call);
        const found = await status(server, { fields: ['latestVersion'] }, new Call());
        assert.equal(found.status.latestVersion?.version, 'v0.31.0');
        call.end(new Error('enough'));
        await assert.rejects(searched, /enough/);
      } finally {
        await server.close();
      }
    });

    it('with the pause between two look-ups, but a status does not wait for it for long', async () => {
      Object.assign(timing.latestVersion, { known: 0, wait: 50 });
      const flow = await start(['status', 'latestVersion'], { pause: 60 });
      const first = await flow.ask();
      const second = await flow.ask();

      assert.equal(latestIn(first.msg)?.version, 'v0.31.0');
      assert.deepEqual(second.msg.payload, { status: 'OK', latestVersion: null });
      assert.deepEqual(second.msg.stash?.['unknown'], { latestVersion: 'reason.timeout' });
      assert.equal(stash().github.requests, 1);
    });

    it('not if a reset ends the wait for the pause', async () => {
      timing.latestVersion.known = 0;
      const flow = await start(undefined, { pause: 60 });
      await flow.ask();
      const id = flow.send();
      await flow.until(() => stash().requests.filter(({ operation }) => operation === 'version').length > 1);
      flow.send({ reset: true });
      await flow.until(() => flow.isDropped(id));

      assert.equal(stash().github.requests, 1);
    });
  });

  describe('without the internet', () => {
    beforeEach(() => {
      stash().github.failure = OFFLINE;
    });

    it('returns the rest, and says why the latest release is unknown', async () => {
      const flow = await start(['status', 'version', 'latestVersion', 'jobs']);
      const { output, msg } = await flow.ask();

      assert.equal(output, 1);
      assert.deepEqual(msg.payload, { status: 'OK', version: 'v0.30.1', latestVersion: null, jobs: [] });
      assert.deepEqual(msg.stash?.['unknown'], { latestVersion: UNKNOWN });
      assert.equal(msg.stash['missing'], undefined);
      assert.equal(msg.stash.summary, 'summary.toldWithQueue');
      const summary = words('status', 'detail.latestUnknown', { reason: UNKNOWN });
      assert.match(summary, /^latest version unknown: “Github API request failed: .*no such host”$/);
    });

    it('asks again only after a minute', async () => {
      const flow = await start();
      await flow.ask();
      const { msg } = await flow.ask();
      assert.deepEqual(msg.stash?.['unknown'], { latestVersion: UNKNOWN });
      assert.equal(stash().github.requests, 1);

      becomes('v0.30.0');
      timing.latestVersion.unknown = 0;
      await flow.ask();
      stash().github.failure = undefined;
      assert.equal(latestIn((await flow.ask()).msg)?.version, 'v0.31.0');
      assert.equal(stash().github.requests, 3);
    });

    it('does not blame the state of the server', async () => {
      stash().status = 'SETUP';
      const { msg } = await (await start(['status', 'latestVersion'])).ask();

      assert.deepEqual(msg.payload, { status: 'SETUP', latestVersion: null });
      assert.deepEqual(msg.stash?.['unknown'], { latestVersion: UNKNOWN });
      assert.equal(msg.stash.summary, 'summary.setup');
    });
  });

  it('does not retry after a refusal by GitHub, and leaves it alone for an hour', async () => {
    stash().github.failure = LIMITED;
    timing.latestVersion.unknown = 0;
    const flow = await start(['status', 'latestVersion'], { retryFor: 60 });
    for (let message = 0; message < 3; message++) {
      const { msg } = await flow.ask();
      assert.deepEqual(msg.payload, { status: 'OK', latestVersion: null });
      assert.deepEqual(msg.stash?.['unknown'], { latestVersion: `Github API request failed: ${LIMITED}` });
    }
    assert.equal(stash().github.requests, 1);
  });

  it('returns the rest if the server does not respond in time', async () => {
    stash().answerWith(silence, { field: 'latestversion' });
    const { msg } = await (await start(['status', 'latestVersion'], { lookupTimeout: 0.1 })).ask();

    assert.deepEqual(msg.payload, { status: 'OK', latestVersion: null });
    assert.deepEqual(msg.stash?.['unknown'], { latestVersion: 'reason.timeout' });
  });

  it('reports an error if the server itself is gone', async () => {
    const flow = await start();
    await stash().stop();
    const { msg } = await flow.ask();

    assert.equal(msg.error?.code, 'UNREACHABLE');
  });

  it('shows under the node that there is a new version, unless jobs run', async () => {
    const shown = async (fields: string[]) => {
      const flow = await start(fields);
      const { msg } = await flow.ask();
      assert.equal(latestIn(msg)?.isNewer, true);
      await flow.until(() => flow.statuses.some(({ fill }) => fill === 'green'));
      await helper.unload();
      return flow.statuses.at(-1)?.text;
    };
    assert.equal(await shown(['latestVersion']), 'status.newer');
    assert.equal(await shown(['status', 'latestVersion']), 'status.toldNewer');
    assert.equal(await shown(['status', 'latestVersion', 'jobs']), 'status.toldWithQueue');
  });

  describe('before v0.19, when a server told only its hash', () => {
    const stash = useFakeStash({ release: 'v0.17.2' });

    it('lists it as missing, and asks nobody', async () => {
      const properties = { fields: ['version', 'latestVersion'] };
      const flow = await Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });
      const { msg } = await flow.ask();

      assert.deepEqual(msg.payload, { version: 'v0.17.2' });
      assert.deepEqual(msg.stash?.missing, ['latestVersion']);
      assert.equal(stash().github.requests, 0);
    });
  });
});

describe('stash-status with the statistics', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const start = (...fields: string[]) =>
    Flow.start({ type: 'stash-status', properties: { fields }, server: { url: stash().url } });

  it('returns what the start page of the server shows, under the names of the schema', async () => {
    const { msg } = await (await start('stats')).ask();

    assert.deepEqual(msg.payload, {
      stats: {
        scene_count: 5,
        scenes_size: 6_250_000_000,
        scenes_duration: 9062.2,
        image_count: 1,
        images_size: 2_400_000,
        gallery_count: 0,
        performer_count: 12,
        studio_count: 6,
        group_count: 4,
        tag_count: 31,
        total_o_count: 2,
        total_play_duration: 0,
        total_play_count: 9,
        scenes_played: 3,
      },
    });
    assert.equal(msg.stash?.operation, 'stats');
    assert.equal(msg.stash['missing'], undefined);
  });

  for (const [state, outcome] of [
    ['SETUP', 'setup'],
    ['NEEDS_MIGRATION', 'migration'],
  ] as const) {
    it(`returns null for them, and says why, on a server in ${state}`, async () => {
      stash().status = state;
      const { output, msg } = await (await start('stats')).ask();

      assert.equal(output, 1);
      assert.deepEqual(msg.payload, { stats: null });
      assert.deepEqual(msg.stash?.['unknown'], { stats: state });
      assert.equal(msg.stash.summary, `summary.${outcome}`);
      await helper.unload();
      const both = await (await start('status', 'stats')).ask();
      assert.deepEqual(both.msg.payload, { status: state, stats: null });
    });
  }

  it('reports another error of the server', async () => {
    const answer = json({ data: null, errors: [{ message: 'database is locked', path: ['stats'] }] });
    stash().answerWith(answer, { field: 'stats' });
    const { msg } = await (await start('status', 'stats')).ask();

    assert.equal(msg.error?.code, 'GRAPHQL');
  });

  describe('of an old release', () => {
    const stash = useFakeStash({ release: 'v0.9.0' });

    it('omits what it does not have, and counts its movies as groups', async () => {
      const properties = { fields: ['stats'] };
      const flow = await Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });
      const { stats } = (await flow.ask()).msg.payload as { stats: Record<string, number> };

      assert.deepEqual(Object.keys(stats), [
        ...['scene_count', 'scenes_size', 'scenes_duration', 'image_count', 'images_size', 'gallery_count'],
        ...['performer_count', 'studio_count', 'group_count', 'tag_count'],
      ]);
      assert.equal(stats['group_count'], 4);
    });
  });
});
