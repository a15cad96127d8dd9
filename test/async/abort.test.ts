import assert from 'node:assert/strict';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { after, untilAborted, withTimeLimit } from '../../src/async/abort';

const DAY = 24 * 3600 * 1000;

describe('What is to happen after a time', () => {
  let clock: SinonFakeTimers;
  let happened: number;
  const act = () => {
    happened++;
  };

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    happened = 0;
  });
  afterEach(() => {
    clock.restore();
  });

  it('happens then and once, also if that is later than a timer of Node.js can be set to', () => {
    after(60 * DAY, act);
    clock.tick(60 * DAY - 1);
    assert.equal(happened, 0);
    clock.tick(1);
    assert.equal(happened, 1);
    clock.tick(60 * DAY);
    assert.equal(happened, 1);
  });

  it('does not happen once it is prevented, however late, nor ever for Infinity', () => {
    const prevent = after(60 * DAY, act);
    after(Infinity, act);
    clock.tick(50 * DAY);
    prevent();
    clock.tick(20 * DAY);
    assert.equal(happened, 0);
  });
});

describe('A time limit', () => {
  it('aborts the controller with TIMEOUT and the seconds that have passed', async () => {
    const controller = new AbortController();
    const endless = () => untilAborted(new Promise<never>(() => undefined), controller.signal);
    await assert.rejects(withTimeLimit(controller, 0.01, endless), {
      case: 'TIMEOUT.noAnswer',
      details: { seconds: 0.01 },
      retry: true,
    });
  });

  it('leaves the controller alone if the task ends in time, whether or not it fails', async () => {
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
