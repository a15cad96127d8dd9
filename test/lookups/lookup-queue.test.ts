import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { restore, type SinonFakeTimers, type SinonStub, stub, useFakeTimers } from 'sinon';
import { Message } from '../support/connect';
import type { QueueState } from '../../src/call';
import { StashError } from '../../src/errors';
import type { QueuedLookup, Throttle } from '../../src/lookups/lookup-queue';
import { LookupQueues } from '../../src/lookups/lookup-queues';

interface Ask {
  message?: Message;
  /** The duration of each call in milliseconds. */
  takes?: number;
  /** The errors of the first calls. */
  fails?: Error[];
  retryFor?: number;
  maxQueued?: number;
}

/** The states of a look-up in its queue, as its call was told of them. */
function statesOf({ news }: Message): QueueState[] {
  return news.flatMap((one) => ('queue' in one ? [one.queue] : []));
}

/** Runs look-ups on a fake clock that starts at 0. */
class Queue {
  /** The calls that have ended, such as `Ann 0-20`. */
  readonly calls: string[] = [];
  /** The calls that have begun. */
  readonly started: string[] = [];
  /** The look-ups that have failed, such as `Ann: Error: gone`. */
  readonly failures: string[] = [];
  /** The look-ups that have succeeded. */
  readonly answered: string[] = [];
  readonly #sites: LookupQueues;
  readonly #source: string;

  constructor(queues: LookupQueues, source = '') {
    this.#sites = queues;
    this.#source = source;
  }

  /** Queues a look-up of one call. */
  ask(name: string, options: Ask = {}): void {
    void this.lookUp(name, options, (step) => this.#call(name, step, options));
  }

  /** Queues a look-up of two calls. */
  askTwice(name: string, options: Ask = {}): void {
    void this.lookUp(name, options, async (step) => {
      await this.#call(`${name} list`, step, options);
      await this.#call(`${name} details`, step, options);
    });
  }

  async lookUp(name: string, options: Ask, task: (step: Throttle) => Promise<unknown>): Promise<void> {
    const { message = new Message(), retryFor = 0, maxQueued = 1000 } = options;
    try {
      await this.#sites.at(this.#source).lookUp(queuedLookup(message, retryFor, maxQueued), task);
      this.answered.push(name);
    } catch (error) {
      this.failures.push(`${name}: ${error instanceof StashError ? error.case : String(error)}`);
    }
  }

  #call(name: string, step: Throttle, { takes = 0, fails = [] }: Ask): Promise<void> {
    return step(async () => {
      this.started.push(name);
      const start = performance.now();
      if (takes > 0) {
        await new Promise((resolve) => {
          setTimeout(resolve, takes);
        });
      }
      this.calls.push(`${name} ${start}-${performance.now()}`);
      const error = fails.shift();
      if (error) throw error;
    });
  }
}

function queuedLookup(call: QueuedLookup['call'], retryFor: number, maxQueued: number): QueuedLookup {
  return { call, retryFor, maxQueued };
}

function refusal(details: Record<string, string | number> = {}): StashError {
  return new StashError('SITE_REFUSED.refused', { details: { text: 'http error 429', ...details } });
}

