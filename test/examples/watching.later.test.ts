import assert from 'node:assert/strict';
import { FakeStash } from '../fake-stash/fake-stash';
import { Broker } from '../support/broker';
import { installPlugin } from '../support/changes';
import { type Example, useExamples } from '../support/example';
import { commandsTo, openFilm, tell } from '../support/playback';
import { useUserDir } from '../support/user-dir';
import { until } from '../support/waiting';

describe('The examples about who watches in a real Node-RED', () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    installPlugin(stash);
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  it('The doorbell pauses the film: says so over the picture, and a button lets the film go on', async () => {
    openFilm(stash);
    example = await runExample('The doorbell pauses the film', stash.url);
    await example.press('doorbell');
    assert.equal(await example.next('your notification'), 'Paused on nas: Firefox on Linux.');
    await example.press('go on');
    assert.equal(await example.next('your notification'), 'Playing on nas: Firefox on Linux.');
    const ids = new Map(commandsTo(stash).map(({ id, action, value }) => [id, [action, value]]));
    assert.deepEqual([...ids.values()].sort(), [
      ['message', 'Somebody is at the door'],
      ['pause', null],
      ['play', null],
    ]);
  });

  it('Lights while someone is watching: come on at a pause', async () => {
    const broker = await Broker.start();
    try {
      example = await runExample('Lights while someone is watching', stash.url, {
        'mqtt-broker': broker.address,
      });
      await until(
        () =>
          example.log.some((line) => line.includes('Connected to broker')) &&
          stash.sockets.subscribed.includes('loggingSubscribe'),
      );
      const lights = () => broker.published.map(({ payload }) => payload);
      for (const [state, expected] of [
        ['playing', ['ON']],
        ['paused', ['ON', 'OFF']],
        ['playing', ['ON', 'OFF', 'ON']],
        ['gone', ['ON', 'OFF', 'ON', 'OFF']],
      ] as const) {
        tell(stash, state);
        await until(() => lights().length === expected.length);
        assert.deepEqual(lights(), expected);
      }
    } finally {
      await broker.stop();
    }
  });
});
