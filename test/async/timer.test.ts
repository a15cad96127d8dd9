import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { yieldToEventLoop } from '../../src/async';
import { after, sleep, unlessAnswered } from '../../src/async/timer';
import { blockEventLoop } from '../support/block';

const DAY = 24 * 3600 * 1000;

describe('What happens without an answer', () => {
  it('happens once the time has passed', async () => {
    await new Promise<void>((resolve) => unlessAnswered(5, resolve));
  });

  it('does not happen after an answer', async () => {
    const prevent = unlessAnswered(5, () => assert.fail('It happened.'));
    prevent();
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('does not happen after an answer that came in time, but is received late', async () => {
    const [near, far] = await connected();
    const prevent = unlessAnswered(5, () => assert.fail('It happened.'));
    near.once('data', prevent);
    far.write('answer');
    blockEventLoop(20);
    await new Promise((resolve) => setTimeout(resolve, 20));
    near.destroy();
    far.destroy();
  });

  /** Returns both ends of a connection. */
  async function connected(): Promise<[near: Socket, far: Socket]> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [far] = await accepted;
    await once(near, 'ready');
    server.close();
    return [near, far];
  }
});

describe('A delayed callback', () => {
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

  it('runs once, even after a delay beyond the longest timer of Node.js', () => {
    after(60 * DAY, act);
    clock.tick(60 * DAY - 1);
    assert.equal(happened, 0);
    clock.tick(1);
    assert.equal(happened, 1);
    clock.tick(60 * DAY);
    assert.equal(happened, 1);
  });

  it('does not run after it is cancelled, and never with an infinite delay', () => {
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

  it('does not begin if its signal is already aborted', async () => {
    await assert.rejects(sleep(DAY, AbortSignal.abort(new Error('too late'))), /too late/);
  });

  it('takes as long as requested', async () => {
    const start = performance.now();
    await sleep(20, new AbortController().signal);
    assert.ok(performance.now() - start >= 19);
  });
});

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
