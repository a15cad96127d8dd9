import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { StashError } from '../../src/errors';
import type { OperationRequest } from '../../src/graphql/operation';
import { Schema } from '../../src/graphql/schema';
import type { Subscriptions } from '../../src/http/websocket';
import type { WatcherEvent } from '../../src/jobs/events';
import type { JobStart } from '../../src/jobs/job-start';
import { Jobs } from '../../src/jobs/jobs';
import type { ServerJob } from '../../src/jobs/server-job';
import type { JobSource } from '../../src/jobs/live-connection';
import { JobWatcher } from '../../src/jobs/watcher';
import type { JobEvent } from '../../src/records';
import { Message } from '../support/connect';

const SCHEMA = Schema.read({
  Query: { fields: [{ name: 'jobQueue' }] },
  Job: { fields: [{ name: 'error' }] },
});
let count = 0;

/** A server for a watcher, with a fake clock. */
class Watchable implements JobSource {
  readonly url = `http://watchable-${++count}`;
  readonly lines: string[] = [];
  /** The jobs in the queue; undefined while the server is unreachable. */
  queue: Partial<ServerJob>[] | undefined = [];
  found: Record<string, Partial<ServerJob>> = {};
  isSilent = false;
  #lines = 0;
  polls = 0;
  unreachableReports = 0;
  /** The number of open sockets. */
  sockets = 0;
  subscriptions: Subscriptions | undefined;
  closeSocket: (reason: string) => void = () => undefined;
  /** When the last message arrived on the socket. */
  receivedAt = new Date(0);
  socket: JobSource['socket'] = (subscriptions) => {
    this.subscriptions = subscriptions;
    const closed = new Promise<string>((resolve) => {
      this.closeSocket = resolve;
    });
    this.sockets++;
    const close = () => {
      this.sockets--;
    };
    return Promise.resolve({ closed, receivedAt: () => this.receivedAt, close });
  };
  /** From now on, `closed` resolves also if the watcher closes a socket. */
  confirmCloses(): void {
    const { socket } = this;
    this.socket = async (subscriptions, signal) => {
      const opened = await socket(subscriptions, signal);
      const close = () => {
        this.closeSocket('stood still');
      };
      return opened && { ...opened, close };
    };
  }
  redact = (text: string) => text.replaceAll('canary', '•••');
  log = (line: string) => {
    this.lines.push(line);
  };
  onUnreachable = () => {
    this.unreachableReports++;
  };

  request = async <Result>({ build }: OperationRequest<Result>): Promise<Result> => {
    const { variables = {}, read } = build(SCHEMA);
    this.polls++;
    await Promise.resolve();
    if (!this.queue) {
      throw this.isSilent
        ? new StashError('TIMEOUT.noAnswer', { details: { seconds: 30 } })
        : new StashError('UNREACHABLE.lost', { details: { url: 'u', code: 'ECONNRESET' } });
    }
    const ids = Object.values(variables).map(String);
    const found = ids.map((id, index) => [`job${index}`, this.found[id] ? job(this.found[id]) : null]);
    return read({ jobQueue: this.queue.map(job), ...(Object.fromEntries(found) as object) });
  };

  /** Writes a line of log: the first one before all jobs, the others after them. */
  attempt = async () => {
    await Promise.resolve();
    const time = `2026-11-21T0${this.#lines++ === 0 ? 3 : 5}:00:00Z`;
    this.subscriptions?.['loggingSubscribe']?.onNext([{ time, level: 'Trace', message: 'SQL' }]);
  };

  tell(type: string, changes: Partial<ServerJob>): void {
    this.subscriptions?.['jobsSubscribe']?.onNext({ type, job: job(changes) });
  }
}

function job(changes: Partial<ServerJob> = {}): ServerJob {
  const { id = '1', status = 'RUNNING' } = changes;
  const day = `2026-11-21T03:${id.padStart(2, '0')}:`;
  return {
    ...{ id, status, description: 'Generating...', progress: null, subTasks: null, error: null },
    addTime: `${day}00Z`,
    startTime: status === 'READY' ? null : `${day}01Z`,
    endTime: ['FINISHED', 'CANCELLED', 'FAILED'].includes(status) ? `${day}02Z` : null,
    ...changes,
  };
}

