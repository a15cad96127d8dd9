import assert from 'node:assert/strict';
import { StashError } from '../../../src/errors';
import { value } from '../../../nodes/player/inputs';

describe('The value of a command to players', () => {
  const config = { action: 'message', value: 'payload', valueType: 'msg' };
  const read = (payload: unknown, action = 'message') =>
    value
      .read({ ...config, action }, () => Promise.resolve(payload))
      .catch((error: unknown) => (error instanceof StashError ? error.case : error));

  it('is a text of at most 300 characters, or JSON', async () => {
    assert.equal(await read(' At the door '), 'At the door');
    assert.equal(await read('x'.repeat(1000)), 'x'.repeat(300));
    assert.equal(await read({ who: 'Ann' }), '{"who":"Ann"}');
    assert.equal(await read('12', 'seek'), 12);
    assert.equal(await read('x', 'pause'), null);
  });

  it('is a mistake of the message where it is neither, and no bug', async () => {
    const circular: { self?: object } = {};
    circular.self = circular;
    assert.equal(await read(10n), 'BAD_INPUT.notEvaluated');
    assert.equal(await read(circular), 'BAD_INPUT.notEvaluated');
    assert.equal(await read(() => 1), 'BAD_INPUT.empty');
    for (const wrong of [NaN, -1, Infinity, '', [5]])
      assert.equal(await read(wrong, 'seek'), 'BAD_INPUT.notNumber');
  });
});
