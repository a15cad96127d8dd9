import assert from 'node:assert/strict';
import { askedWords, Flow, type FlowOptions, useFakeStash } from '../../support/flow';
import { extendSchema } from '../../support/schema';
import { json } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';

/** Returns the pauses between calls to the external site, in milliseconds; negative if two calls overlap. */
function gaps({ site }: FakeStash): number[] {
  return site.calls
    .slice(1)
    .map(({ startedAt }, index) => startedAt - (site.calls[index]?.endedAt ?? Infinity));
}

describe('stash-performer-scrape', () => {
  const stash = useFakeStash();
  const server = (pause: number) => ({ url: stash().url, pause });
  const scrape = (properties: object = {}, pause = 0) =>
    Flow.start({ type: 'stash-performer-scrape', properties, server: server(pause) });
  /** Returns the variables of the last request to a scraper. */
  const lastLookup = () => {
    const lookups = stash().requests.filter(({ operation }) => operation === 'scrapeSinglePerformer');
    return lookups.at(-1)?.body?.variables;
  };

  it('returns the chosen attributes of a listed name', async () => {
    const { output, msg } = await (
      await scrape({ fields: ['name', 'country'] })
    ).ask({ payload: 'Robin Vale' });

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { name: 'Robin Vale', country: 'CA' });
    assert.equal(msg.stash?.operation, 'scrapeSite');
    assert.equal(msg.stash.summary, 'summary.found');
  });

  for (const [images, isSaid] of [
    [null, true],
    [['data:image/png;base64,AA=='], false],
  ] as const) {
    it(`says that a chosen picture is not there${isSaid ? '' : ', unless it is'}`, async () => {
      extendSchema(stash(), {
        has: { Query: ['scrapeSinglePerformer'], ScrapedPerformer: ['images'] },
      });
      const page = { name: 'Hana Mori', aliases: null, images };
      stash().answerWith(json({ data: { scrapeSinglePerformer: [page] } }), {
        field: 'scrapeSinglePerformer',
      });
      const flow = await scrape({ source: 'films', fields: ['name', 'picture'] });
      const { msg } = await flow.ask({ payload: { name: 'Hana Mori', url: 'https://films.example/1' } });

      assert.deepEqual(msg.payload, { name: 'Hana Mori', picture: images?.[0] ?? null });
      assert.equal(
        askedWords.some(({ key }) => key === 'detail.withoutPicture'),
        isSaid,
      );
    });
  }

  it('sends the candidates for a part of a name to the second output', async () => {
    const { output, msg } = await (await scrape()).ask({ payload: 'Robin', topic: 'kept' });

    assert.equal(output, 2);
    assert.deepEqual(msg.payload, [
      { name: 'Robin Vale', score: 0.6, reason: 'part' },
      { name: 'Robin Valentine', score: 0.42, reason: 'part' },
    ]);
    assert.equal(msg.stash?.reason, 'NOT_FOUND');
    assert.equal(msg['topic'], 'kept');
    assert.deepEqual(
      stash().site.calls.map(({ operation }) => operation),
      ['scrapeSitePerformerList'],
    );
  });

  it('finds a performer by a listed alias', async () => {
    extendSchema(stash(), { has: { Query: ['scrapeSinglePerformer'] } });
    const listed = { name: 'Hana Mori', url: 'https://films.example/hana-mori', aliases: 'H. M., Flora' };
    stash().answerWith(json({ data: { scrapeSinglePerformer: [listed] } }), {
      field: 'scrapeSinglePerformer',
    });
    const flow = await scrape({ source: 'films', fields: ['name'] });
    const { output, msg } = await flow.ask({ payload: 'flora' });

    assert.deepEqual([output, msg.payload], [1, { name: 'Hana Mori' }]);
    assert.equal(msg.stash?.summary, 'summary.foundByAlias');
    assert.deepEqual(lastLookup()?.['input'], {
      performer_input: { name: 'Hana Mori', urls: [listed.url] },
    });
  });

  it('reports AMBIGUOUS if several performers have the name', async () => {
    stash().site.performers = stash().site.performers.flatMap((performer) => [
      performer,
      { ...performer, name: performer.name.toUpperCase() },
    ]);
    const { output, msg } = await (await scrape()).ask({ payload: 'Hana Mori' });

    assert.equal(output, 2);
    assert.deepEqual(msg.payload, [
      { name: 'Hana Mori', score: 1, reason: 'name' },
      { name: 'HANA MORI', score: 1, reason: 'name' },
    ]);
    assert.equal(msg.stash?.reason, 'AMBIGUOUS');
  });

  it('sends a candidate without a page to the second output', async () => {
    const candidate = { name: 'Nobody Known', score: 1, reason: 'name' };
    const { output, msg } = await (await scrape()).ask({ payload: candidate });

    assert.deepEqual([output, msg.payload, msg.stash?.reason], [2, [], 'NOT_FOUND']);
    assert.equal(msg.stash?.summary, 'summary.noPage');
  });

  it('accepts a search result with one match', async () => {
    const flow = await Flow.start({ type: 'stash-performer-search', server: server(0) });
    const { msg: found } = await flow.ask({ payload: 'Juniper Lake' });
    const properties = { fields: ['name'] };
    await flow.redeploy({ type: 'stash-performer-scrape', properties, server: server(0) });
    const { output, msg } = await flow.ask({ payload: found.payload });

    assert.deepEqual([output, msg.payload], [1, { name: 'Juniper Lake' }]);
    assert.deepEqual(
      stash().site.calls.map(({ operation }) => operation),
      ['scrapeSitePerformerList', 'scrapeSite'],
    );
  });

  it('never scrapes a name that no list contains', async () => {
    const known = stash().site.performers.map(({ name }) => name);
    const written = known.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase(), name]);
    const others = ['Robin', 'Wren Vale', 'Nobody Known', 'Mori'];
    const flow = await scrape();
    const ids = [...written, ...others, ...written, ...others].map((payload) => flow.send({ payload }));
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));

    const { calls } = stash().site;
    const scraped = calls.filter(({ operation }) => operation === 'scrapeSite');
    const unseen = scraped.filter(({ name, startedAt }) => {
      const lists = calls.filter(({ operation }) => operation === 'scrapeSitePerformerList');
      return !lists.some(
        (list) => list.name.toUpperCase() === name.toUpperCase() && list.endedAt <= startedAt,
      );
    });
    assert.deepEqual(unseen, []);
    assert.equal(scraped.length, 2 * written.length);
    assert.equal(calls.length - scraped.length, known.length + others.length);
  });

  describe('protects the external site', () => {
    const names = Array.from({ length: 20 }, (_, index) => ['Robin Vale', 'Hana Mori'][index % 2]);

    it('from twenty names at once: calls do not overlap, and the pause is kept', async () => {
      const flow = await scrape({ listMaxAge: 0 }, 0.02);
      const ids = names.map((payload) => flow.send({ payload }));
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      assert.equal(stash().site.calls.length, 40);
      assert.ok(Math.min(...gaps(stash())) >= 20, `shortest gap ${Math.min(...gaps(stash()))} ms`);
      assert.ok(ids.every((id) => flow.endOf(id).output === 1));
    });

    it('across redeploys: names keep their order, and calls their pause', async () => {
      const options: FlowOptions = { type: 'stash-performer-scrape', server: server(0.1) };
      const flow = await Flow.start(options);
      const before = names.map((payload) => flow.send({ payload }));
      for (let count = 1; count <= 3; count++) {
        await flow.until(() => flow.sent.length >= count);
        await flow.redeploy({ ...options, properties: { fields: ['name'], name: `changed ${count}` } });
      }
      await flow.until(() => before.every((id) => flow.hasEnded(id)));

      assert.ok(before.every((id) => flow.endOf(id).output === 1));
      assert.deepEqual(
        flow.sent.map(({ _msgid }) => _msgid),
        before,
      );
      // They are looked up with the fields that the node had when they came.
      assert.ok('url' in (flow.endOf(before.at(-1) ?? '').msg.payload as object));
      assert.ok(Math.min(...gaps(stash())) >= 100, `shortest gap ${Math.min(...gaps(stash()))} ms`);
    });
  });
});
