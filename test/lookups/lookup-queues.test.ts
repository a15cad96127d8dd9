import assert from 'node:assert/strict';
import { restore, type SinonFakeTimers, stub, useFakeTimers } from 'sinon';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Message } from '../support/connect';
import { StashError } from '../../src/errors';
import { LookupQueues } from '../../src/lookups/lookup-queues';
import type { ValueStore } from '../../src/value-store';
import { Server } from '../../src/server/server';

const ADDRESS = 'http://nas:9999';
const MINUTE = 60_000;

/** A store that outlives the process. It keeps text, as a file does. */
class MemoryStore implements ValueStore {
  text: string | undefined;

  read = (): Promise<unknown> => Promise.resolve(this.text && (JSON.parse(this.text) as unknown));
  write = (value: unknown): void => {
    this.text = JSON.stringify(value);
  };
}

describe('The rate limit of look-ups after a restart of Node-RED', () => {
  let clock: SinonFakeTimers;
  let memory: MemoryStore;

  beforeEach(() => {
    clock = useFakeTimers({
      now: Date.UTC(2026, 0, 1),
      toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    });
    stub(Math, 'random').returns(0);
    memory = new MemoryStore();
  });
  afterEach(() => {
    clock.restore();
    restore();
  });

  /** Returns the queues of a new process that uses the store. */
  function start(pause = 1000, address = ADDRESS): LookupQueues {
    const queues = new LookupQueues(address);
    queues.register({}, pause, memory);
    return queues;
  }

  /** Makes one call and returns the time that the call waited. */
  async function ask(queues: LookupQueues, source = ''): Promise<number> {
    const start = Date.now();
    let waited = NaN;
    const lookUp = { call: new Message(), retryFor: 0, maxQueued: 1 };
    const asking = queues.at(source).lookUp(lookUp, (step) =>
      step(() => {
        waited = Date.now() - start;
        return Promise.resolve();
      }),
    );
    await Promise.all([asking, clock.tickAsync(24 * 60 * MINUTE)]);
    return waited;
  }

  /** Makes one call. Unlike `ask`, it does not let time pass after the call. */
  async function askNow(queues: LookupQueues, source = '', error?: Error): Promise<void> {
    const lookUp = { call: new Message(), retryFor: 0, maxQueued: 1 };
    const asking = queues
      .at(source)
      .lookUp(lookUp, (step) => step(() => (error ? Promise.reject(error) : Promise.resolve())));
    await Promise.all([asking.catch(() => undefined), clock.tickAsync(0)]);
  }

  it('is kept', async () => {
    await askNow(start());
    await clock.tickAsync(300);
    assert.equal(await ask(start()), 700);
  });

  it('is kept for a site with a running request', async () => {
    const lookUp = { call: new Message(), retryFor: 0, maxQueued: 1 };
    void start()
      .at('')
      .lookUp(lookUp, (step) => step(() => new Promise(() => undefined)));
    await clock.tickAsync(0);
    assert.equal(await ask(start()), 1000);
  });

  it('is kept for a site that refuses requests', async () => {
    await askNow(start(), '', refusal());
    await clock.tickAsync(10_000);
    assert.equal(await ask(start()), 20_000);
  });

  it('includes the number of refusals in a row', async () => {
    const refused = refusal();
    await askNow(start(), '', refused);
    await clock.tickAsync(30_000);
    await askNow(start(), '', refused);
    assert.equal(await ask(start()), 60_000);
  });

  it('drops the number of refusals after a day', async () => {
    const refused = refusal();
    await askNow(start(), '', refused);
    await clock.tickAsync(24 * 60 * MINUTE + 1);
    await askNow(start(), '', refused);
    assert.equal(await ask(start()), 30_000);
  });

  it('stays stricter after a refusal', async () => {
    await askNow(start(), '', refusal({ seconds: 0 }));
    assert.equal(await ask(start()), 2000);
  });

  it('is kept separately for each source', async () => {
    const before = start();
    await askNow(before, 'films');
    await clock.tickAsync(500);
    await askNow(before, 'songs');
    const { text } = memory;
    const stopped = Date.now();
    for (const [source, wait] of [
      ['films', 500],
      ['songs', 1000],
      ['people', 0],
    ] as const) {
      memory.text = text;
      clock.setSystemTime(stopped);
      assert.equal(await ask(start(), source), wait, source);
    }
  });

  it('uses the current pause', async () => {
    await askNow(start(1000));
    assert.equal(await ask(start(4000)), 4000);
  });

  it('does not return to an older state when another config node with the same address joins', async () => {
    await askNow(start());
    const older = JSON.parse(memory.text ?? '') as unknown;
    await clock.tickAsync(5000);
    const queues = start();
    await askNow(queues);
    queues.register({}, 1000, { read: () => Promise.resolve(older), write: () => undefined });
    assert.equal(await ask(queues), 1000);
  });

  it('is dropped if the address has changed', async () => {
    await askNow(start());
    assert.equal(await ask(start(1000, 'http://other:9999')), 0);
  });

  it('lasts at most a day, whatever the site requests', async () => {
    await askNow(start(), '', refusal({ seconds: 1e9 }));
    assert.equal(await ask(start()), 24 * 60 * MINUTE);
  });

  it('does not last longer after the clock was set back', async () => {
    await askNow(start(), '', refusal());
    clock.setSystemTime(Date.UTC(2020, 0, 1));
    assert.equal(await ask(start()), 30_000);
  });

  it('is loaded before the first look-up', async () => {
    await askNow(start());
    const { text } = memory;
    memory.read = () =>
      new Promise((resolve) => {
        setTimeout(() => {
          resolve(text && JSON.parse(text));
        }, 5000);
      });
    assert.equal(await ask(start(8000)), 8000);
  });

  for (const text of [
    'null',
    '"limiters"',
    '{"address":"http://nas:9999"}',
    '{"address":"http://nas:9999","limiters":[]}',
    '{"address":"http://nas:9999","limiters":{"":null}}',
    '{"address":"http://nas:9999","limiters":{"":{"endedAt":"1e15","resumeAt":0,"penalty":0,"refusals":0}}}',
    '{"address":"http://nas:9999","limiters":{"":{"endedAt":1e15,"resumeAt":-1,"penalty":0,"refusals":0}}}',
  ]) {
    it(`starts fresh if the stored state is unusable: ${text}`, async () => {
      memory.text = text;
      assert.equal(await ask(start()), 0);
    });
  }
});

