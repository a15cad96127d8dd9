import assert from 'node:assert/strict';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { Schema } from '../../../src/graphql/schema';
import { JsonCache } from '../../../src/async/cache';
import { fetchList, type PerformerList } from '../../../src/operations/performers/list';
import { rate } from '../../../src/operations/performers/match';
import { type Scraped, type ScrapeInput, scrapePerformer } from '../../../src/operations/performers/scrape';
import { type Matches, searchPerformers } from '../../../src/operations/performers/search';
import { json } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { failure, Message, options, TestServer, useServer } from '../../support/connect';

const MINUTE = 60_000;

describe("The site's list for a name", () => {
  let stash: FakeStash;
  let server: TestServer;
  let clock: SinonFakeTimers;

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['performance'] });
  });
  const connect = useServer(
    (...both) => {
      [stash, server] = both;
    },
    { release: 'documented' },
  );
  afterEach(() => {
    clock.restore();
  });

  function scrape(performer: string, changes: Partial<ScrapeInput> = {}, of = server): Promise<Scraped> {
    const input = { performer, fields: ['name'], source: '', listMaxAge: 10, ...changes } as const;
    return scrapePerformer(of, input, new Message());
  }

  function search(query: string, source = ''): Promise<Matches> {
    return searchPerformers(server, { query, source }, new Message());
  }

  /** Returns the names of the list requests, in order. */
  function lists(): string[] {
    return [...stash.site.calls, ...stash.localSite.calls]
      .filter(({ operation, name }) => operation !== 'scrapeSite' && !name.includes('://'))
      .map(({ name }) => name);
  }

  it('is cached for ten minutes, the default in the dialog', async () => {
    await scrape('Hana Mori');
    clock.tick(10 * MINUTE - 1);
    await scrape('Hana Mori');
    assert.deepEqual(lists(), ['Hana Mori']);
    clock.tick(1);
    await scrape('Hana Mori');
    assert.deepEqual(lists(), ['Hana Mori', 'Hana Mori']);
  });

  it('expires on time even if it is used meanwhile', async () => {
    await scrape('Hana Mori');
    for (const minutes of [4, 4]) {
      clock.tick(minutes * MINUTE);
      await scrape('Hana Mori');
    }
    assert.equal(lists().length, 1);
    clock.tick(2 * MINUTE);
    await scrape('Hana Mori');
    assert.equal(lists().length, 2);
  });

  it('is requested each time if the maximum age is 0, and still cached for other requests', async () => {
    await scrape('Hana Mori', { listMaxAge: 0 });
    await scrape('Hana Mori', { listMaxAge: 0 });
    assert.equal(lists().length, 2);
    await scrape('Hana Mori');
    assert.equal(lists().length, 2);
  });

  it('can be cached for a fraction of a minute', async () => {
    await scrape('Hana Mori');
    clock.tick(MINUTE / 4);
    await scrape('Hana Mori', { listMaxAge: 0.5 });
    assert.equal(lists().length, 1);
    clock.tick(MINUTE / 4);
    await scrape('Hana Mori', { listMaxAge: 0.5 });
    assert.equal(lists().length, 2);
  });

  it('leads to the same result from the cache', async () => {
    for (const performer of ['Hana Mori', 'Robin', 'Nobody Known']) {
      const first = await scrape(performer);
      assert.deepEqual(await scrape(performer), first);
    }
    assert.deepEqual(lists(), ['Hana Mori', 'Robin', 'Nobody Known']);
  });

  it('is cached for all spellings of a name', async () => {
    await scrape('Zoë Lindström');
    const result = await scrape('ZOE\u0308  LINDSTRO\u0308M');
    assert.ok('performer' in result);
    assert.deepEqual(lists(), ['Zoë Lindström']);
  });

  it('is not used for a part of the name or an alias', async () => {
    await scrape('Robin Vale');
    await scrape('Robin');
    await scrape('Wren Vale');
    await scrape('Robin Valentine');
    assert.deepEqual(lists(), ['Robin Vale', 'Robin', 'Wren Vale', 'Robin Valentine']);
  });

  it('is also cached by a search', async () => {
    await search('hana mori');
    await scrape('Hana Mori');
    assert.deepEqual(lists(), ['hana mori']);
  });

  it('is refreshed by each search', async () => {
    await search('Hana Mori');
    clock.tick(9 * MINUTE);
    await search('Hana Mori');
    assert.deepEqual(lists(), ['Hana Mori', 'Hana Mori']);
    clock.tick(9 * MINUTE);
    await scrape('Hana Mori');
    assert.deepEqual(lists(), ['Hana Mori', 'Hana Mori']);
  });

  it('is requested once for simultaneous look-ups', async () => {
    const results = await Promise.all([scrape('Hana Mori'), scrape('hana mori'), scrape('Hana  Mori')]);
    assert.ok(results.every((result) => 'performer' in result));
    assert.deepEqual(lists(), ['Hana Mori']);
  });

  it('survives a redeploy', async () => {
    await scrape('Hana Mori');
    await server.close();
    const next = new TestServer(options(stash.url));
    await scrape('Hana Mori', {}, next);
    await next.close();
    assert.deepEqual(lists(), ['Hana Mori']);
  });

  for (const [what, changes] of [
    ['another API key', { auth: 'apiKey', apiKey: 'wrong' }],
    ['a user', { auth: 'session', username: 'amy', password: 's3cret' }],
    ['additional headers', { headers: '{"X-Gate": "secret"}' }],
    ['another TLS configuration', { tls: { servername: 'nas' } }],
  ] as const) {
    it(`is requested again with ${what}`, async () => {
      await scrape('Nobody Known');
      const { length: before } = stash.requests;
      const other = new TestServer(options(stash.url, changes));
      try {
        await scrape('Nobody Known', {}, other).catch(() => undefined);
        assert.ok(stash.requests.length > before);
        assert.notEqual(other.identity, server.identity);
      } finally {
        await other.close();
      }
    });
  }

  it('is cached under a key that does not reveal credentials', async () => {
    const apiKey = 'canary-0123456789';
    const one = new TestServer(options(stash.url, { auth: 'apiKey', apiKey }));
    const again = new TestServer(options(stash.url, { auth: 'apiKey', apiKey: ` ${apiKey} ` }));
    assert.equal(one.identity, again.identity);
    assert.doesNotMatch(one.identity, /canary/);
    assert.doesNotMatch(Buffer.from(one.identity, 'base64').toString('latin1'), /canary/);
    await Promise.all([one.close(), again.close()]);
  });

  it('is cached separately for each server', async () => {
    await scrape('Hana Mori');
    const other = await FakeStash.start({ basePath: '/other' });
    const elsewhere = new TestServer(options(other.url));
    await scrape('Hana Mori', {}, elsewhere);
    assert.equal(other.site.calls.length, 2);
    await elsewhere.close();
    await other.stop();
  });

  it('is cached separately for each site', async () => {
    await connect({ release: 'v0.30.1' });
    await search('Hana Mori', 'localtest');
    await scrape('Hana Mori');
    assert.deepEqual([stash.localSite.calls.length, stash.site.calls.length], [1, 2]);
  });

  for (const [what, text] of [
    ['the site refused', 'http error 429:Too Many Requests'],
    ['the site failed', 'http error 500:Internal Server Error'],
  ] as const) {
    it(`is not cached if ${what}`, async () => {
      stash.site.failure = text;
      await failure(scrape('Nobody Known'));
      stash.site.failure = undefined;
      clock.tick(15 * MINUTE);
      await scrape('Nobody Known', { listMaxAge: 60 });
      assert.deepEqual(lists(), ['Nobody Known', 'Nobody Known']);
    });
  }

  it('is not cached if it is invalid', async () => {
    stash.answerWith(json({ data: { scrapeSitePerformerList: [1] } }), { field: 'scrapeSitePerformerList' });
    await failure(scrape('Hana Mori'));
    stash.answerNormally();
    assert.ok('performer' in (await scrape('Hana Mori')));
  });

  it('is cached if it is empty', async () => {
    await scrape('Nobody Known');
    await scrape('Nobody Known');
    assert.equal(lists().length, 1);
  });

  it('keeps its mark as mixed up in the cache', async () => {
    await connect({ release: 'v0.11.0' });
    for (const calls of [1, 1]) {
      const result = await scrape('Alex Moreno', { source: 'localtest' });
      assert.ok('reason' in result);
      assert.deepEqual([result.reason, result.fitting], ['AMBIGUOUS', 1]);
      assert.equal(stash.localSite.calls.length, calls);
    }
  });

  it('does not change when a flow changes a result', async () => {
    const { matches } = await search('Hana Mori');
    for (const match of matches) match.name = 'changed';
    const first = await scrape('Hana Mori');
    assert.ok('performer' in first);
    const robin = await scrape('Robin');
    assert.ok('reason' in robin);
    robin.candidates.splice(0);
    const again = await scrape('Robin');
    assert.ok('reason' in again);
    assert.equal(again.candidates.length, 2);
  });
});

