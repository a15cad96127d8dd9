import assert from 'node:assert/strict';
import { eventually } from '../browser/eventually';
import { Broker } from '../support/broker';
import { type Example, useExamples } from '../support/example';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { OFFLINE } from '../fake-stash/github';
import { until } from '../support/waiting';

const NAME = 'The library to MQTT';

describe(`The example "${NAME}" in a real Node-RED`, () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let broker: Broker;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    broker = await Broker.start();
  });

  afterEach(async () => {
    await example.stop();
    await broker.stop();
    await stash.stop();
  });

  async function start(): Promise<void> {
    example = await runExample(NAME, stash.url, { 'mqtt-broker': broker.address });
  }

  it('publishes plain values at the start, then only what has changed', async () => {
    await start();
    await has({ status: 'OK', version: 'v0.30.1', latest: 'v0.31.0', newer: 'true', jobs: '0' });
    await has({ scene: '5', image: '1', gallery: '0', performer: '12', studio: '6', group: '4', tag: '31' });
    await has({ gigabytes: '6', hours: '3' });
    await has({
      summary: 'nas reports status OK and no jobs (Stash v0.30.1, 5 scenes, v0.31.0 is available).',
    });
    const before = published().length;

    stash.studios = stash.studios.slice(1);
    await example.press('every ten minutes');
    await has({ studio: '5' });
    assert.equal(published().length, before + 1);
  });

  it('publishes no latest release while that is unknown', async () => {
    stash.github.failure = OFFLINE;
    await start();
    await has({ status: 'OK', latest: '', newer: '', tag: '31', hours: '3' });
    const [, summary = ''] = published().find(([topic]) => topic === 'summary') ?? [];
    assert.match(
      summary,
      /no jobs \(Stash v0\.30\.1, 5 scenes, latest version unknown: “Github API .* no such host”\)\.$/,
    );
  });

  it('publishes the state of a server that has no library yet', async () => {
    stash.status = 'SETUP';
    await start();
    await has({ status: 'SETUP', scene: '', gigabytes: '' });
  });

  it('publishes that the server is off, without a queue, and when it is back', async () => {
    await start();
    await has({ status: 'OK', jobs: '0' });
    const { port } = stash;
    await stash.stop();
    await example.press('every ten minutes');
    await has({ status: 'UNREACHABLE', jobs: '', version: 'v0.30.1', scene: '5' });
    stash = await FakeStash.start({ release: 'v0.30.1', port });
    await example.press('every ten minutes');
    await has({ status: 'OK', jobs: '0' });
  });

  it('publishes all values again when the broker has restarted without its memory', async () => {
    await start();
    await has({ status: 'OK', tag: '31' });
    const port = Number(broker.address.port);
    await broker.stop();
    broker = await Broker.start(port);
    await has({ status: 'OK', version: 'v0.30.1', jobs: '0', tag: '31' });
  });

  /** Waits until the last value of each topic is the expected one. */
  async function has(expected: Readonly<Record<string, string>>): Promise<void> {
    await eventually(
      () => Promise.resolve(Object.fromEntries(published())),
      (last) => {
        for (const [topic, value] of Object.entries(expected)) assert.equal(last[topic], value, topic);
      },
    );
  }

  /** The topics below stash/nas/library with their values. */
  function published(): [topic: string, value: string][] {
    return broker.published.map(({ topic, payload }) => [topic.replace('stash/nas/library/', ''), payload]);
  }
});

describe('The example "Tell me about a new release of Stash" in a real Node-RED', () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;
  const NOTIFICATION = 'your notification';

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  async function start(): Promise<void> {
    example = await runExample('Tell me about a new release of Stash', stash.url);
  }

  it('notifies once about a release', async () => {
    await start();
    assert.equal(await example.next(NOTIFICATION), 'Stash v0.31.0 is available. nas has v0.30.1.');
    const asked = () => stash.requests.filter(({ operation }) => operation === 'version').length;
    const before = asked();
    for (const more of [1, 2]) {
      await example.press('every day');
      await until(() => asked() === before + more);
    }
    assert.equal(example.outputs(NOTIFICATION).length, 1);
  });

  it('says why the latest release is unknown', async () => {
    stash.github.failure = OFFLINE;
    await start();
    assert.match(
      await example.next(NOTIFICATION),
      /latest version unknown: “Github API .* no such host”\)\.$/,
    );
  });

  it('says which release can tell the latest one if the server cannot', async () => {
    await stash.stop();
    stash = await FakeStash.start({ release: 'v0.17.2' });
    await start();
    assert.match(await example.next(NOTIFICATION), /Stash can since v0\.19\.$/);
  });
});