describe('The look-up queues of an address', () => {
  let clock: SinonFakeTimers;
  let address = 0;

  beforeEach(() => {
    clock = useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['setTimeout', 'Date', 'performance'] });
    stub(Math, 'random').returns(0);
    address += 1;
  });
  afterEach(() => {
    clock.restore();
    restore();
  });

  const of = () => LookupQueues.of(`http://nas:${address}`);
  const lookUp = { call: new Message(), retryFor: 0, maxQueued: 1 };
  /** Joins, makes one call and leaves. */
  async function use(
    call: () => Promise<void> = () => Promise.resolve(),
    source = '',
  ): Promise<LookupQueues> {
    const [queues, member] = [of(), {}];
    queues.register(member, 5000);
    const asking = queues.at(source).lookUp(lookUp, (step) => step(call));
    await Promise.all([asking.catch(() => undefined), clock.tickAsync(0)]);
    queues.unregister(member);
    return queues;
  }

  it('exist as long as something uses them', async () => {
    const queues = of();
    queues.register({}, 0);
    await clock.tickAsync(MINUTE);
    assert.equal(of(), queues);
  });

  it('survive a redeploy until the pause is over', async () => {
    const queues = await use();
    await clock.tickAsync(4999);
    assert.equal(of(), queues);
    await clock.tickAsync(1);
    assert.notEqual(of(), queues);
  });

  it('survive for a day after a refusal', async () => {
    const queues = await use(() => Promise.reject(refusal()));
    await clock.tickAsync(23 * 60 * MINUTE);
    assert.equal(of(), queues);
    await clock.tickAsync(61 * MINUTE);
    assert.notEqual(of(), queues);
  });

  it('survive a redeploy until the pauses of all sites are over', async () => {
    const queues = await use();
    await clock.tickAsync(4000);
    await use(undefined, 'archive');
    await clock.tickAsync(4999);
    assert.equal(of(), queues);
    await clock.tickAsync(1);
    assert.notEqual(of(), queues);
  });

  it('survive for a day if a site has refused and then accepted a request', async () => {
    const queues = await use(() => Promise.reject(refusal({ seconds: 0 })));
    await clock.tickAsync(MINUTE);
    await use();
    await clock.tickAsync(23 * 60 * MINUTE);
    assert.equal(of(), queues);
    await clock.tickAsync(61 * MINUTE);
    assert.notEqual(of(), queues);
  });

  it('survive while an aborted request has no response', async () => {
    const [queues, member] = [of(), {}];
    queues.register(member, 5000);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asking = queues.at('').lookUp(lookUp, (step) => step(() => answered));
    await clock.tickAsync(0);
    queues.unregister(member);
    await clock.tickAsync(MINUTE);
    assert.equal(of(), queues);
    answer();
    await asking;
    await clock.tickAsync(5000);
    assert.notEqual(of(), queues);
  });

  it('are dropped for a server without look-ups, such as that of the Test button', async () => {
    const gc = () => {
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      return process.memoryUsage().heapUsed;
    };
    const test = async (count: number) => {
      for (let index = 0; index < count; index++) {
        const url = `http://nas-${address}-${count}-${index}:9999`;
        await new Server({ url, auth: 'none', timeout: 1, lookupTimeout: 1, backupTimeout: 1 }).close();
      }
      return gc();
    };
    const before = await test(500);
    const grown = (await test(5000)) - before;
    assert.ok(grown < 2 ** 20, `${Math.round(grown / 1024)} KiB`);
  });
});

/** @param details the pause that the site requests. */
function refusal(details: { seconds?: number } = {}): StashError {
  return new StashError('SITE_REFUSED.refused', { details: { text: 'http error 429', ...details } });
}
