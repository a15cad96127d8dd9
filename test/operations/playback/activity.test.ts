import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { followPlayback, type PlaybackEvent } from '../../../src/operations/playback/playbacks';
import { timing } from '../../../src/timing';
import { text } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { answerWhenTold } from '../../fake-stash/faults';
import { sceneResolvers } from '../../fake-stash/scenes';
import { options, TestServer } from '../../support/connect';
import { skip } from '../../support/playback';
import { until } from '../../support/waiting';

const QUIET = 30_000;

describe('What players save, as the log of the server has it,', () => {
  const usual = { ...timing };
  let stash: FakeStash;
  let server: TestServer;
  let end = () => {};
  let events: PlaybackEvent[];

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    stash.serverLog.every = 1;
    server = new TestServer(options(stash.url), null);
    events = [];
  });
  afterEach(async () => {
    end();
    Object.assign(timing, usual);
    await server.close();
    await stash.stop();
  });

  /** Follows the server until it has polled once, and its log is open. @param polls milliseconds between two polls. */
  async function follow(polls: number): Promise<void> {
    timing.playback = polls;
    const wanted = () => ({ quiet: QUIET, picture: 'none' as const });
    end = followPlayback(server, { wanted, delivered: () => Promise.resolve(true) }, (event) => {
      events.push(event);
    });
    await until(() => stash.sockets.subscribed.includes('loggingSubscribe'));
  }

  const told = () =>
    events.flatMap((event) =>
      'scene' in event ? [`${event.type} ${event.scene.id} ${event.scene.watched}`] : [],
    );
  const polls = () => stash.requests.filter(({ operation }) => operation === 'stats').length;
  const save = (id: string, playDuration: number, resume_time: number) =>
    sceneResolvers(stash).sceneSaveActivity({ id, playDuration, resume_time });

  /** Lets so many polls pass. */
  async function polled(count: number): Promise<void> {
    const before = polls();
    await until(() => polls() >= before + count);
  }

  /** Sets what a scene has, as an import, a merge or an edit does. */
  function set(id: string, playDuration: number, resumeTime: number): void {
    const scene = stash.library.all('scene').find((one) => one.id === id);
    if (scene)
      stash.library.changes.set(scene, { ...stash.library.changes.get(scene), playDuration, resumeTime });
  }

  it('is reported at once, without a poll', async () => {
    await follow(60_000);
    save('1', 10, 14);
    await until(() => told().length > 0);
    assert.deepEqual(told(), ['started 1 10']);
    assert.equal(polls(), 0);
  });

  it('is counted once, whether the log or a poll comes first', async () => {
    await follow(20);
    for (const held of [true, false, true, false]) {
      if (held) stash.serverLog.hold();
      const { length } = told();
      save('1', 10, 14 + 10 * length);
      await polled(1);
      stash.serverLog.release();
      await until(() => told().length > length);
    }
    await polled(3);
    assert.deepEqual(told(), ['started 1 10', 'progress 1 20', 'progress 1 30', 'progress 1 40']);
  });

  it('is counted once if it is heard while a poll is answered that is older, and the log breaks then', async () => {
    await follow(20);
    save('1', 10, 14);
    await until(() => told().length === 1);
    await polled(1);
    const late = answerWhenTold();
    // Read at once, and answered later.
    let isRead = false;
    stash.answerWith(
      async (request, response, body, execute) => {
        const answer = await execute();
        isRead = true;
        await late.handler(request, response, body, () => Promise.resolve(answer));
      },
      { field: 'findScene', times: 1 },
    );
    await until(() => isRead);
    save('1', 10, 24);
    await until(() => told().length === 2);
    stash.sockets.cut();
    late.answer();
    await polled(4);
    assert.deepEqual(told(), ['started 1 10', 'progress 1 20']);
  });

  it('is nobody who watches now if Stash saves a film on DLNA, minutes after its end', async () => {
    await follow(20);
    stash.serverLog.hold();
    stash.serverLog.write(
      'Debug',
      '[DLNA Activity] Session completed: scene=1, client=127.0.0.1, duration=90.0s',
    );
    save('1', 30, 30);
    await sleep(20);
    stash.serverLog.release();
    await polled(3);
    save('2', 10, 14);
    await until(() => told().length > 0);
    await polled(3);
    assert.deepEqual(told(), ['started 2 10']);
  });

  for (const seconds of [10, 60, 120, 600]) {
    it(`is one start and one stop of a player that saves every ${seconds} s`, async () => {
      await follow(20);
      for (let count = 1; count <= 4; count++) {
        save('1', seconds, seconds * count);
        await until(() => told().length === count);
        skip(seconds * 1000);
        await polled(2);
      }
      skip(Math.max(QUIET, seconds * 500));
      await until(() => told().at(-1)?.startsWith('stopped') === true);
      const watched = [1, 2, 3, 4].map((count) => count * seconds);
      assert.deepEqual(told(), [
        ...watched.map((all, index) => `${index === 0 ? 'started' : 'progress'} 1 ${all}`),
        `stopped 1 ${4 * seconds}`,
      ]);
    });
  }

  it('counts as watching for fifteen more minutes at most, although a player saves hours at once', async () => {
    await follow(20);
    save('1', 7200, 7200);
    await until(() => told().length === 1);
    skip(900_000);
    await until(() => told().length === 2);
    assert.deepEqual(told(), ['started 1 7200', 'stopped 1 7200']);
  });

  it('is no import, no merge and no edit, although these add to the time and move the position', async () => {
    await follow(20);
    // Until then, a line may have come before the subscription.
    await polled(2);
    set('1', 60, 0);
    set('2', 1800, 600);
    await polled(3);
    for (let index = 0; index < 60; index++) {
      stash.library.add({ path: `/media/videos/${index}.mp4` }, '2026-01-11T04:41:59Z');
      set(String(6 + index), index, index);
    }
    await polled(3);
    assert.deepEqual(told(), []);
  });

  it('is what polls find once the lines are others, a poll later', async () => {
    await follow(20);
    // Until then, a line may have come before the subscription.
    await polled(2);
    let count = 0;
    while (told().length === 0) {
      count += 1;
      set('1', 10 * count, 10 * count);
      await polled(1);
    }
    assert.match(told()[0] ?? '', /^started 1 /);
    // After a single poll, its line may still come.
    assert.ok(count > 1);
  });

  it('is what polls find while the socket is broken, without a second start', async () => {
    await follow(20);
    save('1', 10, 10);
    await until(() => told().length === 1);
    stash.sockets.refused = true;
    stash.sockets.cut();
    await until(() => server.jobs.logSince === undefined);
    save('1', 10, 20);
    await until(() => told().length === 2);
    save('2', 10, 20);
    await until(() => told().length === 3);
    assert.deepEqual(told(), ['started 1 10', 'progress 1 20', 'started 2 10']);
  });

  it('is counted although its line was lost with the socket', async () => {
    timing.jobs = { ...timing.jobs, pollInterval: 10, firstRetry: 10 };
    server = new TestServer(options(stash.url), null);
    await follow(400);
    save('1', 10, 10);
    await polled(1);
    // Until the poll has its response.
    await sleep(50);
    stash.serverLog.hold();
    save('1', 10, 20);
    stash.sockets.cut();
    await until(() => server.jobs.logSince === undefined);
    stash.serverLog.drop();
    await until(() => server.jobs.logSince !== undefined);
    await polled(1);
    await sleep(50);
    save('1', 10, 30);
    await polled(3);
    assert.equal(told().at(-1), 'progress 1 30');
    const [last] = events.flatMap((event) => ('scene' in event ? [event.scene] : [])).slice(-1);
    assert.equal(last?.position, 30);
  });

  it('does not end what others watch, while polls fail', async () => {
    await follow(20);
    save('1', 10, 10);
    await until(() => told().length === 1);
    stash.answerWith(text(500, 'no'), { field: 'stats' });
    await until(() => events.at(-1)?.type === 'failed');
    skip(QUIET);
    save('2', 10, 10);
    await until(() => told().length === 2);
    assert.deepEqual([...server.watched.values()].flat(), [], 'nobody knows');
    stash.answerNormally();
    await until(() => server.watched.size > 0 && [...server.watched.values()].flat().length === 2);
    assert.deepEqual(told(), ['started 1 10', 'started 2 10']);
  });

  it('is nothing that began while Node-RED stood still', async () => {
    stash.sockets.refused = true;
    timing.playback = 100;
    const wanted = () => ({ quiet: QUIET, picture: 'none' as const });
    end = followPlayback(server, { wanted, delivered: () => Promise.resolve(true) }, (event) => {
      events.push(event);
    });
    await polled(2);
    // Between two polls.
    await sleep(50);
    const { now } = Date;
    Date.now = () => now() + 75_000;
    save('1', 10, 10);
    await polled(2);
    Date.now = now;
    assert.deepEqual(told(), []);
  });
});
