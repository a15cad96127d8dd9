import assert from 'node:assert/strict';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { after, sleep } from '../../src/async/timer';

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

describe('A sleep', () => {
  it('ends with the reason of its signal as soon as that is aborted, and leaves no timer running', async () => {
    const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const controller = new AbortController();
      const sleeping = sleep(DAY, controller.signal);
      assert.equal(clock.countTimers(), 1);
      controller.abort(new Error('removed'));
      await assert.rejects(sleeping, /removed/);
      assert.equal(clock.countTimers(), 0);
    } finally {
      clock.restore();
    }
  });

  it('does not begin if its signal is aborted already', async () => {
    await assert.rejects(sleep(DAY, AbortSignal.abort(new Error('too late'))), /too late/);
  });

  it('takes as long as it is told', async () => {
    const start = performance.now();
    await sleep(20, new AbortController().signal);
    assert.ok(performance.now() - start >= 19);
  });
});
