import assert from 'node:assert/strict';
import type { Node, NodeStatus } from 'node-red';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { ThrottledStatus } from '../../src/flow/node-status';

describe('The status under a node', () => {
  let clock: SinonFakeTimers;
  let shown: [milliseconds: number, text: string | undefined][];
  let throttled: ThrottledStatus;

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 });
    shown = [];
    const status = ({ text }: NodeStatus) => shown.push([clock.now, text]);
    // The one method of a node that this status uses.
    throttled = new ThrottledStatus({ status } as unknown as Node);
  });
  afterEach(() => {
    clock.restore();
  });

  function show(...texts: string[]): void {
    for (const text of texts) throttled.show(() => ({ text }));
  }

  it('shows the first change at once', () => {
    show('a');
    assert.deepEqual(shown, [[0, 'a']]);
  });

  it('is not sent again while it stays the same, so that a status node stays silent', () => {
    for (const text of ['a', 'a', 'b', 'b', 'a']) {
      show(text);
      clock.tick(10_000);
    }
    assert.deepEqual(
      shown.map(([, text]) => text),
      ['a', 'b', 'a'],
    );
  });

  it('reports an error in a delayed change to the node, because an exception in a timer would end Node-RED', () => {
    const errors: unknown[] = [];
    const status = () => undefined;
    throttled = new ThrottledStatus({
      status,
      error: (error: unknown) => errors.push(error),
    } as unknown as Node);
    show('a');
    const error = new Error('no words for it');
    throttled.show(() => {
      throw error;
    });
    clock.tick(1000);
    assert.deepEqual(errors, [error]);
  });

  it('changes at most once a second, and shows the latest value', () => {
    show('a', 'b', 'c');
    clock.tick(999);
    assert.deepEqual(shown, [[0, 'a']]);
    show('d');
    clock.tick(1);
    assert.deepEqual(shown.slice(1), [[1000, 'd']]);
  });

  it('shows a change at once after a second without one', () => {
    show('a');
    clock.tick(1000);
    show('b');
    clock.tick(1500);
    show('c');
    assert.deepEqual(shown, [
      [0, 'a'],
      [1000, 'b'],
      [2500, 'c'],
    ]);
  });

  it('shows fill, shape and text as given', () => {
    const statuses: NodeStatus[] = [];
    const node = { status: (status: NodeStatus) => statuses.push(status) } as unknown as Node;
    new ThrottledStatus(node).show(() => ({ fill: 'red', shape: 'ring', text: 'no server' }));
    assert.deepEqual(statuses, [{ fill: 'red', shape: 'ring', text: 'no server' }]);
  });

  it('can be empty', () => {
    throttled.show(() => ({}));
    assert.deepEqual(shown, [[0, undefined]]);
  });

  it('is cleared when its node closes, and stays empty', () => {
    show('a', 'b');
    clock.tick(500);
    throttled.close();
    assert.deepEqual(shown, [
      [0, 'a'],
      [500, undefined],
    ]);
    show('c');
    clock.tick(10_000);
    assert.equal(shown.length, 2);
    assert.equal(clock.countTimers(), 0);
  });

  it('is cleared if its node closes before it has shown anything', () => {
    throttled.close();
    clock.tick(10_000);
    assert.deepEqual(shown, [[0, undefined]]);
  });
});
