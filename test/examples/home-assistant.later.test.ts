import assert from 'node:assert/strict';
import { Broker } from '../support/broker';
import { Example, useExamples } from '../support/example';
import { untilFollowed } from '../support/followed';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { poster } from '../fake-stash/poster';
import { otherTask } from '../fake-stash/tasks';
import { until } from '../support/waiting';

const NAME = 'Stash in Home Assistant';

describe(`The example "${NAME}" with a real MQTT broker`, () => {
  const runExample = useExamples(useUserDir());
  const otherDir = useUserDir();
  let stash: FakeStash;
  let broker: Broker;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 1 });
    broker = await Broker.start();
    example = await runExample(NAME, stash.url, entered());
  });

  afterEach(async () => {
    await example.stop();
    await broker.stop();
    await stash.stop();
  });

  it('announces each entity of one device, retained, and publishes the state of the server at once', async () => {
    // The last of the messages that announce.
    await isPublished('stash/node-red', 'online');
    await isPublished('stash/reachable', 'ON');
    await isPublished('stash/release', 'v0.30.1');
    await isPublished('stash/queue', '0');
    await isPublished('stash/progress', 'None');
    await isPublished('stash/scenes', '5');
    await isPublished('stash/performers', '12');
    await broker.has('stash/update', (state) => {
      assert.deepEqual(JSON.parse(state ?? '{}'), {
        installed_version: 'v0.30.1',
        latest_version: 'v0.31.0',
        release_url: 'https://github.com/stashapp/stash/releases/tag/v0.31.0',
      });
    });
    const configs = broker.published.filter(({ topic }) => topic.startsWith('homeassistant/'));
    assert.deepEqual(configs.map(({ topic }) => topic).sort(), [
      'homeassistant/binary_sensor/stash/reachable/config',
      'homeassistant/button/stash/backup/config',
      'homeassistant/button/stash/generate/config',
      'homeassistant/button/stash/scan/config',
      'homeassistant/button/stash/stop/config',
      'homeassistant/image/stash/newest_scene/config',
      'homeassistant/sensor/stash/galleries/config',
      'homeassistant/sensor/stash/images/config',
      'homeassistant/sensor/stash/last_backup/config',
      'homeassistant/sensor/stash/performers/config',
      'homeassistant/sensor/stash/progress/config',
      'homeassistant/sensor/stash/queue/config',
      'homeassistant/sensor/stash/release/config',
      'homeassistant/sensor/stash/scenes/config',
      'homeassistant/update/stash/update/config',
    ]);
    const entities = configs.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
    assert.equal(new Set(entities.map((entity) => entity['unique_id'])).size, configs.length);
    for (const { device } of entities) {
      assert.deepEqual(device, { identifiers: ['stash'], name: 'Stash', manufacturer: 'Stash' });
    }
    assert.ok(configs.every(({ retain, qos }) => retain && qos === 1));
  });

  it('publishes progress and queue while a job runs', async () => {
    await isPublished('stash/reachable', 'ON');
    // Progress is reported once a second.
    stash.jobs.seconds = 2.5;
    await untilFollowed(stash);
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning a', 'Cleaning b'));
    await isPublished('stash/queue', '1');
    await isPublished('stash/queue', '0');
    await isPublished('stash/progress', 'None');
    const percents = broker.payloads('stash/progress').filter((payload) => payload !== 'None');
    assert.ok(percents.length > 0);
    for (const percent of percents) assert.match(percent, /^\d+$/);
  });

  it('publishes the newest scene with its picture', async () => {
    await isPublished('stash/reachable', 'ON');
    await untilFollowed(stash);
    stash.library.add({ path: '/media/videos/x.mp4', title: 'Été à Zürich' }, '2026-01-11T04:41:59Z');
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    await broker.has('stash/newest_scene', (scene) => {
      const { title, url } = JSON.parse(scene ?? '{}') as Record<string, unknown>;
      assert.deepEqual([title, url], ['Été à Zürich', `${stash.url}/scenes/6`]);
    });
    await isPublished('stash/newest_scene/picture', String(poster('Été à Zürich', 6)));
  });

  it('publishes the picture of a scene that its own button has found', async () => {
    await isPublished('stash/reachable', 'ON');
    await untilFollowed(stash);
    stash.library.arrive({ path: '/media/videos/x.mp4', title: 'Été à Zürich' });
    await broker.publish('stash/command', 'scan');
    await isPublished('stash/newest_scene/picture', String(poster('Été à Zürich', 6)));
  });

  it('starts what the pressed button says, and publishes the time of the backup', async () => {
    await isPublished('stash/reachable', 'ON');
    for (const [button, done] of [
      ['scan', /^Scan on nas finished/],
      ['generate', /^Generate task on nas finished/],
      ['backup', /^nas backed up its database/],
      ['stop', /^nas has no jobs to stop/],
    ] as const) {
      await broker.publish('stash/command', button);
      assert.match(await example.next('your notification'), done);
    }
    await broker.has('stash/last_backup', (time) => {
      assert.ok(Math.abs(Date.now() - Date.parse(time ?? '')) < 60_000, time);
    });
  });

  it('ignores a button that the broker has retained', async () => {
    await isPublished('stash/reachable', 'ON');
    await example.stop();
    await broker.publish('stash/command', 'backup', { retain: true });
    const before = broker.payloads('stash/reachable').length;
    example = await runExample(NAME, stash.url, entered());
    await until(() => broker.payloads('stash/reachable').length > before);
    await broker.publish('stash/command', 'scan');
    assert.match(await example.next('your notification'), /^Scan on nas finished/);
    assert.ok(!stash.requests.some(({ operation }) => operation === 'backupDatabase'));
  });

  it('reports a server that is away and comes back, as soon as it does', async () => {
    await isPublished('stash/reachable', 'ON');
    await untilFollowed(stash);
    const { port } = new URL(stash.url);
    await stash.stop();
    await isPublished('stash/reachable', 'OFF');
    stash = await FakeStash.start({ release: 'v0.30.1', port: Number(port) });
    await isPublished('stash/reachable', 'ON');
  });

  it('reports that Node-RED is gone, also when it is killed', async () => {
    await isPublished('stash/node-red', 'online');
    await example.stop();
    await isPublished('stash/node-red', 'offline');
    example = await Example.start(otherDir(), NAME, stash.url, entered());
    await isPublished('stash/node-red', 'online');
    await example.nodeRed.kill();
    await isPublished('stash/node-red', 'offline');
  });

  function entered() {
    // Without the look each minute, which would hide what an event has to tell.
    return { 'mqtt-broker': broker.address, inject: { repeat: '' } };
  }

  function isPublished(topic: string, payload: string): Promise<void> {
    return broker.has(topic, (last) => {
      assert.equal(last, payload);
    });
  }
});