describe('A list of 4 MiB', () => {
  const schema = Schema.read({
    version: { version: 'v0.30.1' },
    Query: { fields: [{ name: 'scrapeSinglePerformer' }, { name: 'systemStatus' }] },
    ScrapedPerformer: { fields: ['name', 'url', 'aliases'].map((name) => ({ name })) },
  });

  for (const [what, one] of [
    ['nobody', {}],
    ['names of a letter', { name: 'a' }],
    ['names with an address', { name: 'a', url: 'b' }],
    ['names with aliases', { name: 'Ro', aliases: 'Ro,R,'.repeat(20) }],
  ] as const) {
    it(`of ${what} is read and rated within half a second`, async () => {
      const text = JSON.stringify(one);
      const count = Math.floor((4 * 2 ** 20) / (text.length + 1));
      const response: unknown = JSON.parse(`[${new Array(count).fill(text).join()}]`);
      const start = process.cpuUsage();
      const input = { name: 'Robin Vale', source: what, maxAge: 0 };
      const { listed } = await fetchList({ identity: what }, input, (ask) =>
        Promise.resolve(ask(schema).read(response)),
      );
      rate('Robin Vale', listed);
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 500_000, `${(user + system) / 1000} ms`);
      assert.ok(listed.length <= 2000);
    });
  }

  it('of names and nothing else ends after 2,000 names', async () => {
    const names = new Array<string>(2 ** 20).fill('a');
    const input = { name: 'Robin Vale', source: '', maxAge: 0 };
    const { listed } = await fetchList({ identity: 'names alone' }, input, (ask) =>
      Promise.resolve(ask(Schema.documented()).read(names)),
    );
    assert.equal(listed.length, 2000);
  });

  it('is searched to its end for mixed-up entries of a server before v0.12', async () => {
    const old = Schema.read({
      Query: { fields: [{ name: 'scrapeFreeones' }, { name: 'scrapePerformerList' }] },
      ScrapedPerformer: { fields: [{ name: 'name' }, { name: 'url' }] },
    });
    const response = Array.from({ length: 2001 }, (_, index) => ({
      name: `Robin ${index}`,
      url: index < 2000 ? `https://performers.example/${index}` : null,
    }));
    const input = { name: 'Robin 1', source: '', maxAge: 0 };
    const list = await fetchList({ identity: 'old' }, input, (ask) =>
      Promise.resolve(ask(old).read(response)),
    );
    assert.equal(list.isMixed, true);
  });
});

