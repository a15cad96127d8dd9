import assert from 'node:assert/strict';
import { newestIds } from '../../../src/operations/library/newest';
import { json, send } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { failure, Message, type TestServer, useServer } from '../../support/connect';

const TIME = '2026-01-11T04:41:59Z';

describe('The newest ids', () => {
  let stash: FakeStash;
  let server: TestServer;
  useServer((...both) => {
    [stash, server] = both;
  });

  const newest = (cursor: number | undefined) => newestIds(server, 'scene', cursor, new Message());
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  /** Adds scenes until this is the highest id. A new server has five. */
  function addUpTo(id: number): void {
    for (let next = stash.library.all('scene').length + 1; next <= id; next++) {
      stash.library.add({ path: `/media/videos/${next}.mp4` }, TIME);
    }
  }

  function remove(id: number): void {
    const entry = stash.library.all('scene').find((each) => each.id === String(id));
    if (entry) stash.library.remove(entry);
  }

  it('are those above the cursor, lowest first', async () => {
    addUpTo(8);
    assert.deepEqual(await newest(5), { highest: 8, above: [6, 7, 8] });
    assert.deepEqual(await newest(8), { highest: 8, above: [] });
    // Two small requests, and one for the schema.
    assert.equal(stash.requests.length, 3);
  });

  it('are none without a cursor', async () => {
    assert.deepEqual(await newest(undefined), { highest: 5, above: [] });
    for (const id of range(1, 5)) remove(id);
    assert.deepEqual(await newest(undefined), { highest: 0, above: [] });
  });

  it('include the first scene of an empty library', async () => {
    for (const id of range(1, 5)) remove(id);
    assert.deepEqual(await newest(0), { highest: 0, above: [] });
    stash.library.add({ path: '/media/videos/6.mp4' }, TIME);
    assert.deepEqual(await newest(0), { highest: 6, above: [6] });
  });

  for (const count of [99, 100, 101, 1000, 1001, 3456]) {
    it(`are complete if there are ${count}`, async () => {
      addUpTo(5 + count);
      assert.deepEqual((await newest(5)).above, range(6, 5 + count));
    });
  }

  it('take no further request after a page that is not full', async () => {
    addUpTo(120);
    assert.deepEqual((await newest(0)).above, range(1, 120));
    // A small and a large page, and one for the schema.
    assert.equal(stash.requests.length, 3);
  });

  it('are complete although items are removed and added between two pages', async () => {
    addUpTo(3005);
    let pages = 0;
    stash.answerWith(
      async (request, response, _body, execute) => {
        const answer = await execute();
        pages++;
        // After the first of the large pages.
        if (pages === 2) for (const id of [3005, 3004, 3003]) remove(id);
        if (pages === 2) stash.library.add({ path: '/media/videos/late.mp4' }, TIME);
        send(request, response, answer);
      },
      { field: 'findScenes' },
    );
    const { above } = await newest(5);
    assert.deepEqual(
      above.filter((id) => id <= 3002),
      range(6, 3002),
    );
    assert.ok(above.includes(3006));
  });

  it('fail if the server repeats a page for ever', async () => {
    addUpTo(2000);
    const scenes = range(501, 1500)
      .reverse()
      .map((id) => ({ id: String(id) }));
    stash.answerWith(json({ data: { findScenes: { count: 2000, scenes } } }), { field: 'findScenes' });
    assert.equal((await failure(newest(5))).case, 'TOO_LARGE.answer');
    assert.ok(stash.requests.length < 10, `${stash.requests.length} requests`);
  });

  it('are not read from a server that is not set up, which seems to be empty', async () => {
    stash.answerWith(json({ data: { findScenes: { count: 0, scenes: [] } } }), { field: 'findScenes' });
    stash.status = 'SETUP';
    for (const cursor of [undefined, 0, 5]) {
      assert.equal((await failure(newest(cursor))).case, 'SERVER_STATE.setup');
    }
  });

  it('lead to an error if the response has another shape', async () => {
    for (const wrong of [null, {}, { scenes: null }, { scenes: [{ id: 1 }] }, { scenes: [{ id: 'x' }] }]) {
      stash.answerNormally();
      stash.answerWith(json({ data: { findScenes: wrong } }), { field: 'findScenes' });
      assert.equal((await failure(newest(5))).case, 'GRAPHQL.form', JSON.stringify(wrong));
    }
  });
});
