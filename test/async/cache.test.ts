import assert from 'node:assert/strict';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { Cache } from '../../src/async/cache';

describe('A cache', () => {
  let clock: SinonFakeTimers;
  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    clock.restore();
  });

  /** Returns a cache of what was requested how often: `a1` for the first request of `a`. */
  const counting = () => {
    const counts = new Map<string, number>();
    return new Cache<string, string>((key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return Promise.resolve(`${key}${counts.get(key)}`);
    });
  };

  it('requests a value once while it is young enough', async () => {
    const cache = counting();
    assert.deepEqual(await Promise.all(['a', 'a', 'b'].map((key) => cache.get(key, 100))), [
      'a1',
      'a1',
      'b1',
    ]);
    clock.tick(99);
    assert.equal(await cache.get('a', 100), 'a1');
    clock.tick(1);
    assert.equal(await cache.get('a', 100), 'a2');
  });

  it('joins a request that is under way when a value is requested anew', async () => {
    const cache = counting();
    assert.deepEqual(await Promise.all([cache.refresh('a'), cache.refresh('a')]), ['a1', 'a1']);
    assert.equal(await cache.refresh('a'), 'a2');
  });

  it('keeps the values of other keys when one is requested anew', async () => {
    const cache = counting();
    await Promise.all([cache.get('a', 100), cache.get('b', 100)]);
    assert.equal(await cache.refresh('b'), 'b2');
    assert.equal(await cache.get('a', 100), 'a1');
  });

  it('keeps neither an error nor a value that is not to be kept', async () => {
    const values = [Promise.reject(new Error('no')), Promise.resolve(undefined), Promise.resolve('yes')];
    const cache = new Cache(() => values.shift() ?? Promise.resolve('another'));
    await assert.rejects(cache.get('', 100), /no/);
    assert.equal(await cache.get('', 100), undefined);
    assert.equal(await cache.get('', 100), 'yes');
    assert.equal(await cache.get('', 100), 'yes');
  });
});
