import assert from 'node:assert/strict';
import { Flow, useFakeStash } from '../../support/flow';
import { extendSchema } from '../../support/schema';
import { json } from '../../fake-stash/answers';

describe('stash-performer-search', () => {
  const stash = useFakeStash();
  const search = (properties: object = {}) =>
    Flow.start({ type: 'stash-performer-search', properties, server: { url: stash().url, pause: 0 } });
  /** Returns the variables of the last request to a scraper. */
  const lastLookup = () => {
    const lookups = stash().requests.filter(({ operation }) => operation === 'scrapeSinglePerformer');
    return lookups.at(-1)?.body?.variables;
  };

  it('returns names that contain the text', async () => {
    const { output, msg } = await (await search()).ask({ payload: 'robin' });

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, ['Robin Vale', 'Robin Valentine']);
    assert.equal(msg.stash?.operation, 'scrapeSitePerformerList');
    assert.deepEqual(msg.stash['matches'], [
      { name: 'Robin Vale', score: 0.6, reason: 'part' },
      { name: 'Robin Valentine', score: 0.42, reason: 'part' },
    ]);
  });

  it('uses the scraper of the dialog and returns the details that it finds', async () => {
    extendSchema(stash(), { has: { Query: ['scrapeSinglePerformer'] } });
    const found = { name: 'Hana Mori', url: 'https://films.example/hana-mori', twitter: null };
    stash().answerWith(json({ data: { scrapeSinglePerformer: [found] } }), {
      field: 'scrapeSinglePerformer',
    });
    const { msg } = await (await search({ source: 'films' })).ask({ payload: 'hana' });

    assert.deepEqual(lastLookup(), {
      source: { scraper_id: 'films' },
      input: { query: 'hana' },
    });
    assert.deepEqual(msg.payload, ['Hana Mori']);
    assert.deepEqual(msg.stash?.['matches'], [
      { name: 'Hana Mori', url: found.url, score: 0.54, reason: 'part' },
    ]);
  });

  it('uses the scraper that the message names', async () => {
    extendSchema(stash(), { has: { Query: ['scrapeSinglePerformer'] } });
    stash().answerWith(json({ data: { scrapeSinglePerformer: [] } }), { field: 'scrapeSinglePerformer' });
    const flow = await search({ source: 'topic', sourceType: 'msg' });
    await flow.ask({ payload: 'hana', topic: 'films' });
    const { msg } = await flow.ask({ payload: 'hana', topic: '' });

    assert.deepEqual(lastLookup()?.['source'], { scraper_id: 'films' });
    assert.equal(msg.error?.code, 'BAD_INPUT');
  });

  it('reports UNSUPPORTED on a server without scrapers if the dialog names one', async () => {
    const { msg } = await (await search({ source: 'films' })).ask({ payload: 'hana' });

    assert.equal(msg.error?.code, 'UNSUPPORTED');
    assert.deepEqual(stash().site.calls, []);
  });

  it('sends one message for each match, like the split node, if the dialog says so', async () => {
    const flow = await search({ split: true });
    const id = flow.send({ payload: 'robin', topic: 'kept', parts: { id: 'outer', index: 4 } });
    await flow.until(() => flow.hasEnded(id));

    const [first, second, ...others] = flow.sent;
    assert.ok(first && second);
    assert.deepEqual(others, []);
    assert.deepEqual([first.payload, second.payload], ['Robin Vale', 'Robin Valentine']);
    assert.deepEqual(
      [first.stash?.['matches'], second.stash?.['matches']],
      [
        [{ name: 'Robin Vale', score: 0.6, reason: 'part' }],
        [{ name: 'Robin Valentine', score: 0.42, reason: 'part' }],
      ],
    );
    assert.deepEqual([first['topic'], second['topic']], ['kept', 'kept']);
    const { id: sequence } = first['parts'] as { id: string };
    const parts = { id: sequence, type: 'array', count: 2, len: 1, parts: { id: 'outer', index: 4 } };
    assert.deepEqual(
      [first['parts'], second['parts']],
      [
        { ...parts, index: 0 },
        { ...parts, index: 1 },
      ],
    );
  });

  it('does not copy the replaced payload for each match', async () => {
    const flow = await search({ split: true, query: 'name' });
    let reads = 0;
    const payload = Object.defineProperty({}, 'large', { get: () => ++reads, enumerable: true });
    const id = flow.send({ name: 'robin', payload });
    await flow.until(() => flow.hasEnded(id));

    assert.equal(flow.sent.length, 2);
    // The Complete node receives a copy of the original message.
    assert.equal(reads, 1);
  });

  it('sends nothing if there is no match, and completes the message', async () => {
    const flow = await search({ split: true });
    const id = flow.send({ payload: 'nobody at all' });
    await flow.until(() => flow.isDropped(id));

    assert.deepEqual(flow.sent, []);
  });
});
