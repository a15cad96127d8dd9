import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { Pace } from '../../src/server/pace';

interface Ask {
  owner?: object;
  until?: readonly AbortSignal[];
  /** Milliseconds. */
  takes?: number;
}

/** Calls on a clock that only moves when it is told to, from 0 on. */
class Line {
  /** What happened, as in `Ann 0-20`. */
  readonly calls: string[] = [];
  /** Who has begun. */
  readonly begun: string[] = [];
  /** How calls ended that did not end well, as in `Ann: Error: gone`. */
  readonly failures: string[] = [];
  readonly #pace: Pace;
  readonly #source: string;

  constructor(pace: Pace, source = '') {
    this.#pace = pace;
    this.#source = source;
  }

  ask(name: string, { owner = {}, until = [], takes = 0 }: Ask = {}): void {
    void this.call(name, { owner, until, takes });
  }

  async call(name: string, { owner = {}, until = [], takes = 0 }: Ask = {}): Promise<void> {
    try {
      await this.#pace.run({ owner, source: this.#source, until }, async () => {
        this.begun.push(name);
        const start = performance.now();
        if (takes > 0) {
          await new Promise((resolve) => {
            setTimeout(resolve, takes);
          });
        }
        this.calls.push(`${name} ${start}-${performance.now()}`);
      });
    } catch (error) {
      this.failures.push(`${name}: ${String(error)}`);
    }
  }
}

