import assert from 'node:assert/strict';
import { Semaphore } from '../../src/async/semaphore';

describe('A semaphore', () => {
  const never = new AbortController().signal;

  it('serves waiters in the order of their arrival and skips those that gave up', async () => {
    const places = new Semaphore(1);
    const leave = await places.acquire(never);
    assert.equal(places.tryAcquire(), undefined);
    const gone = new AbortController();
    const served: string[] = [];
    const come = async (who: string, signal = never) => {
      const leave = await places.acquire(signal);
      served.push(who);
      leave();
    };
    const all = [come('first'), come('gone', gone.signal), come('second'), come('third')];
    gone.abort(new Error('gave up'));
    await assert.rejects(all[1] ?? Promise.resolve(), /gave up/);
    leave();
    await Promise.all(all.filter((_, index) => index !== 1));
    assert.deepEqual(served, ['first', 'second', 'third']);
    assert.ok(places.tryAcquire());
  });

  it('serves the next waiter when the first gives up at the same moment', async () => {
    const places = new Semaphore(1);
    const leave = await places.acquire(never);
    const gone = new AbortController();
    const giving = places.acquire(gone.signal);
    const next = places.acquire(never);
    leave();
    gone.abort(new Error('gave up'));
    await Promise.allSettled([giving]);
    assert.equal(typeof (await next), 'function');
  });
});
