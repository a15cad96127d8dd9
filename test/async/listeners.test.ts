import assert from 'node:assert/strict';
import { Listeners } from '../../src/async/listeners';

describe('Listeners', () => {
  it('all receive an event although one throws, and each error is logged in one line', () => {
    const heard: string[] = [];
    const reported: string[] = [];
    const listeners = new Listeners<string>((line) => reported.push(line));
    listeners.add((event) => heard.push(`first ${event}`));
    const end = listeners.add(() => {
      throw new TypeError('no such thing');
    });
    listeners.add(() => {
      // The code of a flow can throw such an object.
      throw Object.create(null);
    });
    listeners.add((event) => heard.push(`last ${event}`));
    listeners.emit('a');
    end();
    listeners.emit('b');
    assert.deepEqual(heard, ['first a', 'last a', 'first b', 'last b']);
    assert.deepEqual(reported, [
      'a listener failed, TypeError: no such thing',
      'a listener failed, object',
      'a listener failed, object',
    ]);
  });
});
