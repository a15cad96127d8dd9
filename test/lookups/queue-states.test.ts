import assert from 'node:assert/strict';
import { restore, type SinonFakeTimers, stub, useFakeTimers } from 'sinon';
import { Message } from '../support/connect';
import { StashError } from '../../src/errors';
import { LookupQueues } from '../../src/lookups/lookup-queues';

const START = Date.UTC(2026, 0, 1);

describe('The state of the look-up queues', () => {
  let clock: SinonFakeTimers;
  let queues: LookupQueues;

  beforeEach(() => {
    clock = useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    stub(Math, 'random').returns(0);
    queues = new LookupQueues();
    queues.register({}, 1000);
  });
  afterEach(() => {
    clock.restore();
    restore();
  });

  /** Queues a look-up of a node, whose request takes 100 ms. */
  function ask(origin: string | undefined, { source = '', fails = false, retryFor = 0 } = {}): Message {
    const message = Object.assign(new Message(), { origin });
    const request = async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
      if (fails) throw new StashError('SITE_REFUSED.refused', { details: { text: 'http error 429' } });
    };
    queues
      .at(source)
      .lookUp({ call: message, retryFor, maxQueued: 10 }, (throttle) => throttle(request))
      .catch(() => undefined);
    return message;
  }

  /** Returns the states, with the times since the start. */
  const states = () =>
    queues.states.map(({ nextAt, nodes, ...state }) => ({
      ...state,
      nextAt: nextAt - START,
      nodes: Object.fromEntries(nodes),
    }));

  it('is empty while nobody waits', async () => {
    assert.deepEqual(states(), []);
    ask('search');
    await clock.tickAsync(100);
    assert.deepEqual(states(), []);
  });

  it('says for each site what it does, how many messages wait, and of which nodes', async () => {
    for (const origin of ['search', 'scrape', 'search', undefined]) ask(origin);
    ask('other', { source: 'archive' });
    await clock.tickAsync(50);
    const nodes = { search: 2, scrape: 1, '': 1 };
    assert.deepEqual(states(), [
      { source: '', state: 'asking', nextAt: 1000, waiting: 3, nodes },
      { source: 'archive', state: 'asking', nextAt: 1000, waiting: 0, nodes: { other: 1 } },
    ]);

    await clock.tickAsync(100);
    assert.deepEqual(states(), [
      { source: '', state: 'waiting', nextAt: 1100, waiting: 3, nodes: { search: 1, scrape: 1, '': 1 } },
    ]);
  });

  it('says until when a site is left alone that blocks requests, also if nobody waits', async () => {
    ask('search', { fails: true, retryFor: 60_000 });
    await clock.tickAsync(100);
    const refused = { source: '', state: 'refused', nextAt: 30_100 };
    assert.deepEqual(states(), [{ ...refused, waiting: 1, nodes: { search: 1 } }]);

    await clock.tickAsync(60_000);
    queues = new LookupQueues();
    ask('search', { fails: true });
    await clock.tickAsync(100);
    assert.deepEqual(
      states().map(({ state, waiting, nodes }) => [state, waiting, nodes]),
      [['refused', 0, {}]],
    );
    await clock.tickAsync(30_000);
    assert.deepEqual(states(), []);
  });

  it('says until when a site is left alone that blocked requests before a restart of Node-RED', async () => {
    const limiter = { endedAt: START, resumeAt: START + 30_000, penalty: 1000, refusals: 1 };
    const stored = { address: '', limiters: { archive: limiter } };
    queues.register({}, 1000, { read: () => Promise.resolve(stored), write: () => undefined });
    await clock.tickAsync(0);
    const refused = { source: 'archive', state: 'refused', nextAt: 30_000 };
    assert.deepEqual(states(), [{ ...refused, waiting: 0, nodes: {} }]);

    ask('search', { source: 'archive' });
    await clock.tickAsync(0);
    assert.deepEqual(states(), [{ ...refused, waiting: 1, nodes: { search: 1 } }]);
  });
});
