import assert from 'node:assert/strict';
import {
  followPlayback,
  type PlaybackEvent,
  type SceneEvent,
} from '../../../src/operations/playback/playbacks';
import { timing } from '../../../src/timing';
import { FakeStash } from '../../fake-stash/fake-stash';
import { options, TestServer } from '../../support/connect';
import { skip, tell as tellOf, watch } from '../../support/playback';
import { until } from '../../support/waiting';

const QUIET = 30_000;
const MINUTE = 60_000;

describe('What pages of Stash tell of their players', () => {
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
    timing.playback = 20;
    const wanted = () => ({ quiet: QUIET, picture: 'none' as const });
    end = followPlayback(server, { wanted, delivered: () => Promise.resolve(true) }, (event) => {
      events.push(event);
    });
    await until(() => stash.sockets.subscribed.includes('loggingSubscribe') && polls() > 0);
  });
  afterEach(async () => {
    end();
    Object.assign(timing, usual);
    await server.close();
    await stash.stop();
  });

  const sceneEvents = () => events.filter((event): event is SceneEvent => 'scene' in event);
  const told = () => sceneEvents().map(({ type, scene }) => `${type} ${scene.id}`);
  const polls = () => stash.requests.filter(({ operation }) => operation === 'stats').length;

  /** Lets so many polls pass. */
  async function polled(times: number): Promise<void> {
    const before = polls();
    await until(() => polls() >= before + times);
  }

  const tell = (state: string, change?: object) => tellOf(stash, state, change);

  function write(json: string, level: 'Trace' | 'Info' = 'Trace'): void {
    stash.serverLog.write(level, `[Plugin / Node-RED] node-red-stash ${json}`);
  }

  /** Resolves when these events, and no others, have come. */
  async function expect(...expected: string[]): Promise<void> {
    await until(() => told().length >= expected.length);
    await polled(2);
    assert.deepEqual(told(), expected);
  }

  it('is reported at once: a film that starts, is paused, goes on and has gone', async () => {
    tell('playing');
    tell('paused');
    tell('playing');
    tell('gone', { position: 30, seconds: 17.5 });
    await expect('started 1', 'paused 1', 'resumed 1', 'stopped 1');
    const last = sceneEvents().at(-1);
    assert.deepEqual(
      [last?.scene.position, last?.scene.watched, last?.scene.player, last?.watching],
      [30, 17.5, { id: 'a1', name: 'Firefox on Linux' }, 0],
    );
  });

  it('is understood from v0.25 as well, which does not name the plugin', async () => {
    tell('playing');
    await until(() => told().length === 1);
    const line = {
      id: 'a1',
      name: 'Firefox',
      scene: '1',
      state: 'gone',
      position: 1,
      seconds: 1,
      count: 1e6,
    };
    stash.serverLog.write('Trace', `[Plugin] node-red-stash ${JSON.stringify({ player: line })}`);
    await expect('started 1', 'stopped 1');
  });

  it('is one film with what its player saves, which may come last', async () => {
    tell('playing');
    watch(stash, '1', 12);
    await polled(2);
    tell('gone');
    await until(() => told().length === 2);
    watch(stash, '1', 14);
    await expect('started 1', 'stopped 1');
  });

  it('is one film with two viewers, which goes on until both have paused, and stops when both have gone', async () => {
    const other = { id: 'b2', name: 'Safari on iOS' };
    tell('playing');
    tell('playing', other);
    tell('paused');
    await until(() => told().length === 3);
    assert.deepEqual(told(), ['started 1', 'progress 1', 'progress 1']);
    tell('paused', other);
    tell('gone');
    tell('playing', other);
    tell('gone', other);
    await until(() => told().length === 7);
    assert.deepEqual(told().slice(3), ['paused 1', 'progress 1', 'resumed 1', 'stopped 1']);
  });

  it('arrives in another order than told: what came before is left out', async () => {
    tell('playing', { id: 'c3', count: 1 });
    await until(() => told().length === 1);
    tell('gone', { id: 'c3', count: 3 });
    await until(() => told().length === 2);
    tell('playing', { id: 'c3', count: 2 });
    await expect('started 1', 'stopped 1');
  });

  it('counts for ten minutes while the film is paused, and for as long as the player is silent otherwise', async () => {
    tell('playing');
    tell('paused');
    tell('playing', { id: 'b2', scene: '2' });
    await until(() => told().length === 3);
    skip(QUIET);
    await until(() => told().includes('stopped 2'));
    skip(9 * MINUTE);
    await polled(2);
    assert.ok(!told().includes('stopped 1'));
    skip(MINUTE);
    await until(() => told().includes('stopped 1'));
    tell('gone');
    await polled(2);
    tell('playing');
    await until(() => told().at(-1) === 'started 1');
  });

  it('counts by page: one that was lost does not hide what another one does', async () => {
    tell('playing');
    await expect('started 1');
    skip(QUIET - 1000);
    const other = { id: 'b2', seconds: 40 };
    tell('playing', other);
    tell('paused', other);
    await until(() => told().length === 3);
    skip(1000);
    await until(() => told().length === 4);
    tell('playing', other);
    tell('paused', other);
    tell('gone', other);
    await until(() => told().length === 7);
    assert.deepEqual(
      told().map((event) => event.split(' ')[0]),
      ['started', 'progress', 'progress', 'paused', 'resumed', 'paused', 'stopped'],
    );
  });

  it('does not hide a player that only saves, such as an app in which a film goes on', async () => {
    tell('playing');
    tell('paused');
    await expect('started 1', 'paused 1');
    // What the page saves at its pause is no sign of another player.
    watch(stash, '1', 12);
    await expect('started 1', 'paused 1');
    skip(10_000);
    // What only a poll finds may be from before the pause.
    stash.serverLog.hold();
    watch(stash, '1', 13);
    await polled(3);
    watch(stash, '1', 14);
    await polled(3);
    stash.serverLog.drop();
    await expect('started 1', 'paused 1');
    // The player of the page may save once more, as when somebody seeks.
    watch(stash, '1', 20);
    await expect('started 1', 'paused 1');
    watch(stash, '1', 24);
    await expect('started 1', 'paused 1', 'resumed 1');
    const resumed = sceneEvents().at(-1);
    assert.deepEqual([resumed?.scene.position, resumed?.scene.player], [24, undefined]);
    tell('gone');
    await expect('started 1', 'paused 1', 'resumed 1', 'progress 1');
    skip(QUIET);
    await expect('started 1', 'paused 1', 'resumed 1', 'progress 1', 'stopped 1');
  });

  it('replaces what was saved by the same page before anybody heard of it', async () => {
    watch(stash, '1', 12);
    await expect('started 1');
    tell('playing', { seconds: 14 });
    tell('paused', { seconds: 15 });
    await expect('started 1', 'progress 1', 'paused 1');
    // Or before it was heard again.
    skip(10_000);
    watch(stash, '1', 28);
    await expect('started 1', 'progress 1', 'paused 1');
    watch(stash, '1', 30);
    await expect('started 1', 'progress 1', 'paused 1', 'resumed 1');
    tell('playing', { seconds: 29 });
    tell('paused', { seconds: 30 });
    await expect('started 1', 'progress 1', 'paused 1', 'resumed 1', 'progress 1', 'paused 1');
  });

  it('counts each second once, also when a film goes on that has stopped, or begins again', async () => {
    const other = { id: 'b2', seconds: 0 };
    tell('playing', { seconds: 0 });
    tell('paused', { seconds: 3000 });
    await expect('started 1', 'paused 1');
    skip(10 * MINUTE);
    await until(() => told().includes('stopped 1'));
    tell('playing', { seconds: 3000 });
    tell('playing', other);
    tell('gone', { seconds: 3100 });
    tell('playing', { seconds: 0 });
    tell('gone', { seconds: 10 });
    tell('gone', { ...other, seconds: 200 });
    await until(() => told().length === 9);
    const stopped = sceneEvents().filter(({ type }) => type === 'stopped');
    assert.deepEqual(
      stopped.map(({ scene }) => scene.watched),
      [3000, 310],
    );
  });

  it('is of one film for each page: the one before has stopped when the next one plays', async () => {
    tell('playing');
    tell('playing', { scene: '2' });
    await expect('started 1', 'stopped 1', 'started 2');
    assert.equal(sceneEvents().at(-1)?.watching, 1);
  });

  it('says nothing of a film that was paused before anybody listened', async () => {
    tell('paused');
    tell('gone');
    await polled(2);
    assert.deepEqual(told(), []);
  });

  it('is believed only whole, at its level, and in its form', async () => {
    const player = { id: 'a1', name: 'x', scene: '1', state: 'playing', position: 1, seconds: 1, count: 1 };
    write(JSON.stringify({ player }), 'Info');
    write(JSON.stringify({ player }).slice(0, -1));
    write(`${JSON.stringify({ player })} `);
    stash.serverLog.write('Trace', `SQL: INSERT [[[Plugin] node-red-stash ${JSON.stringify({ player })}]]`);
    stash.serverLog.write('Trace', `[Plugin / Other] node-red-stash ${JSON.stringify({ player })}`);
    for (const [name, value] of [
      ['id', 'a'.repeat(30)],
      ['id', '<b>'],
      ['name', null],
      ['scene', 1],
      ['scene', '1 OR 1'],
      ['scene', '01'],
      ['state', 'dancing'],
      ['position', -1],
      ['position', '1'],
      ['position', 1e308],
      ['seconds', null],
      ['count', 'NaN'],
      ['count', Number.MAX_SAFE_INTEGER],
    ] as const) {
      write(JSON.stringify({ player: { ...player, [name]: value } }));
    }
    for (const json of ['[]', 'null', '{}', '{"player":null}', '{"player":[]}']) write(json);
    await polled(2);
    tell('playing', { name: `Fire\u0007fox ${'x'.repeat(100)}`, count: 1 });
    await expect('started 1');
    const [started] = sceneEvents();
    const name = started?.scene.player?.name ?? '';
    assert.ok(name.length === 60 && !name.includes('\u0007'), name);
  });

  it('delays no player that saves, however much is told', async () => {
    stash.serverLog.hold();
    for (let line = 0; line < 5000; line++) tell('playing', { id: `p${line}` });
    watch(stash, '2', 12);
    stash.serverLog.release();
    await until(() => told().includes('started 2'));
    assert.ok(told().length < 200, String(told().length));
  });
});
