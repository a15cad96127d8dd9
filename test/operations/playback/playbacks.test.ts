import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import sinon from 'sinon';
import { followActivity } from '../../../src/operations/playback/activity';
import {
  followPlayback,
  type SceneEvent,
  type PlaybackEvent,
} from '../../../src/operations/playback/playbacks';
import { FakeStash } from '../../fake-stash/fake-stash';
import { send, text } from '../../fake-stash/answers';
import { cut } from '../../fake-stash/faults';
import { options, TestServer } from '../../support/connect';
import { Viewer } from '../../support/viewer';

const QUIET = 30;

describe('followPlayback', () => {
  let stash: FakeStash;
  let server: TestServer;
  let clock: sinon.SinonFakeTimers;
  let end: () => void;
  let viewers: Viewer[];
  let now: number;
  /** How many polls were processed, or have failed. */
  let polls: number;
  let failures: unknown[];
  /** The titles in the events. */
  let titles: unknown[];
  let events: {
    at: number;
    type: SceneEvent['type'];
    id: string;
    position: number;
    watched: number;
    watching: number;
  }[];

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    // Without its log.
    stash.sockets.refused = true;
    server = new TestServer(options(stash.url), null);
    viewers = [];
    events = [];
    titles = [];
    failures = [];
    now = polls = 0;
    clock = sinon.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'performance'],
      // The server has set some before.
      shouldClearNativeTimers: true,
    });
  });

  afterEach(async () => {
    end();
    clock.restore();
    await server.close();
    await stash.stop();
  });

  /** Follows the server from now on, after its first poll. */
  async function follow(): Promise<void> {
    const wanted = () => ({ quiet: QUIET * 1000, picture: 'none' as const });
    const ends = [
      followPlayback(server, { wanted, delivered: () => Promise.resolve(true) }, listen),
      followActivity(server, {
        onViewing: () => undefined,
        onFailure: () => {
          polls += 1;
        },
      }),
    ];
    end = () => {
      for (const one of ends) one();
    };
    await until(() => stash.requests.some(({ body }) => body?.query?.includes('findScenes')));
    await settle();
  }

  function listen(event: PlaybackEvent): void {
    if (event.type === 'polled') polls += 1;
    else if (event.type === 'failed') {
      failures.push(event.error);
      polls += 1;
    } else {
      const { type, scene, watching } = event;
      const { id, title, position, watched } = scene;
      titles.push(title);
      events.push({ at: now, type, id, position, watched, watching });
    }
  }

  async function until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await setImmediate();
  }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await setImmediate();
  }

  /** Lets seconds pass, each of them for all viewers. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      now += 1;
      for (const viewer of viewers) viewer.tick();
      const before = polls;
      clock.tick(1000);
      if (now % 10 === 0) await until(() => polls > before);
    }
  }

  function viewer(): Viewer {
    const added = new Viewer(stash);
    viewers.push(added);
    return added;
  }

  /** Adds a scene. @returns its id. */
  function film(name: string, seconds = 600): string {
    const path = `/media/videos/${name}.mp4`;
    stash.library.add({ path, details: { seconds } }, '2026-01-11T04:41:59Z');
    return stash.library.all('scene').at(-1)?.id ?? '';
  }

  const told = () => events.map(({ type, id }) => `${type} ${id}`);

  it('reports a film from its start to its end, and where its viewer was last', async () => {
    const id = film('Harbour');
    await follow();
    const one = viewer();
    one.open(id, 7);
    await pass(3);
    one.play();
    await pass(700);

    const [first, second] = events;
    assert.deepEqual(first, { at: 20, type: 'started', id, position: 17, watched: 10, watching: 1 });
    assert.deepEqual(second, { at: 30, type: 'progress', id, position: 27, watched: 20, watching: 1 });
    assert.equal(events.filter(({ type }) => type === 'progress').length, 58);
    // Of the last two percent, Stash saves no position.
    const last = { type: 'stopped', id, position: 587, watched: 593, watching: 0 };
    assert.deepEqual(events.at(-1), { at: 630, ...last });
  });

  it('reports nothing about what was watched before', async () => {
    const one = viewer();
    one.open('2');
    one.play();
    for (let second = 0; second < 100; second++) one.tick();
    one.pause();
    await follow();
    await pass(120);
    assert.deepEqual(events, []);
  });

  it('reports a long pause as the end, and a short one not at all', async () => {
    const id = film('Harbour');
    await follow();
    const one = viewer();
    one.open(id);
    one.play();
    await pass(55);
    one.pause();
    await pass(15);
    one.play();
    await pass(35);
    const short = told();
    one.pause();
    await pass(60);
    one.play();
    await pass(20);
    assert.ok(!short.includes('stopped 6'), String(short));
    assert.deepEqual(
      events.filter(({ type }) => type !== 'progress').map(({ type, watched }) => [type, watched]),
      [
        ['started', 10],
        ['stopped', 90],
        ['started', 10],
      ],
    );
  });

  it('counts several viewers of a scene once, and all scenes', async () => {
    await follow();
    for (const id of ['1', '1', '2']) {
      const one = viewer();
      one.open(id);
      one.play();
    }
    await pass(10);
    viewers[0]?.pause();
    await pass(40);
    assert.deepEqual(
      events.slice(0, 2).map(({ type, id, watched, watching }) => [type, id, watched, watching]),
      [
        ['started', '1', 20, 1],
        ['started', '2', 10, 2],
      ],
    );
    viewers[2]?.pause();
    await pass(35);
    assert.deepEqual(
      told().filter((one) => one.startsWith('stopped')),
      ['stopped 2'],
    );
    assert.equal(events.at(-1)?.watching, 1);
  });

  it('finds a scene that was last watched before many others', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => film(`film ${index}`));
    await follow();
    const one = viewer();
    for (const [index, id] of [...ids, ids[0] ?? ''].entries()) {
      one.open(id, index);
      one.play();
      await pass(10);
    }
    assert.deepEqual(
      events.filter(({ type }) => type === 'started').map(({ id }) => id),
      [...ids, ids[0]],
    );
  });

  it('reports nothing while the server is away, and no end before it was silent since', async () => {
    const id = film('Harbour');
    await follow();
    const one = viewer();
    one.open(id);
    one.play();
    await pass(20);
    const before = events.length;
    stash.answerWith(cut);
    await pass(100);
    assert.equal(events.length, before);
    assert.deepEqual(failures, [], 'the status shows an unreachable server');

    stash.answerNormally();
    await pass(20);
    assert.deepEqual(told().slice(before), ['progress 6', 'progress 6']);
    assert.equal(events.at(-1)?.watched, 140);
  });

  it('reports the end although the server fails again and again', async () => {
    const id = film('Harbour');
    await follow();
    const one = viewer();
    one.open(id);
    one.play();
    await pass(20);
    one.pause();
    for (let turn = 0; turn < 5; turn++) {
      stash.answerWith(text(500, 'no'), { field: 'stats', times: 1 });
      await pass(20);
    }
    assert.equal(told().at(-1), 'stopped 6');
  });

  it('reports other scenes although one of them cannot be requested', async () => {
    const id = film('Harbour');
    await follow();
    const [one, other] = [viewer(), viewer()];
    one.open(id);
    one.play();
    await pass(20);
    // Only the request for all fields of the scene.
    stash.answerWith(
      async (request, response, body, execute) => {
        send(request, response, body?.query?.includes('title') ? text(500, 'no') : await execute());
      },
      { field: 'findScene' },
    );
    other.open('2');
    other.play();
    await pass(10);
    one.pause();
    await pass(40);
    assert.equal(told().at(-1), 'stopped 6');
    assert.ok(failures.length > 0);
  });

  it('shows nothing as being watched while its polls fail, and shows it again afterwards', async () => {
    const id = film('Harbour');
    await follow();
    const one = viewer();
    one.open(id);
    one.play();
    await pass(20);
    const shown = () => [...server.watched.values()].flat().map(({ title }) => title);
    assert.deepEqual(shown(), ['Harbour.mp4']);
    stash.answerWith(text(401, ''));
    await pass(10);
    assert.deepEqual(shown(), []);
    stash.answerNormally();
    await pass(10);
    assert.deepEqual(shown(), ['Harbour.mp4']);
  });

  it('reports of what began while the server was away only what goes on', async () => {
    const [harbour, lantern] = [film('Harbour'), film('Lantern')];
    await follow();
    const [one, other] = [viewer(), viewer()];
    one.open(harbour);
    other.open(lantern);
    await pass(10);
    stash.answerWith(cut);
    one.play();
    other.play();
    await pass(20);
    one.pause();
    stash.answerNormally();
    await pass(20);
    assert.deepEqual(told(), ['started 7']);
  });

  it('reports nothing when an import or an edit sets how long scenes were watched', async () => {
    await follow();
    const { library } = stash;
    const [edited] = library.all('scene');
    if (edited) library.changes.set(edited, { playDuration: 60 });
    film('Imported');
    const imported = library.all('scene').at(-1);
    if (imported) library.changes.set(imported, { playDuration: 5, resumeTime: 5 });
    await pass(60);
    assert.deepEqual(told(), []);
    const one = viewer();
    one.open('1');
    one.play();
    await pass(10);
    assert.deepEqual(
      events.map(({ watched }) => watched),
      [10],
    );
  });

  it('reports a scene as it is now, although it was edited while it is watched, or cannot be requested again', async () => {
    const id = film('Harbour');
    await follow();
    const one = viewer();
    one.open(id);
    one.play();
    const edit = (title: string) => {
      for (const scene of stash.library.all('scene').slice(-1)) {
        stash.library.changes.set(scene, { ...stash.library.changes.get(scene), texts: { title } });
      }
    };
    await pass(10);
    edit('Low Tide');
    await pass(10);
    let isBroken = true;
    stash.answerWith(
      async (request, response, body, execute) => {
        const fails = isBroken && body?.query?.includes('title');
        send(request, response, fails ? text(500, 'no') : await execute());
      },
      { field: 'findScene' },
    );
    await pass(10);
    viewers.shift();
    isBroken = false;
    edit('High Tide');
    await pass(60);
    assert.deepEqual(told(), ['started 6', 'progress 6', 'progress 6', 'stopped 6']);
    assert.deepEqual(titles, ['Harbour.mp4', 'Low Tide', 'Low Tide', 'High Tide']);
    assert.deepEqual(failures, []);
  });

  it('ends with a scene that is removed while it is watched, and finds others afterwards', async () => {
    const id = film('Harbour');
    await follow();
    const [one, other] = [viewer(), viewer()];
    one.open(id);
    one.play();
    await pass(20);
    const [removed] = stash.library.all('scene').splice(-1);
    if (removed) stash.library.remove(removed);
    viewers.shift();
    await pass(30);
    other.open('2');
    other.play();
    await pass(20);
    assert.deepEqual(told(), ['started 6', 'progress 6', 'stopped 6', 'started 2', 'progress 2']);
  });

  it('reports a start later if the scene cannot be requested at once, with all that was watched', async () => {
    await follow();
    const one = viewer();
    one.open('2');
    one.play();
    stash.answerWith(text(500, 'no'), { field: 'findScene', times: 1 });
    await pass(30);
    assert.deepEqual(
      events.map(({ at, type, watched }) => [at, type, watched]),
      [
        [20, 'started', 20],
        [30, 'progress', 30],
      ],
    );
    assert.equal(failures.length, 1);
  });

  it('shares its polls among all nodes, and polls nothing without one', async () => {
    await follow();
    const polls = () => stash.requests.filter(({ operation }) => operation === 'stats').length;
    const before = polls();
    await pass(60);
    assert.equal(polls() - before, 6);
    end();
    await pass(5);
    const { length } = stash.requests;
    clock.tick(60_000);
    await settle();
    assert.equal(stash.requests.length, length);
  });

  it('misses nothing of what three viewers do in half an hour, and makes nothing up', async () => {
    await evening(0.5);
  }).timeout(20_000);

  /** Lets three viewers watch, pause, seek, reload and leave for some hours, and holds each event against what they did. */
  async function evening(hours: number, seed = 7): Promise<void> {
    let state = seed;
    const random = (count: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * count);
    };
    const ids = Array.from({ length: 8 }, (_, index) => film(`film ${index}`, 300 + random(5000)));
    await follow();
    const people = [1, 2, 3].map(() => ({ viewer: viewer(), id: '', until: random(120) }));
    /** When somebody played each scene last, and since when somebody has without a stop. */
    const played = new Map<string, { last: number; since: number }>();
    /** When a player saved last, and how long the scene was watched by then. */
    const saved = new Map<string, { at: number; seconds: number }>();
    const isOpen = (id: string) => {
      const last = events.filter((event) => event.id === id && event.type !== 'progress').at(-1);
      return last?.type === 'started';
    };
    for (let second = 0; second < hours * 3600; second++) {
      for (const person of people) {
        if (now < person.until) continue;
        person.until = now + 5 + random([20, 120, 900][random(3)] ?? 0);
        const { viewer } = person;
        const act = random(6);
        if (viewer.isPlaying && act < 3) viewer.pause();
        else if (viewer.isPlaying && act === 3) viewer.position = random(250);
        else if (person.id !== '' && act < 5) {
          if (act === 4) viewer.open(person.id, viewer.position);
          viewer.play();
        } else {
          person.id = ids[random(ids.length)] ?? '';
          viewer.open(person.id, random(200));
          viewer.play();
        }
      }
      const playing = new Set(people.flatMap(({ viewer, id }) => (viewer.isPlaying ? [id] : [])));
      await pass(1);
      for (const id of playing) {
        const { last, since } = played.get(id) ?? { last: -1, since: now };
        played.set(id, { last: now, since: last === now - 1 ? since : now });
      }
      for (const scene of stash.library.all('scene')) {
        const { playDuration: seconds = 0 } = stash.library.changes.get(scene) ?? {};
        if (seconds !== (saved.get(scene.id)?.seconds ?? 0)) saved.set(scene.id, { at: now, seconds });
      }
      for (const [id, { last, since }] of played) {
        const where = `${id} at ${now}, played from ${since} to ${last}`;
        // Each viewer saves after ten seconds, and is seen within ten more.
        if (last === now && now - since >= 20) assert.ok(isOpen(id), `is being watched: ${where}`);
        if (now - last > QUIET + 20) assert.ok(!isOpen(id), `is not watched: ${where}`);
      }
      const fresh = events.filter(({ at }) => at === now);
      for (const { type, id } of fresh) {
        const silence = now - (saved.get(id)?.at ?? -Infinity);
        if (type === 'stopped') assert.ok(silence >= QUIET, `${id} has stopped at ${now}, after ${silence}`);
        else assert.ok(silence <= 10, `${id} ${type} at ${now}, after ${silence}`);
      }
    }
    const changes = events.filter(({ type }) => type !== 'progress');
    for (const id of ids) {
      const types = changes.filter((event) => event.id === id).map(({ type }) => type);
      types.forEach((type, index) => {
        assert.equal(type, index % 2 === 0 ? 'started' : 'stopped');
      });
    }
    assert.ok(changes.length > 10 * hours, String(changes.length));
    assert.deepEqual(failures, []);
  }
});
