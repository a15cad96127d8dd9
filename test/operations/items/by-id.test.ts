import assert from 'node:assert/strict';
import { chosenItems } from '../../../src/operations/items/by-id';
import { json } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { Message, type TestServer, useServer } from '../../support/connect';

describe('The scenes that a user chose', () => {
  let stash: FakeStash;
  let server: TestServer;
  useServer((...both) => {
    [stash, server] = both;
  });

  const choose = (ids: readonly string[]) => chosenItems(server, 'scene', ids, new Message());
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