describe('The list cache', () => {
  const listOf = (...names: string[]): PerformerList => ({
    operation: 'scrapeSitePerformerList',
    listed: names.map((name) => ({ name })),
    isMixed: false,
    doubtful: [],
  });
  const size = (key: string, list: PerformerList) => key.length + JSON.stringify(list).length;
  const recalled = (memory: JsonCache<PerformerList>, keys: string) =>
    Array.from(keys)
      .filter((key) => memory.get(key, Infinity) !== undefined)
      .join('');

  it('removes the least recently used list at its size limit', () => {
    const list = listOf('Robin Vale');
    const memory = new JsonCache<PerformerList>(3 * size('a', list));
    for (const key of 'abc') memory.set(key, list);
    assert.equal(recalled(memory, 'cba'), 'cba');
    memory.set('d', list);
    assert.equal(recalled(memory, 'abcd'), 'abd');
    memory.set('e', listOf('Robin Vale', 'Hana'));
    assert.equal(recalled(memory, 'abcde'), 'de');
  });

  it('keeps the newer of two lists for a name', () => {
    const memory = new JsonCache<PerformerList>(1000);
    for (let round = 0; round < 100; round += 1) memory.set('a', listOf(`Robin ${round}`));
    assert.deepEqual(memory.get('a', Infinity), listOf('Robin 99'));
    memory.set('b', listOf('Hana'));
    assert.equal(recalled(memory, 'ab'), 'ab');
  });

  it('skips a list that is too large, and drops its older version', () => {
    const memory = new JsonCache<PerformerList>(300);
    for (const key of 'ab') memory.set(key, listOf('Robin Vale'));
    memory.set('a', listOf('x'.repeat(1000)));
    assert.equal(recalled(memory, 'ab'), 'b');
  });
});
