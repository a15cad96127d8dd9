import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { othersTurn } from '../../src/async';

describe('The turn of others', () => {
  it('comes to a timer that is due, also after an event of the file system or a connection', async () => {
    await stat(__filename);
    let hasRun = false as boolean;
    setTimeout(() => (hasRun = true), 1);
    const busyUntil = performance.now() + 5;
    while (performance.now() < busyUntil);
    await othersTurn();
    assert.equal(hasRun, true);
  });
});