describe('The line in front of the external site', () => {
  let clock: SinonFakeTimers;
  let pace: Pace;
  let line: Line;

  beforeEach(() => {
    clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    pace = new Pace();
    line = new Line(pace);
  });
  afterEach(() => {
    clock.restore();
  });

  describe('lets one call pass at a time', () => {
    it('at once if nobody is before it', async () => {
      pace.join({}, 1000);
      line.ask('Ann');
      await clock.tickAsync(0);
      assert.deepEqual(line.calls, ['Ann 0-0']);
    });

    it('and the next as soon as that has ended, where there is no pause', async () => {
      pace.join({}, 0);
      for (const name of ['Ann', 'Bob', 'Cy']) line.ask(name, { takes: 10 });
      await clock.tickAsync(100);
      // To the fake clock a turn of the event loop is a millisecond.
      assert.deepEqual(line.calls, ['Ann 0-10', 'Bob 11-21', 'Cy 22-32']);
    });

    it('in the order in which they came, with the pause from the end of one to the start of the next', async () => {
      pace.join({}, 100);
      for (const name of ['Ann', 'Bob', 'Cy']) line.ask(name, { takes: 20 });
      await clock.tickAsync(1000);
      assert.deepEqual(line.calls, ['Ann 0-20', 'Bob 120-140', 'Cy 240-260']);
    });

    it('and gives back what it found', async () => {
      assert.equal(
        await pace.run({ owner: {}, source: '', until: [] }, () => Promise.resolve('found')),
        'found',
      );
    });

    it('also when one fails: the error is its own, the pause is kept, the line goes on', async () => {
      pace.join({}, 100);
      const failing = pace.run({ owner: {}, source: '', until: [] }, () =>
        Promise.reject(new Error('no site')),
      );
      line.ask('Bob');
      await assert.rejects(failing, { message: 'no site' });
      await clock.tickAsync(99);
      assert.deepEqual(line.calls, []);
      await clock.tickAsync(1);
      assert.deepEqual(line.calls, ['Bob 100-100']);
    });

    it('and keeps the pause for one that comes later, but no longer than that', async () => {
      pace.join({}, 100);
      line.ask('Ann', { takes: 20 });
      await clock.tickAsync(80);
      line.ask('Bob');
      await clock.tickAsync(420);
      line.ask('Cy');
      await clock.tickAsync(0);
      assert.deepEqual(line.calls, ['Ann 0-20', 'Bob 120-120', 'Cy 500-500']);
    });

    it('with the same gaps on a real clock', async () => {
      clock.restore();
      pace.join({}, 30);
      const times: { start: number; end: number }[] = [];
      const call = () =>
        pace.run({ owner: {}, source: '', until: [] }, async () => {
          const start = performance.now();
          await sleep(5);
          times.push({ start, end: performance.now() });
        });
      await Promise.all([call(), call(), call()]);
      assert.equal(times.length, 3);
      const gaps = times.slice(1).map(({ start }, index) => start - (times[index]?.end ?? NaN));
      for (const gap of gaps) assert.ok(gap >= 30, `a gap of ${gap} ms`);
    });
  });

  describe('keeps the place of who asks several times', () => {
    function lookUp(name: string): void {
      const owner = {};
      void line.call(`${name} list`, { owner, takes: 10 }).then(() => {
        line.ask(`${name} details`, { owner, takes: 10 });
      });
    }

    it('so that a look-up that has begun is finished before the next begins', async () => {
      pace.join({}, 100);
      for (const name of ['Ann', 'Bob']) lookUp(name);
      line.ask('Cy');
      await clock.tickAsync(1000);
      assert.deepEqual(line.begun, ['Ann list', 'Ann details', 'Bob list', 'Bob details', 'Cy']);
    });

    it('also where there is no pause', async () => {
      pace.join({}, 0);
      for (const name of ['Ann', 'Bob']) lookUp(name);
      line.ask('Cy');
      await clock.tickAsync(1000);
      assert.deepEqual(line.begun, ['Ann list', 'Ann details', 'Bob list', 'Bob details', 'Cy']);
    });

    it('also when it comes back only while the others wait for the pause', async () => {
      pace.join({}, 100);
      const ann = {};
      line.ask('Ann list', { owner: ann });
      line.ask('Bob');
      await clock.tickAsync(50);
      line.ask('Ann details', { owner: ann });
      await clock.tickAsync(1000);
      assert.deepEqual(line.calls, ['Ann list 0-0', 'Ann details 100-100', 'Bob 200-200']);
    });

    it('and lets its own calls follow each other in their order', async () => {
      const ann = {};
      line.ask('busy', { takes: 10 });
      for (const name of ['1', '2', '3']) line.ask(name, { owner: ann });
      await clock.tickAsync(20);
      assert.deepEqual(line.begun, ['busy', '1', '2', '3']);
    });
  });

  describe('keeps the largest pause of its members', () => {
    async function second(): Promise<number> {
      const before = line.calls.length;
      line.ask('Bob');
      await clock.runAllAsync();
      assert.equal(line.calls.length, before + 1);
      return performance.now();
    }

    beforeEach(async () => {
      line.ask('Ann');
      await clock.tickAsync(0);
    });

    it('whoever joined first', async () => {
      pace.join({}, 50);
      pace.join({}, 300);
      pace.join({}, 100);
      assert.equal(await second(), 300);
    });

    it('also if the member with the largest joins while others wait', async () => {
      pace.join({}, 100);
      line.ask('Bob');
      await clock.tickAsync(60);
      pace.join({}, 250);
      await clock.tickAsync(60);
      assert.deepEqual(line.begun, ['Ann']);
      await clock.tickAsync(130);
      assert.deepEqual(line.calls, ['Ann 0-0', 'Bob 250-250']);
    });

    it('until that one has left and the next call has begun', async () => {
      const slow = {};
      pace.join({}, 100);
      pace.join(slow, 10_000);
      for (const name of ['Bob', 'Cy']) line.ask(name);
      await clock.tickAsync(40);
      pace.leave(slow);
      await clock.tickAsync(20_000);
      assert.deepEqual(line.calls, ['Ann 0-0', 'Bob 10000-10000', 'Cy 10100-10100']);
    });

    it('or somebody joins in its place, as at a redeploy with a shorter pause', async () => {
      const slow = {};
      pace.join({}, 100);
      pace.join(slow, 10_000);
      line.ask('Bob');
      await clock.tickAsync(500);
      pace.leave(slow);
      pace.join({}, 200);
      await clock.tickAsync(0);
      assert.deepEqual(line.calls, ['Ann 0-0', 'Bob 500-500']);
    });

    it('across the moment in which it is redeployed, though another member has none', async () => {
      const slow = {};
      pace.join({}, 0);
      pace.join(slow, 600);
      line.ask('Bob');
      await clock.tickAsync(500);
      pace.leave(slow);
      await clock.tickAsync(20);
      pace.join({}, 600);
      await clock.tickAsync(1000);
      assert.deepEqual(line.calls, ['Ann 0-0', 'Bob 600-600']);
    });

    it('as a member last said it', async () => {
      const member = {};
      pace.join(member, 10_000);
      pace.join(member, 50);
      assert.equal(await second(), 50);
    });

    it('and the last one while nobody is left, as during a redeploy', async () => {
      const member = {};
      pace.join(member, 200);
      pace.leave(member);
      assert.equal(await second(), 200);
    });

    it('until the next member comes', async () => {
      const member = {};
      pace.join(member, 10_000);
      pace.leave(member);
      pace.join({}, 20);
      assert.equal(await second(), 20);
    });

    it('and does not mind who leaves without having joined', async () => {
      pace.join({}, 100);
      pace.leave({});
      assert.equal(await second(), 100);
    });
  });

  describe('can be left', () => {
    let patience: AbortController;

    beforeEach(() => {
      patience = new AbortController();
      pace.join({}, 100);
      line.ask('Ann', { takes: 10 });
    });

    it('while another call is under way; the others keep their places', async () => {
      for (const name of ['Bob', 'Cy', 'Di']) {
        line.ask(name, { until: name === 'Cy' ? [patience.signal] : [] });
      }
      await clock.tickAsync(5);
      patience.abort(new Error('gone'));
      await clock.tickAsync(0);
      assert.deepEqual(line.failures, ['Cy: Error: gone']);
      await clock.tickAsync(1000);
      assert.deepEqual(line.calls, ['Ann 0-10', 'Bob 110-110', 'Di 210-210']);
    });

    it('during the pause, by the first in the line: the next moves up, no sooner and no later', async () => {
      line.ask('Bob', { until: [patience.signal] });
      line.ask('Cy');
      await clock.tickAsync(50);
      patience.abort(new Error('gone'));
      await clock.tickAsync(1000);
      assert.deepEqual(line.failures, ['Bob: Error: gone']);
      assert.deepEqual(line.calls, ['Ann 0-10', 'Cy 110-110']);
    });

    it('by the last in it; who comes later finds it in order', async () => {
      line.ask('Bob', { until: [patience.signal] });
      await clock.tickAsync(50);
      patience.abort(new Error('gone'));
      await clock.tickAsync(450);
      line.ask('Cy');
      await clock.tickAsync(0);
      assert.deepEqual(line.calls, ['Ann 0-10', 'Cy 500-500']);
    });

    it('by the last in it; nothing keeps the process running then', async () => {
      line.ask('Bob', { until: [patience.signal] });
      await clock.tickAsync(50);
      patience.abort(new Error('gone'));
      await clock.tickAsync(0);
      assert.equal(clock.countTimers(), 0);
    });

    it('for any of several reasons', async () => {
      const other = new AbortController();
      line.ask('Bob', { until: [patience.signal, other.signal] });
      line.ask('Cy', { until: [other.signal, patience.signal] });
      other.abort(new Error('closed'));
      await clock.tickAsync(0);
      assert.deepEqual(line.failures, ['Bob: Error: closed', 'Cy: Error: closed']);
    });

    it('is not joined by who has given up already', async () => {
      patience.abort(new Error('gone'));
      line.ask('Bob', { until: [patience.signal] });
      await clock.tickAsync(1000);
      assert.deepEqual(line.failures, ['Bob: Error: gone']);
      assert.deepEqual(line.begun, ['Ann']);
    });

    it('no more once the call is under way', async () => {
      line.ask('Bob', { until: [patience.signal], takes: 50 });
      await clock.tickAsync(120);
      patience.abort(new Error('gone'));
      line.ask('Cy');
      await clock.tickAsync(1000);
      assert.deepEqual(line.failures, []);
      assert.deepEqual(line.calls, ['Ann 0-10', 'Bob 110-160', 'Cy 260-260']);
    });

    it('and leaves nothing behind on the signals', async () => {
      const other = new AbortController();
      line.ask('Bob', { until: [patience.signal, other.signal] });
      line.ask('Cy', { until: [other.signal] });
      other.abort(new Error('gone'));
      line.ask('Di', { until: [patience.signal] });
      await clock.tickAsync(1000);
      assert.deepEqual(line.begun, ['Ann', 'Di']);
      assert.equal(getEventListeners(patience.signal, 'abort').length, 0);
      assert.equal(getEventListeners(other.signal, 'abort').length, 0);
    });
  });

  describe('is one for each address and source', () => {
    it('whoever asks for it', () => {
      assert.equal(Pace.at('http://one'), Pace.at('http://one'));
      assert.notEqual(Pace.at('http://one'), Pace.at('http://two'));
    });

    it('so that calls to the same wait for each other, and others do not', async () => {
      const first = new Line(Pace.at('http://three'));
      const same = new Line(Pace.at('http://three'));
      const otherSource = new Line(Pace.at('http://three'), 'other');
      const otherAddress = new Line(Pace.at('http://four'));
      for (const each of [first, same, otherSource, otherAddress]) each.ask('call', { takes: 10 });
      await clock.tickAsync(30);
      assert.deepEqual(first.calls, ['call 0-10']);
      assert.deepEqual(same.calls, ['call 11-21']);
      assert.deepEqual(otherSource.calls, ['call 0-10']);
      assert.deepEqual(otherAddress.calls, ['call 0-10']);
    });

    it('but the pause is kept in front of each source', async () => {
      const other = new Line(pace, 'other');
      pace.join({}, 100);
      for (const each of [line, other]) for (const name of ['Ann', 'Bob']) each.ask(name);
      await clock.tickAsync(150);
      assert.deepEqual(line.calls, ['Ann 0-0', 'Bob 100-100']);
      assert.deepEqual(other.calls, ['Ann 0-0', 'Bob 100-100']);
    });
  });
});
