import assert from 'node:assert/strict';
import { chosenScenes } from '../../../src/operations/library/items';
import { Server } from '../../../src/server/server';
import { json } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { Message, options } from '../../support/connect';

describe('The scenes that a user chose', () => {
  let stash: FakeStash;
  let server: Server;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    server = new Server(options(stash.url));
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  const choose = (ids: readonly string[]) => chosenScenes(server, ids, new Message());
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

  it('all count as known without a request if they are more than 100,000', async () => {
    const { known, unknown } = await choose(numbered(100_001));
    assert.deepEqual([known.length, unknown], [100_001, 0]);
    assert.equal(stash.requests.length, 0);
  });

  it('lead to a request if they are no more than 100,000, however often each is given', async () => {
    const ids = numbered(100_000);
    // The error ends the check with its first request.
    stash.answerWith(json({ errors: [{ message: 'no' }], data: null }), { field: 'findScene' });
    const { known, unknown } = await choose([...ids, ...ids]);
    assert.deepEqual([known.length, unknown], [100_000, 0]);
    assert.equal(stash.requests.filter(({ operation }) => operation === 'findScene').length, 1);
  });
});
