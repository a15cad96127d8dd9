import assert from 'node:assert/strict';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { after } from '../../src/async/abort';

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
