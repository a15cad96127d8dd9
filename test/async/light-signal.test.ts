import assert from 'node:assert/strict';
import { anySignal, LightSignal, nativeSignal } from '../../src/async/light-signal';

const gone = new Error('gone');

describe('A light signal', () => {
  it('has no reason until it is aborted, and then the first one', () => {
    const signal = new LightSignal();
    assert.deepEqual([signal.aborted, signal.reason], [false, undefined]);
    signal.throwIfAborted();
    signal.abort(gone);
    signal.abort(new Error('too late'));
    assert.deepEqual([signal.aborted, signal.reason], [true, gone]);
    assert.throws(() => {
      signal.throwIfAborted();
    }, gone);
  });

  for (const count of [1, 2, 3]) {
    it(`calls ${count} listeners once, in order, when it is aborted`, () => {
      const signal = new LightSignal();
      const called: number[] = [];
      for (let number = 0; number < count; number++) {
        signal.addEventListener('abort', () => called.push(number));
      }
      assert.deepEqual(called, []);
      signal.abort(gone);
      signal.abort(gone);
      assert.deepEqual(
        called,
        Array.from({ length: count }, (_, number) => number),
      );
    });

    it(`does not call the removed one of ${count} listeners`, () => {
      const signal = new LightSignal();
      const called: number[] = [];
      const listeners = Array.from({ length: count }, (_, number) => () => called.push(number));
      for (const listener of listeners) signal.addEventListener('abort', listener);
      const [removed = assert.fail(), ...others] = listeners;
      signal.removeEventListener('abort', removed);
      signal.removeEventListener('abort', () => undefined);
      signal.abort(gone);
      assert.deepEqual(
        called,
        others.map((_, index) => index + 1),
      );
    });
  }

  it('does not call a listener that an earlier one has removed, as an AbortSignal', () => {
    for (const signal of [new LightSignal(), new AbortController()]) {
      const called: string[] = [];
      const listen = 'signal' in signal ? signal.signal : signal;
      const removed = () => called.push('removed');
      listen.addEventListener('abort', () => {
        called.push('first');
        listen.removeEventListener('abort', removed);
      });
      listen.addEventListener('abort', removed);
      listen.addEventListener('abort', () => called.push('last'));
      signal.abort(gone);
      assert.deepEqual(called, ['first', 'last']);
    }
  });

  it('does not call a listener that comes too late, as an AbortSignal', () => {
    const signal = new LightSignal();
    signal.abort(gone);
    signal.addEventListener('abort', () => assert.fail('called'));
    signal.abort(gone);
  });

  it('aborts its AbortSignal with the same reason, before or after that was asked for', () => {
    const [early, late] = [new LightSignal(), new LightSignal()];
    const { native } = early;
    assert.equal(early.native, native, 'there is one');
    assert.equal(native.aborted, false);
    early.abort(gone);
    late.abort(gone);
    assert.deepEqual(
      [native, late.native].map(({ aborted, reason }) => [aborted, reason as unknown]),
      [
        [true, gone],
        [true, gone],
      ],
    );
  });

  it('is an AbortSignal for functions of Node.js, which an AbortSignal is already', () => {
    const light = new LightSignal();
    const { signal } = new AbortController();
    assert.equal(nativeSignal(light), light.native);
    assert.equal(nativeSignal(signal), signal);
  });

  it('aborts a signal of several as soon as one of them is', () => {
    const [one, other] = [new LightSignal(), new AbortController()];
    const any = anySignal(one, other.signal);
    assert.equal(any.aborted, false);
    one.abort(gone);
    assert.equal(any.reason, gone);
  });
});
