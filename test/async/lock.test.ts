import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { KeyedLock, Semaphore } from '../../src/async/lock';

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

  it('lets 200,000 waiters give up, and serves the one behind them', async () => {
    const places = new Semaphore(1);
    const leave = await places.acquire(never);
    // With a search through all of them for each, this would not end within the time limit of a test.
    const waiting = Array.from({ length: 200_000 }, () => places.whenFree(() => assert.fail('gave up')));
    const next = places.acquire(never);
    assert.ok(waiting.reverse().every((giveUp) => giveUp()));
    leave();
    assert.equal(typeof (await next), 'function');
  });
});

describe('A keyed lock', () => {
  const never = new AbortController().signal;

  /** Returns a task that runs until it is ended, and its number. */
  const tasks = () => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const task = (number: number) => () => {
      begun.push(number);
      return new Promise<number>((resolve) => {
        ends[number] = () => {
          resolve(number);
        };
      });
    };
    return { begun, ends, task };
  };

  it('runs tasks with the same key one after another, in their order', async () => {
    const lock = new KeyedLock<string>();
    const { begun, ends, task } = tasks();
    const results = [0, 1, 2].map((number) => lock.run('a', never, task(number)));
    await soon();
    assert.deepEqual(begun, [0]);
    assert.deepEqual([lock.isLocked('a'), lock.waiting('a')], [true, 2]);
    ends[0]?.();
    assert.equal(await results[0], 0);
    await soon();
    assert.deepEqual(begun, [0, 1]);
    ends[1]?.();
    await results[1];
    await soon();
    ends[2]?.();
    assert.equal(await results[2], 2);
    assert.deepEqual([lock.isLocked('a'), lock.waiting('a')], [false, 0]);
  });

  it('runs tasks with different keys at the same time', async () => {
    const lock = new KeyedLock<string>();
    const { begun, task } = tasks();
    void lock.run('a', never, task(0));
    void lock.run('b', never, task(1));
    await soon();
    assert.deepEqual(begun, [0, 1]);
  });

  it('runs the next task after one that has failed', async () => {
    const lock = new KeyedLock<string>();
    const failed = lock.run('a', never, () => Promise.reject(new Error('failed')));
    const next = lock.run('a', never, () => Promise.resolve('done'));
    await assert.rejects(failed, /failed/);
    assert.equal(await next, 'done');
  });

  it('runs the next task as soon as one lets it', async () => {
    const lock = new KeyedLock<string>();
    const { begun, task } = tasks();
    const first = lock.run('a', never, async (release) => {
      release();
      await soon();
      release();
    });
    void lock.run('a', never, task(1));
    void lock.run('a', never, task(2));
    await first;
    assert.deepEqual(begun, [1]);
  });

  it('stays open for others after a task that was aborted before it came', async () => {
    const lock = new KeyedLock<string>();
    const aborted = new AbortController();
    aborted.abort(new Error('reset'));
    await assert.rejects(
      lock.run('a', aborted.signal, () => Promise.resolve()),
      /reset/,
    );
    assert.equal(lock.isLocked('a'), false);
  });

  it('leaves a task out that was aborted while it waited', async () => {
    const lock = new KeyedLock<string>();
    const { begun, ends, task } = tasks();
    const aborted = new AbortController();
    const first = lock.run('a', never, task(0));
    const second = lock.run('a', aborted.signal, task(1));
    const third = lock.run('a', never, task(2));
    aborted.abort(new Error('reset'));
    await assert.rejects(second, /reset/);
    ends[0]?.();
    await first;
    await soon();
    assert.deepEqual(begun, [0, 2]);
    ends[2]?.();
    await third;
  });
});
