import assert from 'node:assert/strict';
import { timing } from '../../../src/timing';
import { json } from '../../fake-stash/answers';
import { silence } from '../../fake-stash/faults';
import { OFFLINE } from '../../fake-stash/github';
import { words } from '../../support/words';
import { Flow, type FlowOptions, type Message, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';

const UNKNOWN = `Github API request failed: ${OFFLINE}`;
const usual = timing.latestVersion;

describe('stash-status with the latest version', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const optionsOf = (fields: string[], server: object = {}): FlowOptions => ({
    type: 'stash-status',
    properties: { fields },
    server: { url: stash().url, ...server },
  });
  const start = (fields = ['latestVersion'], server: object = {}) => Flow.start(optionsOf(fields, server));

  afterEach(() => {
    timing.latestVersion = usual;
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
      await flow.redeploy(optionsOf(['status', 'latestVersion']), 'full');
      assert.equal(latestIn((await flow.ask()).msg)?.version, 'v0.31.0');
      assert.equal(stash().github.requests, 1);
    });

    it('again after an hour', async () => {
      const flow = await start();
      await flow.ask();
      timing.latestVersion = 0;
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

    it('for a message whose first one a reset has ended', async () => {
      stash().github.delay = 100;
      const flow = await start();
      const first = flow.send();
      await flow.until(() => stash().github.requests === 1);
      flow.send({ reset: true });
      assert.equal(latestIn((await flow.ask()).msg)?.version, 'v0.31.0');
      assert.ok(flow.hasEnded(first) || flow.isDropped(first));
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

    it('asks again only after an hour', async () => {
      const flow = await start();
      await flow.ask();
      stash().github.failure = undefined;
      const { msg } = await flow.ask();
      assert.deepEqual(msg.stash?.['unknown'], { latestVersion: UNKNOWN });
      assert.equal(stash().github.requests, 1);

      timing.latestVersion = 0;
      assert.equal(latestIn((await flow.ask()).msg)?.version, 'v0.31.0');
    });

    it('does not blame the state of the server', async () => {
      stash().status = 'SETUP';
      const { msg } = await (await start(['status', 'latestVersion'])).ask();

      assert.deepEqual(msg.payload, { status: 'SETUP', latestVersion: null });
      assert.deepEqual(msg.stash?.['unknown'], { latestVersion: UNKNOWN });
      assert.equal(msg.stash.summary, 'summary.setup');
    });
  });

  it('returns the rest if the server does not respond in time', async () => {
    stash().answerWith(silence, { field: 'latestversion' });
    const { msg } = await (await start(['status', 'latestVersion'], { timeout: 0.5 })).ask();

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
