import assert from 'node:assert/strict';
import { AbortableSingleFlight } from '../../src/async/single-flight';
import type { Signal } from '../../src/call';

describe('A shared request', () => {
  it('runs while at least one caller waits, and is aborted when the last one leaves', async () => {
    const signals: Signal[] = [];
    const joint = new AbortableSingleFlight<never>((signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [joint.get(first.signal), joint.get(second.signal)] as const;
    first.abort(new Error('gone'));
    await assert.rejects(waiting[0], /gone/);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );
    second.abort(new Error('gone, too'));
    await assert.rejects(waiting[1], /gone, too/);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    );
    joint.get(new AbortController().signal).catch(() => undefined);
    assert.equal(signals.length, 2, 'a later caller starts a new request');
  });
});
