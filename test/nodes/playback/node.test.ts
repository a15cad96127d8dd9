import assert from 'node:assert/strict';
import type { WatchedScene } from '../../../src/operations/playback/playbacks';
import { timing } from '../../../src/timing';
import { FakeStash } from '../../fake-stash/fake-stash';
import { askedWords, Flow, type Message, useFakeStash } from '../../support/flow';
import { hasPolled, skip, tell, watch } from '../../support/playback';

describe('stash-playback', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const usual = timing.playback;
  before(() => {
    timing.playback = 20;
  });
  after(() => {
    timing.playback = usual;
  });
  beforeEach(() => {
    stash().serverLog.every = 1;
  });

  const options = (properties: object = {}) => ({
    type: 'stash-playback',
    properties,
    server: { url: stash().url },
  });
  const polls = () => stash().requests.filter(({ body }) => body?.query?.includes('total_play_duration'));
  const topics = (flow: Flow) => flow.sent.map(({ topic }) => topic);
  const scene = (msg: Message | undefined) => msg?.payload as WatchedScene;

  /** Resolves when the node has noted what was watched before, and listens to the log. */
  async function start(properties: object = {}): Promise<Flow> {
    const flow = await Flow.start(options(properties));
    await flow.until(() => polls().length > 0 && stash().sockets.subscribed.includes('loggingSubscribe'));
    return flow;
  }

  it('reports that somebody starts to watch a scene, and stops', async () => {
    const details = { seconds: 6000, text: 'A harbour at night.', performers: ['Hana'], tags: ['Sea'] };
    stash().library.add({ path: '/media/videos/Night.mp4', details }, '2026-01-11T04:41:59Z');
    const flow = await start();
    watch(stash(), '6', 750);
    await flow.until(() => flow.sent.length === 1);
    const [started] = flow.sent;
    assert.equal(started?.topic, 'started');
    assert.deepEqual(started.payload, {
      id: '6',
      kind: 'scene',
      title: 'Night.mp4',
      paths: ['/media/videos/Night.mp4'],
      date: null,
      details: 'A harbour at night.',
      seconds: 6000,
      bytes: 4096,
      width: 1920,
      height: 1080,
      studio: null,
      performers: ['Hana'],
      tags: ['Sea'],
      rating: null,
      organized: false,
      playCount: 0,
      oCounter: 0,
      url: `${stash().url}/scenes/6`,
      position: 750,
      watched: 10,
    });
    assert.deepEqual(started.stash, {
      server: { name: 'nas', url: stash().url },
      operation: 'findScene',
      summary: 'summary.started',
      watching: 1,
    });
    assert.deepEqual(askedWords.find(({ key }) => key === 'detail.position')?.values, {
      time: '12 min 30 s',
    });
    await flow.until(() => flow.statuses.at(-1)?.text === 'status.watching');

    skip(30_000);
    await flow.until(() => flow.sent.length === 2);
    const [, stopped] = flow.sent;
    assert.deepEqual(
      [stopped?.topic, scene(stopped).position, stopped?.stash?.['watching'], stopped?.stash?.summary],
      ['stopped', 750, 0, 'summary.stopped'],
    );
    await flow.until(() => flow.statuses.at(-1)?.text !== 'status.watching');
  });

  it('waits for as long as the dialog says before it reports the end', async () => {
    const flow = await start({ quiet: '120' });
    watch(stash(), '1', 10);
    await flow.until(() => flow.sent.length === 1);
    skip(100_000);
    const before = polls().length;
    await flow.until(() => polls().length > before + 2);
    assert.deepEqual(topics(flow), ['started']);
    skip(20_000);
    await flow.until(() => flow.sent.length === 2);
  });

  it('reports progress if the dialog says so, with all that was watched since the start', async () => {
    const flow = await start({ started: false, progress: true, stopped: false });
    watch(stash(), '1', 10);
    await flow.until(() => flow.statuses.at(-1)?.text === 'status.watching');
    watch(stash(), '1', 20);
    await flow.until(() => flow.sent.length === 1);
    assert.deepEqual(
      [flow.sent[0]?.topic, scene(flow.sent[0]).position, scene(flow.sent[0]).watched],
      ['progress', 20, 20],
    );
  });

  it('reports pauses that a page of Stash tells, if the dialog says so, with the player', async () => {
    const flow = await start({ paused: true });
    for (const state of ['playing', 'paused', 'playing', 'gone']) tell(stash(), state);
    await flow.until(() => flow.sent.length === 4);
    assert.deepEqual(topics(flow), ['started', 'paused', 'resumed', 'stopped']);
    assert.deepEqual(scene(flow.sent[1]).player, { id: 'a1', name: 'Firefox on Linux' });
    assert.deepEqual(
      flow.sent.map(({ stash }) => stash?.['watching']),
      [1, 1, 1, 0],
    );
  });

  it('adds the picture of the scene', async () => {
    const content = Buffer.from([255, 216, 255, 224]);
    stash().library.pictures.set('scene 1', { type: 'image/jpeg', content });
    const flow = await start({ picture: 'buffer' });
    watch(stash(), '1', 10);
    await flow.until(() => flow.sent.length === 1);
    assert.deepEqual(scene(flow.sent[0]).picture, content);
  });

  it('goes on in the node that a deploy makes, and tells nothing twice', async () => {
    const flow = await start();
    watch(stash(), '1', 10);
    await flow.until(() => flow.sent.length === 1);
    await flow.redeploy(options(), 'full');
    const before = polls().length;
    watch(stash(), '1', 20);
    await flow.until(() => polls().length > before + 1);
    skip(30_000);
    await flow.until(() => flow.sent.length === 2);
    assert.deepEqual(topics(flow), ['started', 'stopped']);
    assert.equal(scene(flow.sent[1]).watched, 20);
  });

  it('only asks a server that does not save what is watched for its release, until that is another one', async () => {
    const old = await FakeStash.start({ release: 'v0.17.2' });
    const flow = await Flow.start({ type: 'stash-playback', server: { url: old.url } });
    await flow.until(() => old.requests.filter(({ operation }) => operation === 'version').length >= 3);
    const schemas = old.requests.filter(({ body }) => body?.query?.includes('__type'));
    const { length: states } = old.requests.filter(({ operation }) => operation === 'systemStatus');
    assert.ok(schemas.length <= 2 && states <= 1);
    assert.equal(flow.ownErrors[0]?.error?.code, 'UNSUPPORTED');
    const port = Number(new URL(old.url).port);
    await old.stop();
    const newer = await FakeStash.start({ release: 'v0.30.1', port });
    try {
      await flow.until(() => hasPolled(newer));
    } finally {
      await newer.stop();
    }
  });

  it('refuses a time in which every player is silent', async () => {
    const flow = await Flow.start(options({ quiet: '24' }));
    await flow.until(() => flow.ownErrors.length === 1);
    assert.equal(flow.ownErrors[0]?.error?.code, 'BAD_INPUT');
    assert.deepEqual(askedWords.find(({ key }) => key.includes('notNumber.text'))?.values, {
      property: 'quiet',
      least: 25,
    });
  });
});
