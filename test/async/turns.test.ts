import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import { LightSignal } from '../../src/async/light-signal';
import { Turns } from '../../src/async/turns';
import type { QueueState } from '../../src/call';

/** A call that records its place in the queue. */
class Waiting {
  readonly waiting = new LightSignal();
  readonly signal = this.waiting;
  readonly states: QueueState[] = [];

  onQueueState(state: QueueState): void {
    this.states.push(state);
  }
}

describe('Turns', () => {
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
    const turns = new Turns();
    const { begun, ends, task } = tasks();
    const calls = [new Waiting(), new Waiting(), new Waiting()];
    const results = calls.map((call, index) => turns.run('a', call, 10, task(index)));
    await soon();
    assert.deepEqual(begun, [0]);
    ends[0]?.();
    assert.equal(await results[0], 0);
    await soon();
    assert.deepEqual(begun, [0, 1]);
    ends[1]?.();
    await results[1];
    await soon();
    ends[2]?.();
    assert.equal(await results[2], 2);
    assert.deepEqual(
      calls.map(({ states }) => states),
      [[], ['waiting', 'asking'], ['waiting', 'asking']],
    );
  });

  it('runs tasks with different keys at the same time', async () => {
    const turns = new Turns();
    const { begun, task } = tasks();
    void turns.run('a', new Waiting(), 10, task(0));
    void turns.run('b', new Waiting(), 10, task(1));
    await soon();
    assert.deepEqual(begun, [0, 1]);
  });

  it('runs the next task after one that has failed', async () => {
    const turns = new Turns();
    const failed = turns.run('a', new Waiting(), 10, () => Promise.reject(new Error('failed')));
    const next = turns.run('a', new Waiting(), 10, () => Promise.resolve('done'));
    await assert.rejects(failed, /failed/);
    assert.equal(await next, 'done');
  });

  it('leaves a call out that was aborted while it waited', async () => {
    const turns = new Turns();
    const { begun, ends, task } = tasks();
    const aborted = new Waiting();
    const first = turns.run('a', new Waiting(), 10, task(0));
    const second = turns.run('a', aborted, 10, task(1));
    const third = turns.run('a', new Waiting(), 10, task(2));
    aborted.waiting.abort(new Error('reset'));
    await assert.rejects(second, /reset/);
    ends[0]?.();
    await first;
    await soon();
    assert.deepEqual(begun, [0, 2]);
    ends[2]?.();
    await third;
  });

  it('refuses a call at once if too many wait', async () => {
    const turns = new Turns();
    const { ends, task } = tasks();
    const first = turns.run('a', new Waiting(), 1, task(0));
    const second = turns.run('a', new Waiting(), 1, task(1));
    await assert.rejects(turns.run('a', new Waiting(), 1, task(2)), {
      code: 'QUEUE_FULL',
      details: { count: 1 },
      retry: true,
    });
    ends[0]?.();
    await first;
    await soon();
    ends[1]?.();
    assert.equal(await second, 1);
  });
});
