import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PicturedItem } from '../../../src/operations/items';
import { json, send } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { cut } from '../../fake-stash/faults';
import type { Arrival } from '../../fake-stash/library';
import { poster } from '../../fake-stash/poster';
import { otherTask } from '../../fake-stash/tasks';
import { askedWords, Flow, type Message, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten, TEMPO } from '../../support/tempo';
import { until } from '../../support/waiting';

const FOLDER = '/media/videos/New';
const TIME = '2026-01-11T04:41:59Z';

describe('stash-new', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });
  let again: FakeStash | undefined;
  afterEach(async () => {
    await again?.stop();
    again = undefined;
  });

  const options = (properties: object = {}) => ({
    type: 'stash-new',
    properties,
    server: { url: stash().url },
  });
  const looks = (server = stash(), field = 'findScenes') =>
    server.requests.filter(({ body }) => String(body?.query).includes(field)).length;
  const fields = { scenes: 'findScenes', images: 'findImages', galleries: 'findGalleries' };

  /** Resolves when the node has looked for the first time and follows the jobs. */
  async function start(properties: Record<string, boolean | string> = {}): Promise<Flow> {
    const flow = await Flow.start(options(properties));
    const ticked: Record<string, unknown> = { scenes: true, ...properties };
    const chosen = Object.entries(fields).flatMap(([name, field]) => (ticked[name] ? [field] : []));
    await settled(flow, stash(), chosen);
    return flow;
  }

  /** The first look at a kind takes two requests, before and after the check of the server's state. */
  async function settled(flow: Flow, server = stash(), chosen = [fields.scenes]): Promise<void> {
    await flow.until(
      () =>
        chosen.every((field) => looks(server, field) >= 2) &&
        server.sockets.subscribed.includes('jobsSubscribe'),
    );
  }

  async function followed(flow: Flow, server: FakeStash): Promise<void> {
    await flow.until(() => looks(server) > 0 && server.sockets.subscribed.includes('jobsSubscribe'));
  }

  /** Adds files to the library, as a scan does, and ends a job. */
  function scan(...files: (string | Arrival)[]): void {
    for (const file of files) {
      const arrival = typeof file === 'string' ? { path: `${FOLDER}/${file}` } : file;
      stash().library.add(arrival, TIME);
    }
    finish();
  }

  function finish(server = stash()): void {
    server.jobs.add(otherTask('Scanning...', 'a step'));
  }

  const item = (msg: Message | undefined) => msg?.payload as PicturedItem;
  const titles = (flow: Flow) => flow.sent.map((msg) => item(msg).title);
  const arrived = (flow: Flow, count: number) => flow.until(() => flow.sent.length >= count);

  /** Ends a further job, and waits until the node has looked after it. */
  async function quiet(flow: Flow, server = stash()): Promise<void> {
    const before = looks(server);
    finish(server);
    await flow.until(() => looks(server) > before && server.jobs.queue === null);
    await sleep(50);
  }

  it('reports each new scene after a scan, whoever started it, and nothing that was there before', async () => {
    const flow = await start();
    const details = { date: '2026-01-10', studio: 'Lanterna', performers: ['Hana', 'Robin'], tags: ['Sea'] };
    scan(
      { path: `${FOLDER}/Holiday.mp4`, title: 'Holiday 2026', details: { ...details, seconds: 720.5 } },
      'b.mp4',
    );
    await arrived(flow, 2);
    await quiet(flow);

    const [first, second] = flow.sent;
    assert.equal(flow.sent.length, 2);
    assert.equal(first?.topic, 'scene');
    assert.deepEqual(first.payload, {
      id: '6',
      kind: 'scene',
      title: 'Holiday 2026',
      paths: [`${FOLDER}/Holiday.mp4`],
      date: '2026-01-10',
      details: null,
      seconds: 720.5,
      bytes: 4096,
      width: 1920,
      height: 1080,
      studio: 'Lanterna',
      performers: ['Hana', 'Robin'],
      tags: ['Sea'],
      rating: null,
      organized: false,
      playCount: 0,
      oCounter: 0,
      url: `${stash().url}/scenes/6`,
    });
    assert.deepEqual(first.stash, {
      server: { name: 'nas', url: stash().url },
      operation: 'findScene',
      summary: 'summary.item',
    });
    assert.deepEqual(askedWords.find(({ key }) => key === 'detail.duration')?.values, { time: '12 min 1 s' });
    assert.deepEqual([item(second).id, item(second).title, item(second)['studio']], ['7', 'b.mp4', null]);
  });

  it('reports images and galleries if the dialog says so', async () => {
    const flow = await start({ scenes: false, images: true, galleries: true });
    scan('one.jpg', 'Pictures', 'Pictures/two.jpg', 'film.mp4');
    await arrived(flow, 3);

    assert.deepEqual(
      flow.sent.map(({ topic, payload }) => [topic, (payload as PicturedItem).title]),
      [
        ['image', 'one.jpg'],
        ['image', 'two.jpg'],
        ['gallery', 'Pictures'],
      ],
    );
    const { paths, images, url } = item(flow.sent[2]);
    assert.deepEqual([paths, images, url], [[`${FOLDER}/Pictures`], 1, `${stash().url}/galleries/1`]);
    const image = item(flow.sent[0]);
    assert.deepEqual(Object.keys(image), [
      ...['id', 'kind', 'title', 'paths', 'date', 'bytes', 'width', 'height', 'studio', 'performers', 'tags'],
      ...['rating', 'organized', 'oCounter', 'url'],
    ]);
    assert.equal(looks(), 0, 'no request for scenes');
  });

  it('reports a list for each kind and look if the dialog says so', async () => {
    const flow = await start({ images: true, each: false });
    scan('1.mp4', '2.mp4', 'a.jpg', '3.mp4', '4.mp4');
    await arrived(flow, 2);

    const [scenes, images] = flow.sent;
    assert.deepEqual([scenes?.topic, images?.topic], ['scene', 'image']);
    assert.deepEqual(
      (scenes?.payload as PicturedItem[]).map(({ id }) => id),
      ['6', '7', '8', '9'],
    );
    assert.deepEqual([scenes?.stash?.summary, images?.stash?.summary], ['summary.scenes', 'summary.images']);
  });

  it('shows how many items the last look has found, and when', async () => {
    const flow = await start();
    scan('1.mp4', '2.mp4', '3.mp4');
    await flow.until(() => flow.statuses.some(({ text }) => text === 'status.new'));
    assert.deepEqual(flow.statuses.at(-1), { fill: 'green', shape: 'dot', text: 'status.new' });
  });

  it('requests nothing while nothing happens', async () => {
    const flow = await start();
    // The last request after the start is the second look.
    await flow.until(() => looks() === 3);
    const { length: before } = stash().requests;
    await sleep(1_000);
    assert.equal(stash().requests.length, before);
  });

  it('looks once more after the start, because a job may end before the jobs are followed', async () => {
    const flow = await start();
    stash().library.add({ path: `${FOLDER}/1.mp4` }, TIME);
    await arrived(flow, 1);
    assert.deepEqual(titles(flow), ['1.mp4']);
  });

  it('reports items once although several scans end together', async () => {
    const flow = await start();
    for (let count = 1; count <= 5; count++) scan(`${count}.mp4`);
    await arrived(flow, 5);
    await quiet(flow);
    assert.deepEqual(titles(flow), ['1.mp4', '2.mp4', '3.mp4', '4.mp4', '5.mp4']);
  });

  it('looks again if a scan ends during a look', async () => {
    const flow = await start();
    let added = false;
    stash().answerWith(
      async (request, response, _body, execute) => {
        const answer = await execute();
        if (!added) scan('late.mp4');
        added = true;
        await until(() => stash().jobs.queue === null);
        await sleep(300);
        send(request, response, answer);
      },
      { field: 'findScenes', times: 1 },
    );
    scan('early.mp4');
    await arrived(flow, 2);
    assert.deepEqual(titles(flow), ['early.mp4', 'late.mp4']);
  });

  it('reports 2,500 items in order, once each, without those that were removed meanwhile', async () => {
    const flow = await start();
    const files = Array.from({ length: 2_500 }, (_, index) => `${index + 1}.mp4`);
    stash().answerWith(
      async (request, response, _body, execute) => {
        // Between the first page and the items.
        const gone = stash()
          .library.all('scene')
          .find(({ path }) => path.endsWith('/2.mp4'));
        if (gone) stash().library.remove(gone);
        send(request, response, await execute());
      },
      { field: 'findScene', times: 1 },
    );
    scan(...files);
    await arrived(flow, 2_499);
    await quiet(flow);
    assert.deepEqual(
      titles(flow),
      files.filter((name) => name !== '2.mp4'),
    );
  });

  it('splits a list of more than 1,000 items', async () => {
    const flow = await start({ each: false });
    scan(...Array.from({ length: 1_203 }, (_, index) => `${index + 1}.mp4`));
    await arrived(flow, 2);
    assert.deepEqual(
      flow.sent.map(({ payload }) => (payload as unknown[]).length),
      [1_000, 203],
    );
  });

  it('does not report an item again after the newest ones were removed', async () => {
    const flow = await start();
    scan('1.mp4', '2.mp4');
    await arrived(flow, 2);
    for (const entry of stash().library.all('scene').slice(-2)) stash().library.remove(entry);
    await quiet(flow);
    scan('3.mp4');
    await arrived(flow, 3);
    assert.deepEqual(titles(flow), ['1.mp4', '2.mp4', '3.mp4']);
  });

  it('loses and repeats nothing if a deploy interrupts a report', async () => {
    const flow = await start();
    const files = Array.from({ length: 1_000 }, (_, index) => `${index + 1}.mp4`);
    scan(...files);
    for (const count of [50, 300, 301]) {
      await arrived(flow, count);
      await flow.redeploy(options({ name: `deployed after ${count}` }));
    }
    await arrived(flow, 1_000);
    await quiet(flow);
    assert.deepEqual(titles(flow), files);
  });

  it('loses and repeats nothing if Node-RED stops its flows in the middle', async () => {
    const files = Array.from({ length: 600 }, (_, index) => `${index + 1}.mp4`);
    const all: (string | null | undefined)[] = [];
    let flow = await start();
    scan(...files);
    for (const count of [1, 40, 41, 200]) {
      await flow.until(() => all.length + flow.sent.length >= count);
      await helper.unload();
      all.push(...titles(flow));
      flow = await Flow.start(options());
    }
    await flow.until(() => all.length + flow.sent.length >= 600);
    await quiet(flow);
    assert.deepEqual([...all, ...titles(flow)], files);
  });

  it('starts anew with a kind that is ticked later', async () => {
    const flow = await start();
    scan('1.jpg');
    await quiet(flow);
    await flow.redeploy(options({ images: true }));
    await flow.until(() => looks(stash(), 'findImages') >= 2);
    await quiet(flow);
    assert.deepEqual(flow.sent, []);
    scan('2.jpg');
    await arrived(flow, 1);
    assert.deepEqual(titles(flow), ['2.jpg']);
  });

  it('starts anew with another server', async () => {
    const flow = await start();
    again = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });
    for (let count = 1; count <= 20; count++) again.library.add({ path: `${FOLDER}/${count}.mp4` }, TIME);
    await flow.redeploy({ ...options(), server: { url: again.url } });
    await settled(flow, again);
    await quiet(flow, again);
    assert.deepEqual(flow.sent, []);
  });

  describe('with a server that restarts', () => {
    /** Starts a server at the same address with the same library, and a database that a test may change. */
    async function restart(
      change: (library: FakeStash['library']) => void = () => undefined,
    ): Promise<FakeStash> {
      const { port, library } = stash();
      await stash().stop();
      again = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1, port });
      for (const { path } of library.all('scene').slice(5)) again.library.add({ path }, TIME);
      change(again.library);
      return again;
    }

    it('reports what came while it was away', async () => {
      const flow = await start();
      scan('1.mp4');
      await arrived(flow, 1);
      await restart((library) => {
        library.add({ path: `${FOLDER}/2.mp4` }, TIME);
      });
      await arrived(flow, 2);
      assert.deepEqual(titles(flow), ['1.mp4', '2.mp4']);
      assert.deepEqual(flow.ownErrors, []);
    });

    it('reports the rest if it goes away in the middle', async () => {
      const flow = await start();
      const files = Array.from({ length: 450 }, (_, index) => `${index + 1}.mp4`);
      scan(...files);
      await arrived(flow, 110);
      const server = await restart();
      await arrived(flow, 450);
      await followed(flow, server);
      await quiet(flow, server);
      assert.deepEqual(titles(flow), files);
    });

    it('starts again from the highest id of an older database', async () => {
      const flow = await start();
      scan('1.mp4', '2.mp4', '3.mp4');
      await arrived(flow, 3);
      const server = await restart((library) => {
        for (const entry of library.all('scene').slice(5)) library.remove(entry);
      });
      await followed(flow, server);
      await quiet(flow, server);
      assert.equal(flow.sent.length, 3);
    });
  });

  it('is not set back by a server that is not set up', async () => {
    const flow = await start();
    stash().answerWith(json({ data: { findScenes: { count: 0, scenes: [] } } }), {
      field: 'findScenes',
      times: 3,
    });
    stash().status = 'SETUP';
    finish();
    await flow.until(() => flow.ownErrors.length > 0);
    assert.equal(flow.ownErrors[0]?.error?.code, 'SERVER_STATE');
    stash().answerNormally();
    stash().status = 'OK';
    scan('1.mp4');
    await arrived(flow, 1);
    await quiet(flow);
    assert.deepEqual(titles(flow), ['1.mp4']);
    assert.equal(flow.ownErrors.length, 1, 'one error for all attempts');
  });

  it('tries again after an error, and reports it once', async () => {
    const flow = await start();
    stash().answerWith(json({ errors: [{ message: 'database is locked' }], data: null }), {
      field: 'findScenes',
      times: 3,
    });
    scan('1.mp4');
    await arrived(flow, 1);
    assert.deepEqual(
      flow.ownErrors.map(({ error, stash: { summary } = {} }) => [error?.code, summary === undefined]),
      [['GRAPHQL', false]],
    );
  });

  it('reports the part of the dialog that is wrong', async () => {
    const flow = await Flow.start(options({ scenes: false }));
    assert.match(String(flow.firstStatus?.text), /BAD_INPUT/);
  });

  describe('with pictures', () => {
    it('fetches the cover of a scene and the thumbnail of an image, and of a gallery that of its cover', async () => {
      const flow = await start({ images: true, galleries: true, picture: 'buffer' });
      scan('1.mp4', 'Pictures', 'Pictures/1.jpg');
      await arrived(flow, 3);
      assert.deepEqual(
        flow.sent.map((msg) => [msg.topic, item(msg).picture]),
        [
          ['scene', poster('1.mp4', 6)],
          ['image', poster('1.jpg', 2)],
          ['gallery', poster('1.jpg', 2)],
        ],
      );
      assert.ok(Buffer.isBuffer(item(flow.sent[0]).picture));
    });

    it('fetches a picture as a text that a web page shows, on request', async () => {
      const flow = await start({ picture: 'dataUrl' });
      scan('1.mp4');
      await arrived(flow, 1);
      const { picture } = item(flow.sent[0]);
      assert.equal(picture, `data:image/png;base64,${poster('1.mp4', 6).toString('base64')}`);
    });

    it('puts no type into such a text that a web page could take for more', async () => {
      stash().library.pictures.set('scene 6', { type: 'image/x"><script>', content: Buffer.alloc(10) });
      const flow = await start({ picture: 'dataUrl' });
      scan('1.mp4');
      await arrived(flow, 1);
      assert.equal(item(flow.sent[0]).picture, null);
    });

    it('reports an item without a picture if there is none, it is no picture, or too large', async () => {
      const { pictures } = stash().library;
      pictures.set('scene 6', null);
      pictures.set('scene 7', { type: 'image/jpeg', content: Buffer.alloc(10 * 1024 * 1024 + 1) });
      pictures.set('scene 8', { type: 'video/mp4', content: Buffer.alloc(100) });
      pictures.set('scene 9', { type: 'image/webp', content: Buffer.alloc(10 * 1024 * 1024) });
      stash().answerWith({ status: 500, headers: {}, body: '' }, { path: '/scene/10/' });
      stash().answerWith(
        { status: 302, headers: { location: 'http://elsewhere.example/' }, body: '' },
        { path: '/scene/11/' },
      );
      stash().answerWith(cut, { path: '/scene/12/' });
      const flow = await start({ picture: 'buffer' });
      scan('6.mp4', '7.mp4', '8.mp4', '9.mp4', '10.mp4', '11.mp4', '12.mp4', '13.mp4');
      await arrived(flow, 8);
      await quiet(flow);
      assert.deepEqual(
        flow.sent.map((msg) => item(msg).picture?.length ?? null),
        [null, null, null, 10 * 1024 * 1024, null, null, null, poster('13.mp4', 13).length],
      );
      assert.deepEqual(flow.ownErrors, []);
    });

    it('sends the key of the server with the request, only to its address', async () => {
      stash().apiKey = 'key';
      const flow = await Flow.start({
        ...options({ picture: 'buffer' }),
        server: { url: stash().url, auth: 'apiKey' },
        credentials: { apiKey: 'key' },
      });
      await settled(flow);
      scan('1.mp4');
      await arrived(flow, 1);
      assert.deepEqual(item(flow.sent[0]).picture, poster('1.mp4', 6));
    });

    it('reports a list in several messages if its pictures are large', async () => {
      const flow = await start({ picture: 'buffer', each: false });
      const content = Buffer.alloc(10 * 1024 * 1024);
      for (let id = 6; id <= 13; id++)
        stash().library.pictures.set(`scene ${id}`, { type: 'image/png', content });
      scan(...Array.from({ length: 8 }, (_, index) => `${index + 1}.mp4`));
      await arrived(flow, 2);
      assert.deepEqual(
        flow.sent.map(({ payload }) => (payload as unknown[]).length),
        [6, 2],
      );
    });
  });
});