describe('The look-up queue', () => {
  let clock: SinonFakeTimers;
  let random: SinonStub<[], number>;
  let queues: LookupQueues;
  let queue: Queue;

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    random = stub(Math, 'random').returns(0);
    queues = new LookupQueues();
    queue = new Queue(queues);
  });
  afterEach(() => {
    clock.restore();
    restore();
  });

  describe('runs one request at a time and', () => {
    it('starts it at once if the queue is empty', async () => {
      queues.register({}, 1000);
      queue.ask('Ann');
      await clock.tickAsync(0);
      assert.deepEqual(queue.calls, ['Ann 0-0']);
    });

    it('starts the next one when the previous one ends, without a pause', async () => {
      queues.register({}, 0);
      for (const name of ['Ann', 'Bob', 'Cy']) queue.ask(name, { takes: 10 });
      await clock.tickAsync(100);
      assert.deepEqual(queue.calls, ['Ann 0-10', 'Bob 10-20', 'Cy 20-30']);
    });

    it('keeps the order, with the pause between the end of one request and the start of the next', async () => {
      queues.register({}, 100);
      for (const name of ['Ann', 'Bob', 'Cy']) queue.ask(name, { takes: 20 });
      await clock.tickAsync(1000);
      assert.deepEqual(queue.calls, ['Ann 0-20', 'Bob 120-140', 'Cy 240-260']);
    });

    it('returns its result', async () => {
      const found = queues
        .at('')
        .lookUp(queuedLookup(new Message(), 0, 1000), (step) => step(() => Promise.resolve('found')));
      await clock.tickAsync(0);
      assert.equal(await found, 'found');
    });

    it('continues after a failed one, and keeps the pause', async () => {
      queues.register({}, 100);
      queue.ask('Ann', { takes: 20, fails: [new Error('no such page')] });
      queue.ask('Bob');
      await clock.tickAsync(119);
      assert.deepEqual(queue.failures, ['Ann: Error: no such page']);
      assert.deepEqual(queue.calls, ['Ann 0-20']);
      await clock.tickAsync(1);
      assert.deepEqual(queue.calls, ['Ann 0-20', 'Bob 120-120']);
    });

    it('makes a later one wait only for the rest of the pause', async () => {
      queues.register({}, 100);
      queue.ask('Ann', { takes: 20 });
      await clock.tickAsync(80);
      queue.ask('Bob');
      await clock.tickAsync(420);
      queue.ask('Cy');
      await clock.tickAsync(0);
      assert.deepEqual(queue.calls, ['Ann 0-20', 'Bob 120-120', 'Cy 500-500']);
    });

    it('adds up to a tenth of jitter to the pause', async () => {
      random.returns(0.999);
      queues.register({}, 1000);
      for (const name of ['Ann', 'Bob']) queue.ask(name);
      await clock.tickAsync(1099);
      assert.deepEqual(queue.started, ['Ann']);
      await clock.tickAsync(1);
      assert.deepEqual(queue.started, ['Ann', 'Bob']);
    });

    it('keeps the pause on a real clock', async () => {
      clock.restore();
      queues.register({}, 30);
      const times: { start: number; end: number }[] = [];
      const call = () =>
        queue.lookUp('', {}, (step) =>
          step(async () => {
            const start = performance.now();
            await sleep(5);
            times.push({ start, end: performance.now() });
          }),
        );
      await Promise.all([call(), call(), call()]);
      assert.equal(times.length, 3);
      const gaps = times.slice(1).map(({ start }, index) => start - (times[index]?.end ?? NaN));
      for (const gap of gaps) assert.ok(gap >= 30, `a gap of ${gap} ms`);
    });
  });

  describe('runs the requests of one look-up together', () => {
    it('and ends them before the next look-up begins', async () => {
      queues.register({}, 100);
      for (const name of ['Ann', 'Bob']) queue.askTwice(name, { takes: 10 });
      queue.ask('Cy');
      await clock.tickAsync(1000);
      assert.deepEqual(queue.calls, [
        'Ann list 0-10',
        'Ann details 110-120',
        'Bob list 220-230',
        'Bob details 330-340',
        'Cy 440-440',
      ]);
    });

    it('even without a pause', async () => {
      queues.register({}, 0);
      for (const name of ['Ann', 'Bob']) queue.askTwice(name, { takes: 10 });
      queue.ask('Cy');
      await clock.tickAsync(1000);
      assert.deepEqual(queue.started, ['Ann list', 'Ann details', 'Bob list', 'Bob details', 'Cy']);
    });

    it('and needs no pause for a look-up without requests', async () => {
      queues.register({}, 100);
      queue.ask('Ann');
      for (const name of ['Bob', 'Cy']) void queue.lookUp(name, {}, () => Promise.resolve());
      await clock.tickAsync(0);
      assert.deepEqual(queue.answered, ['Ann', 'Bob', 'Cy']);
      queue.ask('Di');
      await clock.tickAsync(1000);
      assert.deepEqual(queue.calls, ['Ann 0-0', 'Di 100-100']);
    });

    it('and starts the next look-up if it fails between two requests', async () => {
      void queue.lookUp('Ann', {}, async (step) => {
        await step(() => Promise.resolve());
        throw new Error('unreadable');
      });
      queue.ask('Bob');
      await clock.tickAsync(0);
      assert.deepEqual(queue.failures, ['Ann: Error: unreadable']);
      assert.deepEqual(queue.answered, ['Bob']);
    });
  });

  describe('keeps the longest pause of its members', () => {
    async function second(): Promise<number> {
      const before = queue.calls.length;
      queue.ask('Bob');
      await clock.runAllAsync();
      assert.equal(queue.calls.length, before + 1);
      return performance.now();
    }

    beforeEach(async () => {
      queue.ask('Ann');
      await clock.tickAsync(0);
    });

    it('whichever member joined first', async () => {
      queues.register({}, 50);
      queues.register({}, 300);
      queues.register({}, 100);
      assert.equal(await second(), 300);
    });

    it('even if the member with the longest pause joins while look-ups wait', async () => {
      queues.register({}, 100);
      queue.ask('Bob');
      await clock.tickAsync(60);
      queues.register({}, 250);
      await clock.tickAsync(60);
      assert.deepEqual(queue.started, ['Ann']);
      await clock.tickAsync(130);
      assert.deepEqual(queue.calls, ['Ann 0-0', 'Bob 250-250']);
    });

    it('until that member has left and the next request has begun', async () => {
      const slow = {};
      queues.register({}, 100);
      queues.register(slow, 10_000);
      for (const name of ['Bob', 'Cy']) queue.ask(name);
      await clock.tickAsync(40);
      queues.unregister(slow);
      await clock.tickAsync(20_000);
      assert.deepEqual(queue.calls, ['Ann 0-0', 'Bob 10000-10000', 'Cy 10100-10100']);
    });

    it('until a member with a shorter pause takes its place, as at a redeploy', async () => {
      const slow = {};
      queues.register({}, 100);
      queues.register(slow, 10_000);
      queue.ask('Bob');
      await clock.tickAsync(500);
      queues.unregister(slow);
      queues.register({}, 200);
      await clock.tickAsync(0);
      assert.deepEqual(queue.calls, ['Ann 0-0', 'Bob 500-500']);
    });

    it('during a redeploy, although another member has no pause', async () => {
      const slow = {};
      queues.register({}, 0);
      queues.register(slow, 600);
      queue.ask('Bob');
      await clock.tickAsync(500);
      queues.unregister(slow);
      await clock.tickAsync(20);
      queues.register({}, 600);
      await clock.tickAsync(1000);
      assert.deepEqual(queue.calls, ['Ann 0-0', 'Bob 600-600']);
    });

    it('with the latest pause of each member', async () => {
      const member = {};
      queues.register(member, 10_000);
      queues.register(member, 50);
      assert.equal(await second(), 50);
    });

    it('while it has no members, as during a redeploy', async () => {
      const member = {};
      queues.register(member, 200);
      queues.unregister(member);
      assert.equal(await second(), 200);
    });

    it('until the next member joins', async () => {
      const member = {};
      queues.register(member, 10_000);
      queues.unregister(member);
      queues.register({}, 20);
      assert.equal(await second(), 20);
    });

    it('although an unknown member leaves', async () => {
      queues.register({}, 100);
      queues.unregister({});
      assert.equal(await second(), 100);
    });
  });

  describe('drops a look-up', () => {
    let message: Message;

    beforeEach(() => {
      message = new Message();
      queues.register({}, 100);
      queue.ask('Ann', { takes: 10 });
    });

    for (const [how, leave] of [
      [
        'when its message ends',
        (reason: Error) => {
          message.end(reason);
        },
      ],
      [
        'on a reset',
        (reason: Error) => {
          message.reset(reason);
        },
      ],
    ] as const) {
      describe(how, () => {
        it('while another request runs; the others keep their order', async () => {
          for (const name of ['Bob', 'Cy', 'Di']) queue.ask(name, name === 'Cy' ? { message } : {});
          await clock.tickAsync(5);
          leave(new Error('gone'));
          await clock.tickAsync(0);
          assert.deepEqual(queue.failures, ['Cy: Error: gone']);
          await clock.tickAsync(1000);
          assert.deepEqual(queue.calls, ['Ann 0-10', 'Bob 110-110', 'Di 210-210']);
        });

        it('during the pause; the next one moves up', async () => {
          queue.ask('Bob', { message });
          queue.ask('Cy');
          await clock.tickAsync(50);
          leave(new Error('gone'));
          await clock.tickAsync(0);
          assert.deepEqual(queue.failures, ['Bob: Error: gone']);
          await clock.tickAsync(1000);
          assert.deepEqual(queue.calls, ['Ann 0-10', 'Cy 110-110']);
        });

        it('between its two requests', async () => {
          queue.askTwice('Bob', { message });
          queue.ask('Cy');
          await clock.tickAsync(150);
          leave(new Error('gone'));
          await clock.tickAsync(1000);
          assert.deepEqual(queue.calls, ['Ann 0-10', 'Bob list 110-110', 'Cy 210-210']);
        });

        it('that is the only one, and leaves no timer behind', async () => {
          queue.ask('Bob', { message });
          await clock.tickAsync(50);
          leave(new Error('gone'));
          await clock.tickAsync(0);
          assert.equal(clock.countTimers(), 0);
          await clock.tickAsync(450);
          queue.ask('Cy');
          await clock.tickAsync(0);
          assert.deepEqual(queue.calls, ['Ann 0-10', 'Cy 500-500']);
        });

        it('when its request is about to start', async () => {
          queue.ask('Bob', { message });
          queue.ask('Cy');
          await clock.tickAsync(10);
          leave(new Error('gone'));
          await clock.tickAsync(1000);
          assert.deepEqual(queue.calls, ['Ann 0-10', 'Cy 110-110']);
        });

        it('whose message has already ended', async () => {
          leave(new Error('gone'));
          queue.ask('Bob', { message });
          await clock.tickAsync(1000);
          assert.deepEqual(queue.failures, ['Bob: Error: gone']);
          assert.deepEqual(queue.started, ['Ann']);
        });

        it('and removes its listeners from the signals', async () => {
          queue.askTwice('Bob', { message });
          queue.ask('Cy', { message });
          await clock.tickAsync(130);
          leave(new Error('gone'));
          await clock.tickAsync(1000);
          assert.equal(getEventListeners(message.signal, 'abort').length, 0);
          assert.equal(getEventListeners(message.waiting, 'abort').length, 0);
        });
      });
    }

    it('but not on a reset when its request already runs', async () => {
      queue.ask('Bob', { message, takes: 50 });
      await clock.tickAsync(120);
      message.reset(new Error('gone'));
      queue.ask('Cy');
      await clock.tickAsync(1000);
      assert.deepEqual(queue.failures, []);
      assert.deepEqual(queue.calls, ['Ann 0-10', 'Bob 110-160', 'Cy 260-260']);
    });

    it('at once when its message ends during the request, but the next one waits for the response', async () => {
      queue.ask('Bob', { message, takes: 50 });
      queue.ask('Cy');
      await clock.tickAsync(120);
      message.end(new Error('gone'));
      await clock.tickAsync(0);
      assert.deepEqual(queue.failures, ['Bob: Error: gone']);
      await clock.tickAsync(1000);
      assert.deepEqual(queue.calls, ['Ann 0-10', 'Bob 110-160', 'Cy 260-260']);
    });
  });

  describe('has a maximum length', () => {
    it('and refuses further look-ups at once with QUEUE_FULL, which can be retried', async () => {
      queues.register({}, 100);
      for (const name of ['Ann', 'Bob', 'Cy']) queue.ask(name, { maxQueued: 2 });
      const lookUp = queuedLookup(new Message(), 0, 2);
      await assert.rejects(
        queues.at('').lookUp(lookUp, () => Promise.resolve()),
        { case: 'QUEUE_FULL.full', details: { count: 2 }, retry: true },
      );
      await clock.tickAsync(1000);
      assert.deepEqual(queue.started, ['Ann', 'Bob', 'Cy']);
    });

    it('and has room again when a look-up has left or begun', async () => {
      queues.register({}, 100);
      const message = new Message();
      queue.ask('Ann', { takes: 10 });
      queue.ask('Bob', { maxQueued: 1, message });
      message.reset(new Error('gone'));
      await clock.tickAsync(0);
      queue.ask('Cy', { maxQueued: 1 });
      await clock.tickAsync(110);
      queue.ask('Di', { maxQueued: 1 });
      await clock.tickAsync(1000);
      assert.deepEqual(queue.started, ['Ann', 'Cy', 'Di']);
    });
  });

  describe('backs off from a site that refuses requests', () => {
    const HALF_MINUTE = 30_000;
    const MINUTE = 60_000;

    it('for half a minute, then retries the same look-up first', async () => {
      queues.register({}, 5000);
      queue.ask('Ann', { fails: [refusal()], retryFor: 60 * MINUTE });
      queue.ask('Bob');
      await clock.tickAsync(HALF_MINUTE - 1);
      assert.deepEqual(queue.started, ['Ann']);
      await clock.tickAsync(1);
      assert.deepEqual(queue.started, ['Ann', 'Ann']);
      assert.deepEqual(queue.answered, ['Ann']);
    });

    it('for longer with each refusal in a row, up to a quarter of an hour', async () => {
      queues.register({}, 5000);
      queue.ask('Ann', { fails: Array.from({ length: 8 }, () => refusal()), retryFor: 180 * MINUTE });
      await clock.tickAsync(180 * MINUTE);
      const starts = queue.calls.map((call) => parseInt(call.slice(4)) / MINUTE);
      assert.deepEqual(starts, [0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5, 60.5]);
      assert.deepEqual(queue.answered, ['Ann']);
    });

    it('for as long as the site requests', async () => {
      queues.register({}, 5000);
      queue.ask('Ann', { fails: [refusal({ seconds: 100 })], retryFor: 60 * MINUTE });
      await clock.tickAsync(99_999);
      assert.deepEqual(queue.started, ['Ann']);
      await clock.tickAsync(1);
      assert.deepEqual(queue.started, ['Ann', 'Ann']);
    });

    it('and slowly returns to the normal pause', async () => {
      queues.register({}, 5000);
      queue.ask('Ann', { fails: [refusal()], retryFor: 60 * MINUTE });
      for (let count = 0; count < 40; count++) queue.ask('Bob');
      await clock.tickAsync(60 * MINUTE);
      const starts = queue.calls.slice(1).map((call) => parseInt(call.slice(4)));
      const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? NaN));
      assert.deepEqual(gaps.slice(0, 4), [9000, 8200, 7560, 7048]);
      assert.ok(gaps.every((gap, index) => index === 0 || gap <= (gaps[index - 1] ?? 0)));
      assert.equal(gaps.at(-1), 5000);
    });

    for (const [times, gap] of [
      [1, 9000],
      [2, 13_000],
      [8, 53_000],
    ] as const) {
      it(`and adds a pause that grows with the number of refusals, up to a minute: ${times}`, async () => {
        queues.register({}, 5000);
        queue.ask('Ann', { fails: Array.from({ length: times }, () => refusal()), retryFor: 180 * MINUTE });
        queue.ask('Bob');
        await clock.tickAsync(180 * MINUTE);
        const [last, next] = queue.calls.slice(-2).map((call) => parseInt(call.slice(4)));
        assert.deepEqual(queue.answered, ['Ann', 'Bob']);
        assert.equal(Number(next) - Number(last), gap);
      });
    }

    it('with up to a tenth of jitter', async () => {
      random.returns(0.999);
      queues.register({}, 5000);
      queue.ask('Ann', { fails: [refusal()], retryFor: 60 * MINUTE });
      await clock.tickAsync(1.09 * HALF_MINUTE);
      assert.deepEqual(queue.started, ['Ann']);
      await clock.tickAsync(0.01 * HALF_MINUTE);
      assert.deepEqual(queue.answered, ['Ann']);
    });

    it('even without a pause', async () => {
      queues.register({}, 0);
      queue.ask('Ann', { fails: [refusal()], retryFor: 60 * MINUTE });
      queue.ask('Bob');
      await clock.tickAsync(HALF_MINUTE + 799);
      assert.deepEqual(queue.started, ['Ann', 'Ann']);
      await clock.tickAsync(1);
      assert.deepEqual(queue.started, ['Ann', 'Ann', 'Bob']);
    });

    it('and ends the look-up when its retry time is over; the next one tries', async () => {
      queues.register({}, 5000);
      const fails = Array.from({ length: 9 }, () => refusal());
      queue.askTwice('Ann', { fails: [...fails], retryFor: 3 * MINUTE });
      queue.ask('Bob', { retryFor: 3 * MINUTE });
      await clock.tickAsync(1.5 * MINUTE);
      // The next try would come after the retry time.
      assert.deepEqual(queue.failures, ['Ann: SITE_REFUSED.refused']);
      assert.deepEqual(queue.started, ['Ann list', 'Ann list', 'Ann list']);
      await clock.tickAsync(2 * MINUTE - 1);
      assert.deepEqual(queue.answered, []);
      await clock.tickAsync(1);
      assert.deepEqual(queue.answered, ['Bob']);
    });

    it('and ends the look-up at once if retries are off', async () => {
      queue.ask('Ann', { fails: [refusal()], retryFor: 0 });
      await clock.tickAsync(0);
      assert.deepEqual(queue.failures, ['Ann: SITE_REFUSED.refused']);
    });

    it('but not after another error, which only ends its look-up', async () => {
      queues.register({}, 5000);
      const missing = new StashError('GRAPHQL.failed', { details: { text: 'http error 404:Not Found' } });
      queue.ask('Ann', { fails: [missing], retryFor: 60 * MINUTE });
      queue.ask('Bob');
      await clock.tickAsync(5000);
      assert.deepEqual(queue.failures, ['Ann: GRAPHQL.failed']);
      assert.deepEqual(queue.answered, ['Bob']);
    });

    it('and then tries the next look-up if the refused one is dropped', async () => {
      const message = new Message();
      queue.ask('Ann', { message, fails: [refusal()], retryFor: 60 * MINUTE });
      queue.ask('Bob');
      await clock.tickAsync(10_000);
      message.reset(new Error('gone'));
      await clock.tickAsync(HALF_MINUTE - 10_001);
      assert.deepEqual(queue.started, ['Ann']);
      await clock.tickAsync(1);
      assert.deepEqual(queue.answered, ['Bob']);
    });

    it('even if the message of the refused look-up has ended', async () => {
      const message = new Message();
      queue.ask('Ann', { message, fails: [refusal()], takes: 50 });
      queue.ask('Bob');
      await clock.tickAsync(10);
      message.end(new Error('gone'));
      await clock.tickAsync(HALF_MINUTE + 39);
      assert.deepEqual(queue.started, ['Ann']);
      await clock.tickAsync(1);
      assert.deepEqual(queue.started, ['Ann', 'Bob']);
    });
  });

  describe('reports the state of a look-up', () => {
    it('waiting, and then asking', async () => {
      queues.register({}, 100);
      const message = new Message();
      queue.ask('Ann');
      queue.askTwice('Bob', { message });
      assert.deepEqual(statesOf(message), ['waiting']);
      await clock.tickAsync(300);
      assert.deepEqual(statesOf(message), ['waiting', 'asking', 'asking']);
    });

    it('and refusals, to all waiting look-ups', async () => {
      const [message, other] = [new Message(), new Message()];
      queue.ask('Ann', { message, fails: [refusal(), refusal()], retryFor: 3_600_000 });
      queue.ask('Bob', { message: other });
      await clock.tickAsync(0);
      assert.deepEqual(statesOf(message), ['waiting', 'asking', 'refused']);
      assert.deepEqual(statesOf(other), ['waiting', 'refused']);
      await clock.tickAsync(90_000);
      assert.deepEqual(statesOf(message), ['waiting', 'asking', 'refused', 'asking', 'refused', 'asking']);
      assert.deepEqual(statesOf(other), ['waiting', 'refused', 'waiting']);
    });
  });

  describe('exists once for each address and source', () => {
    const joined = (address: string) => {
      const queues = LookupQueues.of(address);
      queues.register({}, 0);
      return queues;
    };

    it('for every caller', () => {
      const one = joined('http://one');
      assert.equal(joined('http://one'), one);
      assert.notEqual(joined('http://two'), one);
    });

    it('so that only requests to the same site wait for each other', async () => {
      const first = new Queue(joined('http://three'));
      const same = new Queue(joined('http://three'));
      const otherSource = new Queue(joined('http://three'), 'other');
      const otherAddress = new Queue(joined('http://four'));
      for (const each of [first, same, otherSource, otherAddress]) each.ask('call', { takes: 10 });
      await clock.tickAsync(30);
      assert.deepEqual(first.calls, ['call 0-10']);
      assert.deepEqual(same.calls, ['call 10-20']);
      assert.deepEqual(otherSource.calls, ['call 0-10']);
      assert.deepEqual(otherAddress.calls, ['call 0-10']);
    });

    it('and keeps the pause separately for each source', async () => {
      const other = new Queue(queues, 'other');
      queues.register({}, 100);
      for (const each of [queue, other]) for (const name of ['Ann', 'Bob']) each.ask(name);
      await clock.tickAsync(150);
      assert.deepEqual(queue.calls, ['Ann 0-0', 'Bob 100-100']);
      assert.deepEqual(other.calls, ['Ann 0-0', 'Bob 100-100']);
    });
  });
});
