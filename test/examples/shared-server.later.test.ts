import assert from 'node:assert/strict';
import { Broker } from '../support/broker';
import { Example, useExamples } from '../support/example';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { until } from '../support/waiting';

const OWNER = 'Share look-ups 1, the owner';
const OTHERS = 'Share look-ups 2, the others';

describe('The examples "Share look-ups" in two real Node-REDs with a real MQTT broker', () => {
  const runOwner = useExamples(useUserDir());
  const runOther = useExamples(useUserDir());
  const ownerDir = useUserDir();
  let stash: FakeStash;
  let broker: Broker;
  let owner: Example;
  let other: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    broker = await Broker.start();
    owner = await runOwner(OWNER, stash.url, { 'mqtt-broker': broker.address });
    other = await runOther(OTHERS, stash.url, { 'mqtt-broker': broker.address });
    await connected(other);
  });

  afterEach(async () => {
    await other.stop();
    await owner.stop();
    await broker.stop();
    await stash.stop();
  });

  it('returns the performer that the owner looked up, or what failed there', async () => {
    await other.press('Robin Vale');
    assert.match(await other.next('your notification'), /Robin Vale/);
    await other.next('performer');
    assert.match(other.log.join('\n'), /birthdate: '1990-04-12'/);
    stash.site.failure = 'http error 500:Internal Server Error';
    await other.press('Robin Vale');
    assert.match(
      await other.next('your notification'),
      /^“stash performer scrape” on nas failed\. .*http error 500/,
    );
    assert.equal(other.outputs('performer').length, 1);
    assert.deepEqual(other.outputs('candidates'), []);
  });

  it('ignores what is no request and no answer', async () => {
    for (const topic of ['stash/ask/scrape', 'stash/answers']) {
      for (const payload of ['', 'text', '{}', '[1]', 'null', '{"id":5}', '{"id":"unknown"}']) {
        await broker.publish(topic, payload);
      }
    }
    await other.press('Robin Vale');
    assert.match(await other.next('your notification'), /Robin Vale/);
    assert.equal(other.outputs('performer').length, 1);
  });

  it('loses nothing while the owner is away', async () => {
    await owner.stop();
    for (let count = 0; count < 3; count++) await other.press('Robin Vale');
    await asked(3);
    // What it said before it went may arrive only now: then those that wait are sent again.
    await broker.publish('stash/owner', 'online');
    await until(() => requests().length >= 6);
    for (let count = 3; count < 5; count++) await other.press('Robin Vale');
    await asked(5);
    owner = await startOwner();
    for (let count = 0; count < 5; count++) {
      assert.match(await other.next('your notification'), /Robin Vale/);
    }
    assert.equal(other.outputs('performer').length, 5);
  });

  it('loses nothing when the owner is killed while it looks up', async () => {
    await owner.stop();
    owner = await startOwner();
    stash.site.delay = 300;
    for (let count = 0; count < 5; count++) await other.press('Robin Vale');
    assert.match(await other.next('your notification'), /Robin Vale/);
    await owner.nodeRed.kill();
    stash.site.delay = 0;
    owner = await startOwner();
    for (let count = 1; count < 5; count++) {
      assert.match(await other.next('your notification'), /Robin Vale/);
    }
    assert.equal(other.outputs('performer').length, 5);
  });

  it('loses nothing when the owner is deployed again while it looks up', async () => {
    stash.site.delay = 300;
    for (let count = 0; count < 5; count++) await other.press('Robin Vale');
    assert.match(await other.next('your notification'), /Robin Vale/);
    await owner.deploy();
    stash.site.delay = 0;
    for (let count = 1; count < 5; count++) {
      assert.match(await other.next('your notification'), /Robin Vale/);
    }
    assert.equal(other.outputs('performer').length, 5);
  });

  it('loses nothing when the broker restarts without its memory', async () => {
    stash.site.delay = 300;
    for (let count = 0; count < 5; count++) await other.press('Robin Vale');
    assert.match(await other.next('your notification'), /Robin Vale/);
    const port = Number(broker.address.port);
    await broker.stop();
    broker = await Broker.start(port);
    for (let count = 1; count < 5; count++) {
      assert.match(await other.next('your notification'), /Robin Vale/);
    }
    assert.equal(other.outputs('performer').length, 5);
  });

  /** Starts the owner in a Node-RED of its own. */
  function startOwner(): Promise<Example> {
    return Example.start(ownerDir(), OWNER, stash.url, { 'mqtt-broker': broker.address });
  }

  /** Waits until a Node-RED has connected to the broker. */
  async function connected(example: Example): Promise<void> {
    await until(() => /Connected to broker/.test(example.log.join('\n')));
  }

  /** Waits until so many requests have reached the broker, each at least once. */
  async function asked(count: number): Promise<void> {
    await until(() => new Set(requests()).size === count);
  }

  function requests(): string[] {
    return broker.payloads('stash/ask/scrape');
  }
});
