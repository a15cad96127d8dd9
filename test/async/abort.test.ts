import assert from 'node:assert/strict';
import { useFakeTimers } from 'sinon';
import { neverAborted, TaskGroup, untilAborted, withTimeLimit } from '../../src/async/abort';

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

/** Runs until its signal is aborted. */
const endless = (signal: AbortSignal) => untilAborted(new Promise<never>(() => undefined), signal);

describe('A task group', () => {
  it('returns the result of a task, or throws its error', async () => {
    const tasks = new TaskGroup();
    assert.equal(await tasks.run(neverAborted(), () => Promise.resolve(1)), 1);
    await assert.rejects(
      tasks.run(neverAborted(), () => Promise.reject(new Error('broken'))),
      /broken/,
    );
  });

  it('ends a task with the reason of its signal, and leaves the others running', async () => {
    const tasks = new TaskGroup();
    const [one, other] = [new AbortController(), new AbortController()];
    const first = tasks.run(one.signal, endless);
    const second = tasks.run(other.signal, endless);
    one.abort(new Error('first reason'));
    await assert.rejects(first, /first reason/);
    other.abort(new Error('second reason'));
    await assert.rejects(second, /second reason/);
  });

  it('does not run a task whose signal is already aborted', async () => {
    let hasRun = false;
    const late = new TaskGroup().run(AbortSignal.abort(new Error('too late')), () => {
      hasRun = true;
      return Promise.resolve();
    });
    await assert.rejects(late, /too late/);
    assert.equal(hasRun, false);
  });

  it('ends all tasks with CLOSED when it is closed, and runs no more', async () => {
    const tasks = new TaskGroup();
    const running = [tasks.run(neverAborted(), endless), tasks.run(neverAborted(), endless)];
    tasks.close();
    for (const task of running) await assert.rejects(task, { case: 'CLOSED.closed' });
    let hasRun = false;
    const late = tasks.run(neverAborted(), () => {
      hasRun = true;
      return Promise.resolve();
    });
    await assert.rejects(late, { case: 'CLOSED.closed' });
    assert.equal(hasRun, false);
  });

  it('removes its listener from a signal when the task ends', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    signal.addEventListener = () => listeners++;
    signal.removeEventListener = () => listeners--;
    await new TaskGroup().run(signal, () => Promise.resolve());
    assert.equal(listeners, 0);
  });
});
