import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, send, text } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { answerWhenTold } from '../fake-stash/faults';
import { poster } from '../fake-stash/poster';
import { Flow, useFakeStash } from '../support/flow';
import { helper, leave } from '../support/runtime';

const KEY = 'a-k3y-for-dialogs';

/** Returns the first bytes of a picture of this type, with content of this size. */
function picture(type: string, size = 100) {
  return { type, content: Buffer.alloc(size, 7) };
}

describe("the items that a picker of a node's dialog offers", () => {
  const stash = useFakeStash({ release: 'v0.30.1', apiKey: KEY });

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    await Flow.start({
      type: 'stash-scan',
      server: { url: stash().url, auth: 'apiKey' },
      credentials: { apiKey: KEY },
    });
  });

  const question = (body: object) =>
    helper
      .request()
      .post('/stash-server/items')
      .send({ id: 'server1', ...body });
  const ask = async (body: object): Promise<object> => (await question(body).expect(200)).body as object;
  const searches = () => stash().requests.filter(({ operation }) => operation === 'findTags');

  it('fit the text, and name what was chosen', async () => {
    assert.deepEqual(await ask({ kind: 'tag', text: 'doc', ids: ['1', '9'] }), {
      items: [{ id: '2', label: 'Documentary', detail: '' }],
      count: 1,
      chosen: [{ id: '1', label: 'Black and white', detail: 'b/w' }],
    });
  });

  it('are told only for deployed servers, and of known kinds', async () => {
    for (const id of ['other', 'tested', '', null, ['server1']]) {
      assert.deepEqual(await ask({ id, kind: 'tag', text: '' }), { case: 'NO_SERVER.none', details: {} });
    }
    assert.deepEqual(await ask({ kind: 'users', text: '' }), {
      case: 'BAD_INPUT.unknownChoice',
      details: { choice: 'users' },
    });
    assert.deepEqual(stash().requests, []);
  });

  it('may be an error case, but never the response of the server', async () => {
    const secret = 'what only Node-RED can reach';
    for (const [answer, expected] of [
      [text(200, secret), 'NOT_STASH.page'],
      [json({ errors: [{ message: secret }], data: null }), 'GRAPHQL.failed'],
      [json({ data: { found: { count: 1, tags: secret } } }), 'GRAPHQL.form'],
    ] as const) {
      stash().answerWith(answer, { field: 'findTags' });
      const result = await ask({ kind: 'tag', text: '' });
      assert.equal((result as { case: string }).case, expected);
      assert.ok(!JSON.stringify(result).includes(secret));
      stash().answerNormally();
    }
    await stash().stop();
    assert.equal(
      ((await ask({ kind: 'tag', text: '' })) as { case: string }).case,
      'UNREACHABLE.refusedHere',
    );
  });

  it('are asked for one after another, and fifty questions at most wait', async () => {
    let running = 0;
    let most = 0;
    stash().answerWith(
      async (request, response, _body, execute) => {
        most = Math.max(most, ++running);
        const answer = await execute();
        running -= 1;
        send(request, response, answer);
      },
      { field: 'findTags' },
    );
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask({ kind: 'tag', text: String(index) })),
    );
    const refused = answers.filter((answer) => 'case' in answer && answer.case === 'QUEUE_FULL.tests');
    assert.deepEqual([most, refused.length, searches().length], [1, 10, 50]);
  });

  it('are not asked for once the browser has gone', async () => {
    const closed = new Promise((resolve) => {
      stash().answerWith((_request, response) => void response.once('close', resolve), {
        field: 'findTags',
        times: 1,
      });
    });
    const asking = ['a', 'b', 'c'].map((text) => question({ kind: 'tag', text }));
    const ended = Promise.allSettled(asking);
    while (searches().length === 0) await sleep(1);
    asking.forEach(leave);
    await Promise.race([ended, sleep(100)]);
    await closed;
    assert.deepEqual(await ask({ kind: 'tag', text: 'none' }), { items: [], count: 0, chosen: [] });
    assert.equal(searches().length, 2);
  });
});

