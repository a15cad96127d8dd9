import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { blockEventLoop } from '../support/block';
import { yieldToEventLoop } from '../../src/async';

describe('Yielding to the event loop', () => {
  it('runs due timers, also when an I/O callback yields', async () => {
    await stat(__filename);
    let hasRun = false as boolean;
    setTimeout(() => (hasRun = true), 1);
    blockEventLoop(5);
    await yieldToEventLoop();
    assert.equal(hasRun, true);
  });
});