/** Returns the start of a job, to which the server gives this id. */
function start(id: string): JobStart {
  return {
    call: new Message(),
    build: () => ({ rootField: 'metadataGenerate', document: '', read: () => id }),
    description: 'Generating...',
  };
}

const endless = { stalledAfter: Infinity, waitLimit: Infinity };

describe('The job watcher', () => {
  let clock: SinonFakeTimers;
  let server: Watchable;
  const never = new AbortController().signal;

  beforeEach(() => {
    clock = useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
      now: Date.UTC(2026, 10, 22),
    });
    server = new Watchable();
  });
  afterEach(() => {
    clock.restore();
  });

  /** Lets seconds pass, with everything that promises do in each of them. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.tick(1_000);
      await settle();
    }
  };
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await immediately();
  };

  it('ticks every second although a listener throws', async () => {
    const watcher = new JobWatcher(server);
    watcher.listen(() => {
      throw new URIError('URI malformed');
    });
    let ticks = 0;
    watcher.listen(({ type }) => {
      if (type === 'tick') ticks++;
    });
    watcher.acquire();
    await settle();
    await pass(3);
    assert.equal(ticks, 3);
    assert.ok(server.lines.includes('a listener failed, URIError: URI malformed'));
    watcher.close();
  });

  it('treats a poll as fresh for one second, even if the system clock changes', async () => {
    const watcher = new JobWatcher(server);
    await watcher.poller.poll(never);
    assert.equal(watcher.poller.continuity.isFresh, true);
    clock.setSystemTime(Date.UTC(2026, 10, 21));
    clock.tick(1_500);
    assert.equal(watcher.poller.continuity.isFresh, false);
    await watcher.poller.poll(never);
    clock.setSystemTime(Date.UTC(2026, 10, 23));
    assert.equal(watcher.poller.continuity.isFresh, true);
  });

  it('does not reuse an aborted handshake', async () => {
    const watcher = new JobWatcher(server);
    const given: ((error: Error) => void)[] = [];
    const { socket } = server;
    server.socket = () => new Promise((_, reject) => given.push(reject));
    const release = watcher.acquire();
    await settle();
    assert.equal(given.length, 1, 'the handshake is pending');
    release();
    await pass(10);
    server.socket = socket;
    watcher.acquire();
    const ready = watcher.ready(never);
    given[0]?.(new Error('given up'));
    await ready;
    watcher.close();
  });

  for (const [what, event] of [
    ['with an invalid job', { type: 'UPDATE', job: { id: 'none' } }],
    ['without a type', { job: job() }],
    ['that is null', null],
  ] as const) {
    it(`polls after an event ${what}, and keeps the socket`, async () => {
      const watcher = new JobWatcher(server);
      watcher.acquire();
      await settle();
      await pass(2);
      const before = server.polls;
      server.subscriptions?.['jobsSubscribe']?.onNext(event);
      await pass(2);
      assert.equal(server.polls, before + 1);
      assert.deepEqual(server.lines.slice(1), ['an event could not be read, so the server is polled']);
      assert.equal(watcher.isLive, true);
      watcher.close();
    });
  }

  for (const [how, error, reason] of [
    ['by its code', new StashError('UNREACHABLE.lost', { details: { url: 'u', code: '1006' } }), '1006'],
    ['by its case', new StashError('CLOSED.closed'), 'CLOSED.closed'],
    ['by its text, without a secret', new Error('no canary here'), 'Error: no ••• here'],
  ] as const) {
    it(`logs why there is no socket: an error ${how}`, async () => {
      server.socket = () => Promise.reject(error);
      const watcher = new JobWatcher(server);
      watcher.acquire();
      await settle();
      assert.deepEqual(server.lines, [`socket refused, ${reason}`]);
      watcher.close();
    });
  }

  it('masks secrets in the close reason that it logs', async () => {
    const watcher = new JobWatcher(server);
    watcher.acquire();
    await settle();
    server.closeSocket('no canary here');
    await settle();
    assert.ok(server.lines.includes('socket closed, no ••• here'), server.lines.join());
    watcher.close();
  });

  it('connects anew if this process stood still, before it reads what has arrived meanwhile', async () => {
    const watcher = new JobWatcher(server);
    server.confirmCloses();
    watcher.acquire();
    await settle();
    await pass(20);
    server.tell('ADD', { id: '2', status: 'RUNNING' });
    const before = watcher.table.find('2', 0)?.log;
    const covering = before?.isComplete('2026-11-21T03:02:01Z', '2026-11-21T03:02:02Z', () => undefined);
    clock.setSystemTime(Date.now() + 60_000);
    const backlog = { time: '2026-11-21T06:00:00Z', level: 'Trace', message: 'SQL' };
    server.subscriptions?.['loggingSubscribe']?.onNext([backlog]);
    assert.equal(await covering, false);
    await pass(7);
    assert.equal(server.sockets, 2);
    await pass(20);
    clock.setSystemTime(Date.now() + 60_000);
    await pass(8);
    assert.equal(server.sockets, 3, 'also without any value');
    watcher.close();
  });

  describe('for the log alone', () => {
    /** Follows the log of a server that refuses the socket. */
    const followRefused = async () => {
      server.socket = () =>
        Promise.reject(new StashError('UNREACHABLE.lost', { details: { url: 'u', code: '400' } }));
      const watcher = new JobWatcher(server);
      watcher.followLog(() => undefined);
      await settle();
      return watcher;
    };

    it('polls no jobs, and connects again after a break', async () => {
      const watcher = new JobWatcher(server);
      const lines: unknown[] = [];
      const end = watcher.followLog((batch) => lines.push(...batch));
      await settle();
      await pass(3);
      const { polls } = server;
      await pass(600);
      assert.equal(server.polls, polls);
      assert.notEqual(watcher.logSince, undefined);
      server.closeSocket('gone');
      await settle();
      assert.equal(watcher.logSince, undefined);
      const { length } = lines;
      await pass(20);
      assert.notEqual(watcher.logSince, undefined);
      assert.ok(lines.length > length);
      end();
      watcher.close();
    });

    it('misses no line when lines are out of order, but does when they cannot be read', async () => {
      const watcher = new JobWatcher(server);
      const heard: string[] = [];
      const end = watcher.followLog((batch) => heard.push(...batch.map(({ message }) => message)));
      await settle();
      await pass(3);
      const since = watcher.logSince;
      const tell = (time: string, message: string) =>
        server.subscriptions?.['loggingSubscribe']?.onNext([{ time, level: 'Trace', message }]);
      tell('2126-11-21T06:00:00.5Z', 'one');
      tell('2126-11-21T05:59:50.5Z', 'two');
      tell('2126-11-21T05:59:51.5Z', 'three');
      assert.deepEqual(heard.slice(-3), ['one', 'two', 'three']);
      assert.equal(watcher.logSince, since);
      tell('now', 'four');
      tell('2126-11-21T05:59:52.5Z', 'five');
      assert.equal(heard.at(-1), 'five');
      assert.ok(Number(watcher.logSince) > Number(since));
      end();
      watcher.close();
    });

    it('polls only with each attempt to connect, whose intervals grow', async () => {
      const watcher = await followRefused();
      await pass(3600);
      assert.ok(server.polls < 20, String(server.polls));
      watcher.close();
    });

    it('reports to who needs the jobs later nothing of what they did meanwhile', async () => {
      const watcher = await followRefused();
      await pass(2);
      server.found = { 1: { id: '1', status: 'FINISHED' } };
      assert.equal(watcher.hasBegun, false);
      const events: string[] = [];
      watcher.listen(({ type }) => events.push(type));
      const release = watcher.acquire();
      await settle();
      await pass(3);
      assert.deepEqual(
        events.filter((type) => type === 'started' || type === 'ended' || type === 'gap'),
        [],
      );
      assert.equal(watcher.hasBegun, true);
      release();
      watcher.close();
    });
  });

  it('polls on for a while after its last user, so that the next one hears of nothing old', async () => {
    server.socket = () => Promise.resolve(undefined);
    const watcher = new JobWatcher(server);
    const release = watcher.acquire();
    await settle();
    await pass(3);
    release();
    const { polls } = server;
    await pass(5);
    assert.ok(server.polls > polls + 2);
    watcher.close();
  });

  it('does not poll for a message that ends with QUEUE_FULL', async () => {
    const jobs = new Jobs(Object.assign(server, { maxQueued: 0, timeout: 1_000 }));
    await assert.rejects(jobs.run(start('1'), endless), { code: 'QUEUE_FULL' });
    await settle();
    assert.equal(server.polls, 0);
  });

  for (const [what, isSilent] of [
    ['is unreachable', false],
    ['is silent', true],
  ] as const) {
    it(`reports no progress while the server ${what}, and resumes afterwards`, async () => {
      const jobs = new Jobs(Object.assign(server, { maxQueued: 9, timeout: 1_000 }));
      const heard: JobEvent[] = [];
      const progress = () => heard.flatMap((event) => (event.type === 'progress' ? event.progress : []));
      const unfollow = jobs.follow((event) => heard.push(event));
      await settle();
      await pass(2);
      server.tell('UPDATE', { progress: 0 });
      await pass(10);
      server.tell('UPDATE', { progress: 0.1, subTasks: ['one'] });
      await pass(1);
      assert.deepEqual(progress().at(-1), { percent: 10, task: 'one', secondsLeft: 99, stalled: false });

      const before = progress().length;
      server.queue = undefined;
      server.isSilent = isSilent;
      server.closeSocket('1006');
      await settle();
      await pass(60);
      assert.equal(progress().length, before, 'no progress is known meanwhile');
      assert.equal(
        server.unreachableReports > 0,
        isSilent,
        'only a silent server is reported, because it causes no other error',
      );

      server.queue = [{ progress: 0.2, subTasks: ['two'] }];
      await pass(20);
      const after = progress().slice(before);
      assert.deepEqual(after[0], { percent: 20, task: 'two', secondsLeft: null, stalled: false });
      unfollow();
      jobs.close();
    });
  }

  for (const [after, receivedAt, from] of [
    ['the last pong, long after the last event', '2026-11-22T00:05:07Z', '2026-11-22T00:05:07.000Z'],
    ['the last event, without a pong', '2026-11-22T00:00:01Z', '2026-11-22T00:00:02.000Z'],
  ] as const) {
    it(`reports that a gap began with ${after}`, async () => {
      const watcher = new JobWatcher(server);
      const gaps: string[] = [];
      watcher.listen((event: WatcherEvent) => {
        if (event.type === 'gap') gaps.push(event.from);
      });
      watcher.acquire();
      await settle();
      await pass(2);
      server.tell('UPDATE', { status: 'FINISHED' });
      await pass(310);
      server.receivedAt = new Date(receivedAt);
      await pass(3);
      server.queue = undefined;
      server.closeSocket('1006');
      await pass(60);
      server.queue = [];
      await pass(60);
      assert.deepEqual(gaps, [from]);
      watcher.close();
    });
  }

  it('reports that a gap began before this process stood still, whatever has arrived since', async () => {
    const watcher = new JobWatcher(server);
    const gaps: string[] = [];
    watcher.listen((event: WatcherEvent) => {
      if (event.type === 'gap') gaps.push(event.from);
    });
    server.confirmCloses();
    watcher.acquire();
    await settle();
    await pass(2);
    server.tell('UPDATE', { status: 'FINISHED' });
    await pass(20);
    clock.setSystemTime(Date.now() + 60_000);
    server.receivedAt = new Date();
    await pass(10);
    assert.deepEqual(gaps, ['2026-11-22T00:00:02.000Z']);
    watcher.close();
  });

  it('reports a gap after the end of earlier jobs and before the start of later ones', async () => {
    const watcher = new JobWatcher(server);
    const heard: string[] = [];
    watcher.listen((event: WatcherEvent) => {
      if (event.type === 'gap') heard.push(`gap ${event.reason}`);
      if (event.type === 'started' || event.type === 'ended') {
        const { outcome = '', job } = event.tracked;
        heard.push(`${event.type} ${job.addTime.slice(0, 4)} ${outcome}`.trim());
      }
    });
    watcher.acquire();
    await settle();
    await pass(2);
    server.tell('UPDATE', {});
    server.queue = [{ addTime: '2027-01-01T00:00:00Z' }];
    server.closeSocket('1006');
    await settle();
    await pass(3);
    assert.deepEqual(heard, ['started 2026', 'ended 2026 LOST', 'gap restarted', 'started 2027']);
    watcher.close();
  });
});