describe("the pictures that a picker of a node's dialog shows", () => {
  const stash = useFakeStash({ release: 'v0.30.1', apiKey: KEY });

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    await Flow.start({
      type: 'stash-scan',
      server: { url: stash().url, auth: 'apiKey' },
      credentials: { apiKey: KEY },
    });
  });

  const request = (scene: string, id = 'server1') => requestAt(`/scene/${scene}/screenshot`, id);
  const requestAt = (path: string, id = 'server1') =>
    helper.request().get('/stash-server/picture').query({ id, path });
  const reads = () => stash().requests.filter(({ path }) => path.includes('/screenshot'));

  it('are the covers of scenes, which a browser keeps for a minute, and shows as nothing but a picture', async () => {
    const { body, headers } = await request('2').expect(200);

    assert.deepEqual(body, poster('Morning Ferry', 2));
    assert.equal(headers['content-type'], 'image/png');
    assert.equal(headers['cache-control'], 'private, max-age=60');
    assert.match(String(headers['vary']), /authorization/i);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
    // Node-RED sends the key, and the browser gets nothing of it.
    assert.equal(reads()[0]?.headers['apikey'], KEY);
    assert.ok(!JSON.stringify(headers).includes(KEY));
  });

  it('are requested with the key alone, also by an address that has expired', async () => {
    const { body } = await requestAt(`/scene/2/screenshot?t=1&cid=a&expires=1&signature=${'b'.repeat(64)}`);
    assert.deepEqual(body, poster('Morning Ferry', 2));
    assert.deepEqual(
      reads().map(({ path, headers }) => [path, headers['apikey']]),
      [['/scene/2/screenshot', KEY]],
    );
  });

  it('are pictures of the usual types up to 1 MiB, and nothing else', async () => {
    for (const [content, status] of [
      [picture('image/PNG; charset=x'), 200],
      [picture('image/webp', 1024 * 1024), 200],
      [picture('image/webp', 1024 * 1024 + 1), 204],
      [picture('image/svg+xml'), 204],
      [picture('image/x-unknown'), 204],
      [picture('text/html'), 204],
      [picture('image/png', 0), 204],
      [null, 204],
    ] as const) {
      stash().library.pictures.set('scene 1', content);
      const { body, headers } = await request('1').expect(status);
      if (status === 200) {
        assert.deepEqual(body, content.content);
        assert.match(String(headers['content-type']), /^image\/(png|webp)$/);
      } else {
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['content-type'], undefined);
      }
    }
  });

  it('come only from deployed servers, and from no address but that of a picture', async () => {
    await request('1', 'other').expect(204);
    await request('1', 'tested').expect(204);
    for (const scene of ['', '1/../../graphql', '1?x=', 'http://example.org/', '-1', '1'.repeat(19)]) {
      await request(scene).expect(204);
    }
    for (const path of ['/scene/1/stream', '/studio/1/screenshot', '/graphql', '/login?returnURL=x']) {
      await requestAt(path).expect(204);
    }
    await helper.request().get('/stash-server/picture?id=server1&path[]=1').expect(204);
    assert.deepEqual(stash().requests, []);

    await request('9999').expect(204);
    // It does not follow to where a server sends it.
    stash().answerWith(
      { status: 302, headers: { Location: '/scene/2/screenshot' }, body: '' },
      { path: '/scene/1/screenshot' },
    );
    await request('1').expect(204);
    assert.deepEqual(
      reads().map(({ path }) => path),
      ['/scene/9999/screenshot', '/scene/1/screenshot'],
    );
  });

  it('are nothing if the server cannot be reached', async () => {
    await stash().stop();
    await request('1').expect(204);
  });

  it('are read two at a time, and fifty requests at most wait', async () => {
    let running = 0;
    let most = 0;
    stash().answerWith(
      async (incoming, response) => {
        most = Math.max(most, ++running);
        await sleep(1);
        running -= 1;
        const { type, content } = picture('image/png');
        send(incoming, response, { status: 200, headers: { 'Content-Type': type }, body: content });
      },
      { path: '/scene/1/screenshot' },
    );
    const statuses = await Promise.all(Array.from({ length: 80 }, async () => (await request('1')).status));
    const counted = [200, 204].map((status) => statuses.filter((one) => one === status).length);
    assert.deepEqual([most, ...counted], [2, 50, 30]);
  });

  it('are read from other servers while one hangs, as items are', async () => {
    const other = await FakeStash.start({ release: 'v0.30.1' });
    await helper.unload();
    await Flow.start({
      type: 'stash-scan',
      server: { url: stash().url, auth: 'apiKey' },
      credentials: { apiKey: KEY },
      configs: [{ id: 'server2', type: 'stash-server', url: other.url }],
    });
    const { handler, answer } = answerWhenTold();
    stash().answerWith(handler, { path: '/scene/1/screenshot' });
    stash().answerWith(handler, { field: 'findTags' });
    const tags = (id: string) =>
      helper.request().post('/stash-server/items').send({ id, kind: 'tag', text: '' });
    try {
      const pictures = Array.from({ length: 60 }, async () => (await request('1')).status);
      const items = Array.from({ length: 60 }, async () => (await tags('server1')).status);
      // The first to end are those that are too many.
      await Promise.all([Promise.race(pictures), Promise.race(items)]);
      await request('1', 'server2').expect(200);
      assert.ok('items' in ((await tags('server2')).body as object));
      answer();
      await Promise.all([...pictures, ...items]);
    } finally {
      answer();
      await other.stop();
    }
  });

  it('are not read once the browser has gone', async () => {
    let read = 0;
    const closed = new Promise((resolve) => {
      stash().answerWith(
        (_request, response) => {
          read += 1;
          response.once('close', resolve);
        },
        { path: '/scene/1/screenshot', times: 2 },
      );
    });
    const asking = Array.from({ length: 5 }, () => request('1'));
    const ended = Promise.allSettled(asking);
    while (read < 2) await sleep(1);
    asking.forEach(leave);
    await Promise.race([ended, sleep(100)]);
    await closed;
    await request('1').expect(200);
    assert.equal(reads().length, 3);
  });
});
