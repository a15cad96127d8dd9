import assert from 'node:assert/strict';
import { useFakeTimers } from 'sinon';
import { untilAborted, withTimeLimit } from '../../src/async/abort';

describe('A time limit', () => {
  it('aborts the controller with TIMEOUT and the limit in seconds', async () => {
    const controller = new AbortController();
    const endless = () => untilAborted(new Promise<never>(() => undefined), controller.signal);
    await assert.rejects(withTimeLimit(controller, 0.01, endless), {
      case: 'TIMEOUT.noAnswer',
      details: { seconds: 0.01 },
      retry: true,
    });
  });

  it('leaves the controller alone if the task ends in time, with or without an error', async () => {
    const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const controller = new AbortController();
      assert.equal(await withTimeLimit(controller, 1, () => Promise.resolve('done')), 'done');
      const failing = () => Promise.reject(new Error('broken'));
      await assert.rejects(withTimeLimit(controller, 1, failing), /broken/);
      clock.tick(2000);
      assert.equal(controller.signal.aborted, false);
    } finally {
      clock.restore();
    }
  });
});
