import assert from 'node:assert/strict';
import type { JobOptions, CallEvent } from '../../src/call';
import { scan } from '../../src/operations/scan/scan';
import { generate } from '../../src/operations/tasks/generate';
import { stop } from '../../src/operations/tasks/stop';
import type { JobEvent, JobProgress, JobRecord } from '../../src/records';
import type { ServerOptions } from '../../src/server/options';
import { Server } from '../../src/server/server';
import { timing } from '../../src/timing';
import { json, send, text } from '../fake-stash/answers';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';
import { answerLate as answerAfter, cut, type Handler, loseAnswer, silence } from '../fake-stash/faults';
import { otherTask } from '../fake-stash/tasks';
import { failure, Message, options } from '../support/connect';
import { isFlushed } from '../support/followed';
import { ForwardProxy } from '../support/forward-proxy';
import { hasten, sleep, TEMPO } from '../support/tempo';
import { until } from '../support/waiting';

/** The call of a message that waits for a job. */
class Waiting extends Message {
  get updates(): { job: JobRecord; progress: JobProgress | null }[] {
    return this.news.flatMap((news) => ('job' in news && news.job ? [{ ...news, job: news.job }] : []));
  }

  /** The job of the last update. */
  get job(): JobRecord | undefined {
    return this.updates.at(-1)?.job;
  }

  /** Whether an update contained data of the server about the job. */
  get isKnown(): boolean {
    return this.updates.some(({ job }) => job.added !== null);
  }

  get progress(): JobProgress[] {
    return this.updates.flatMap(({ progress }) => progress ?? []);
  }
}

/** Executes a request at once, and responds after a delay in milliseconds. */
function answerLate(milliseconds: number): Handler {
  return answerAfter(milliseconds / TEMPO);
}

/** Executes a request after a delay in milliseconds. */
function actLate(milliseconds: number): Handler {
  return async (request, response, _body, execute) => {
    await sleep(milliseconds);
    send(request, response, await execute());
  };
}

/** Returns whether a scan has reached its first file. */
function isScanning({ task }: JobProgress): boolean {
  return task?.startsWith('Scanning /') ?? false;
}

const EVERYTHING = { paths: null, options: [] };
const ENDLESS = { stalledAfter: Infinity, waitLimit: Infinity };

describe('Jobs of a server', () => {
  hasten();
  let stash: FakeStash;
  let server: Server;

  const open = async (settings: FakeStashOptions = {}, changes: Partial<ServerOptions> = {}) => {
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', ...settings });
    server = new Server(options(stash.url, changes));
  };
  const restart = async (settings: FakeStashOptions = {}) => {
    const { port } = stash;
    await stash.stop();
    stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', ...settings, port });
  };

  /** Starts a scan and returns its record when the job has finished. */
  const run = async (call: Message = new Message(), limits: Partial<JobOptions> = {}): Promise<JobRecord> => {
    const input = { ...EVERYTHING, reply: 'finished', sendFailed: true, ...ENDLESS, ...limits } as const;
    const { job } = await scan(server, input, call);
    assert.ok('description' in job);
    return job;
  };
  const start = async (call: Message = new Message()) => (await scan(server, EVERYTHING, call)).job;
  const runGenerate = async (call: Message = new Message()) => {
    const input = { kinds: ['sprites'], options: [], paths: null, sceneIDs: null } as const;
    const { job } = await generate(server, { ...input, reply: 'finished', sendFailed: true }, call);
    return job;
  };

  const requestsFor = (field: string) =>
    stash.requests.filter(({ body }) => String(body?.query).includes(field)).length;
  /** Waits until the first poll has ended, and a line of log was written: from now on, events are reported. */
  const lookedAt = () =>
    until(() => {
      const polls = requestsFor('jobQueue');
      // The second poll shows that the first one has ended, and the third one that there is no socket.
      return stash.sockets.subscribed.length === 2 ? polls > 1 && isFlushed(stash.requests) : polls > 2;
    });
  /**
   * Waits until no request has arrived for some time, of at least 2 ms for each turn. A process that stalls makes no turns, and
   * sends its requests later.
   */
  const quiet = async () => {
    let [count, turns] = [stash.requests.length, 0];
    await until(() => {
      turns = stash.requests.length > count ? 0 : turns + 1;
      count = stash.requests.length;
      return turns > 1_000 / TEMPO;
    });
  };

  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  describe('that a message awaits over a socket', () => {
    it('finish with a complete record, including logged problems', async () => {
      await open();
      stash.broken = ['/media/videos/broken.mp4'];
      const call = new Waiting();
      const before = performance.now();
      const job = await run(call);
      const elapsed = (performance.now() - before) / 1000;
      assert.equal(job.status, 'FINISHED');
      assert.equal(job.id, '1');
      assert.equal(job.description, 'Scanning...');
      assert.ok(job.start !== null && job.end !== null && job.added !== null);
      assert.ok(job.seconds !== null && job.seconds > 0.1 / TEMPO && job.seconds < elapsed);
      assert.equal(job.problemCount, 1);
      assert.match(job.problems?.[0]?.text ?? '', /broken\.mp4/);
      assert.equal(job.problems?.[0]?.level, 'error');
      assert.deepEqual(call.job, job);
      stash.broken = [];
      assert.deepEqual((await run()).problems, []);
    });

    describe('with many problems', () => {
      const { longestLog } = timing.jobs;
      const broken = Array.from({ length: 120 }, (_, index) => `/media/videos/${index}.mp4`);
      const problemsOf = ({ status, problems, problemCount }: JobRecord) => [
        status,
        problems?.length,
        problemCount,
      ];

      /** Waits until the scan has ended, and the server was made to write a line of log since then. */
      const ended = async (call: Waiting) => {
        await until(() => call.job?.status === 'FINISHED');
        await until(() => requestsFor('findTags') > 1);
      };

      beforeEach(async () => {
        // What waits for the time limit of a request does not end within that of a test.
        await open({}, { timeout: 600 });
        stash.broken = broken;
      });
      afterEach(() => {
        timing.jobs.longestLog = longestLog;
      });

      it('count all of them, although the last batch of the log comes late', async () => {
        stash.serverLog.hold();
        const call = new Waiting();
        const running = run(call);
        await ended(call);
        await sleep(1_500);
        assert.equal(call.job?.problems, null);
        stash.serverLog.release();
        assert.deepEqual(problemsOf(await running), ['FINISHED', 100, 120]);
      });

      it('count none of them if a batch was larger than a message may be', async () => {
        const call = new Waiting();
        stash.jobs.hold();
        const running = run(call);
        await until(() => call.isKnown);
        stash.serverLog.write('Error', 'x'.repeat(17 * 1024 * 1024));
        await until(() => stash.sockets.open === 0);
        stash.jobs.release();
        assert.deepEqual(problemsOf(await running), ['FINISHED', undefined, null]);
      });

      it('count none of them if a batch could not be read, but those of the next job', async () => {
        stash.sockets.distort = (text) => [text.replace(/\{"loggingSubscribe":\[.*\]\}/, 'null')];
        timing.jobs.longestLog = 300;
        assert.deepEqual(problemsOf(await run()), ['FINISHED', undefined, null]);
        stash.sockets.distort = undefined;
        timing.jobs.longestLog = longestLog;
        await sleep(1_500);
        stash.serverLog.write('Info', 'a line from before the next job');
        assert.deepEqual(problemsOf(await run()), ['FINISHED', 100, 120]);
      });

      for (const [what, answer] of [
        ['refuses', json({ data: null, errors: [{ message: 'no such field' }] })],
        ['does not answer', silence],
        ['stands behind a proxy that fails for', text(502, 'Bad Gateway')],
      ] as const) {
        it(`finish without problems if the server ${what} what makes it write a line`, async () => {
          timing.jobs.longestLog = 300;
          stash.answerWith(answer, { field: 'findTags' });
          const reach: string[] = [];
          server.reachability.follow(({ type }) => reach.push(type));
          assert.deepEqual(problemsOf(await run()), ['FINISHED', undefined, null]);
          assert.deepEqual(reach, []);
        });
      }

      for (const status of ['SETUP', 'NEEDS_MIGRATION'] as const) {
        it(`are followed without such a line before the server is ready: ${status}`, async () => {
          stash.status = status;
          const unfollow = server.jobs.follow(() => undefined);
          await until(() => requestsFor('systemStatus') > 0 && stash.sockets.subscribed.length === 2);
          await quiet();
          assert.equal(requestsFor('findTags'), 0);
          unfollow();
        });
      }
    });

    it('are STOPPING as soon as the node stops them, although the server sends no event', async () => {
      await open({ jobSeconds: 60 });
      const call = new Waiting();
      const running = failure(run(call));
      await until(() => call.progress.length > 0);
      stash.jobs.hold();
      await stop(server, { job: null }, new Message());
      await until(() => call.job?.status === 'STOPPING');
      assert.equal(call.progress.at(-1)?.secondsLeft, null);
      await server.close();
      await running;
    });

    it('are reported as finished before their log is complete', async () => {
      await open({ jobSeconds: 0.3 });
      const call = new Waiting();
      const { status } = await run(call);
      assert.equal(status, 'FINISHED');
      assert.deepEqual(
        call.updates.slice(-2).map(({ job, progress }) => [job.status, job.problems !== null, progress]),
        [
          ['FINISHED', false, null],
          ['FINISHED', true, null],
        ],
      );
    });

    it('finish although a progress listener throws', async () => {
      await open({ jobSeconds: 1.5 });
      class Throwing extends Message {
        override readonly report = (news: CallEvent) => {
          if ('job' in news) throw new Error('a node that throws');
        };
      }
      assert.equal((await run(new Throwing())).status, 'FINISHED');
    });

    it('need no requests while they run', async () => {
      await open();
      // None ends meanwhile, however slow the machine is.
      stash.jobs.hold();
      const calls = Array.from({ length: 20 }, () => new Waiting());
      const all = Promise.all(calls.map((call) => run(call).catch((error: unknown) => error)));
      await until(() => calls.every(({ isKnown }) => isKnown));
      await quiet();
      const before = stash.requests.length;
      await sleep(2_000);
      assert.equal(stash.requests.length, before);
      assert.equal(stash.sockets.attempts.length, 1);
      await server.close();
      await all;
    });

    it('may finish before the response with their id arrives', async () => {
      await open({ jobSeconds: 0.05 });
      stash.answerWith(answerLate(400), { field: 'metadataScan' });
      assert.equal((await run()).status, 'FINISHED');
    });

    it('are not LOST if a poll was sent just before they were queued', async () => {
      await open({ jobSeconds: 1.5 });
      stash.jobs.hold();
      const first = new Waiting();
      const running = run(first);
      await until(() => first.isKnown);
      const before = requestsFor('jobQueue');
      stash.answerWith(answerLate(800), { field: 'jobQueue', times: 1 });
      await until(() => requestsFor('jobQueue') > before);
      stash.sockets.freeze();
      const second = run();
      await sleep(1_500);
      stash.sockets.thaw();
      stash.jobs.release();
      const { id, status } = await second;
      assert.deepEqual([id, status], ['2', 'FINISHED']);
      await running;
    });

    it('report FAILED with the reason', async () => {
      await open({ jobSeconds: 0.05 });
      stash.jobs.failure = 'it was not to be';
      const { status, error } = await run();
      assert.deepEqual([status, error], ['FAILED', 'it was not to be']);
    });

    it('report CANCELLED when another client stops them', async () => {
      await open();
      stash.jobs.hold();
      const call = new Waiting();
      const running = run(call);
      await until(() => call.isKnown);
      const second = run();
      await until(() => stash.jobs.queue?.length === 2);
      stash.jobs.stop('2');
      const cancelled = await second;
      assert.deepEqual([cancelled.status, cancelled.start, cancelled.end], ['CANCELLED', null, null]);
      stash.jobs.stop('1');
      stash.jobs.release();
      assert.equal((await running).status, 'CANCELLED');
    });

    for (const restarts of [false, true]) {
      it(`are ${restarts ? 'LOST after a restart that no poll met' : 'not LOST if the socket breaks'} before they appear`, async () => {
        await open();
        await run();
        stash.jobs.hold();
        stash.sockets.freeze();
        const polls = requestsFor('jobQueue');
        const call = new Waiting();
        const pending = run(call);
        await until(() => call.job !== undefined);
        if (restarts) {
          await restart();
          for (const file of ['one', 'two', 'three']) stash.jobs.add(otherTask('Scanning...', file));
        } else stash.sockets.cut();
        await until(() => requestsFor('jobQueue') > (restarts ? 0 : polls));
        stash.jobs.release();
        assert.equal((await pending).status, restarts ? 'LOST' : 'FINISHED');
      });
    }

    it('are LOST after a server restart, even if their id is reused', async () => {
      await open({ jobSeconds: 60 });
      const call = new Waiting();
      const running = run(call);
      await until(() => call.isKnown);
      await restart({ jobSeconds: 0.05 });
      stash.jobs.add(otherTask('Scanning...', 'another'));
      const { id, status } = await running;
      assert.deepEqual([id, status], ['1', 'LOST']);
    });

    it('continue after the connection breaks', async () => {
      await open();
      stash.jobs.hold();
      const call = new Waiting();
      const running = run(call);
      await until(() => call.isKnown);
      stash.sockets.cut();
      await until(() => stash.sockets.subscribed.length === 2);
      stash.jobs.release();
      const { status, problems } = await running;
      assert.deepEqual([status, problems], ['FINISHED', null]);
      assert.equal(stash.sockets.attempts.length, 2);
    });

    it('have no progress while the connection is down, and the same progress afterwards', async () => {
      await open();
      stash.jobs.hold();
      const call = new Waiting();
      const running = run(call);
      await until(() => call.progress.some(isScanning));
      const before = call.updates.length;
      const progress = call.progress.at(-1);
      stash.sockets.cut();
      await until(() => call.updates.length > before);
      assert.equal(call.updates[before]?.progress, null);
      await until(() => call.updates.length > before + 1);
      assert.deepEqual(call.updates[before + 1]?.progress, progress);
      call.end(new Error('known enough'));
      await assert.rejects(running, /known enough/);
    });

    it('cause at most ten polls, although each response contains further jobs', async () => {
      await open();
      const at = '2026-01-01T00:00:00Z';
      const job = { description: 'x', progress: 1, addTime: at, startTime: at, endTime: at, subTasks: null };
      stash.answerWith(
        (request, response, body) => {
          const ids = Object.values<unknown>(body?.variables ?? {});
          const found = ids.map((id, index): [string, object] => [
            `job${index}`,
            { id, status: 'FINISHED', error: null, ...job },
          ]);
          send(request, response, json({ data: { jobQueue: null, ...Object.fromEntries(found) } }));
        },
        { field: 'jobQueue' },
      );
      assert.equal((await start()).id, '1');
      assert.equal(requestsFor('jobQueue'), 10);
    });

    it('are reported to a client with the API key', async () => {
      await open({ apiKey: 'key-of-the-server' }, { auth: 'apiKey', apiKey: 'key-of-the-server' });
      assert.equal((await run()).status, 'FINISHED');
      assert.deepEqual(
        stash.sockets.attempts.map(({ accepted }) => accepted),
        [true],
      );
    });

    it('are reported to a client with a session', async () => {
      const who = { username: 'ann', password: 'secret' };
      await open({ credentials: who }, { auth: 'session', ...who });
      const { status, problems } = await run();
      assert.deepEqual([status, problems], ['FINISHED', []]);
    });

    it('end with UNAUTHORIZED if the credentials become invalid', async () => {
      await open({ apiKey: 'old', jobSeconds: 60 }, { auth: 'apiKey', apiKey: 'old' });
      const call = new Waiting();
      const running = failure(run(call));
      await until(() => call.isKnown);
      stash.apiKey = 'new';
      stash.sockets.cut();
      assert.equal((await running).code, 'UNAUTHORIZED');
    });
  });

  it('are not in the queue any more once they have ended, although the server still lists one', async () => {
    await open();
    const times = { addTime: '2026-11-25T03:00:00Z', startTime: '2026-11-25T03:00:00Z', endTime: null };
    const job = { description: 'Scanning...', subTasks: null, progress: null, error: null, ...times };
    const jobQueue = [
      { ...job, id: '1', status: 'FINISHED' },
      { ...job, id: '2', status: 'RUNNING' },
    ];
    stash.answerWith(json({ data: { jobQueue } }), { field: 'jobQueue' });
    const queue = await server.jobs.queue(new Message());
    assert.deepEqual(
      queue.map(({ id }) => id),
      ['2'],
    );
  });

  describe('that a message awaits by polling', () => {
    it('cause at most one poll a second, however many jobs there are', async () => {
      await open({ release: 'v0.11.0', jobSeconds: 1 });
      stash.jobs.hold();
      const calls = Array.from({ length: 5 }, () => new Waiting());
      const all = calls.map((call) => run(call));
      await until(() => calls.every(({ isKnown }) => isKnown));
      const [before, start] = [requestsFor('jobQueue'), performance.now()];
      await until(() => requestsFor('jobQueue') >= before + 4);
      const seconds = ((performance.now() - start) / 1000) * TEMPO;
      assert.ok(seconds >= 3, `four times in ${seconds} seconds`);
      stash.jobs.release();
      for (const { status, problems, problemCount } of await Promise.all(all)) {
        assert.deepEqual([status, problems, problemCount], ['FINISHED', null, null]);
      }
    });

    it('all finish although the server remembers only ten jobs', async () => {
      await open({ release: 'v0.11.0', jobSeconds: 0.01 });
      const all = await Promise.all(Array.from({ length: 20 }, () => run()));
      assert.deepEqual(
        all.map(({ status }) => status),
        Array.from({ length: 20 }, () => 'FINISHED'),
      );
    });

    it('finish if a proxy blocks WebSockets', async () => {
      await open();
      stash.sockets.refused = true;
      const { status, problems } = await run();
      assert.deepEqual([status, problems], ['FINISHED', null]);
    });

    it('finish behind a configured proxy, without a WebSocket attempt', async () => {
      const proxy = await ForwardProxy.start();
      await open({}, { proxy: { url: proxy.url, except: [] } });
      const { status, problems } = await run();
      await proxy.stop();
      assert.deepEqual([status, problems], ['FINISHED', null]);
      assert.equal(stash.sockets.attempts.length, 0);
    });

    it('are not LOST after a late response that does not contain them yet', async () => {
      await open({ release: 'v0.11.0', jobSeconds: 60 });
      const first = failure(run());
      await until(() => stash.jobs.queue?.length === 1);
      stash.answerWith(answerLate(300), { field: 'jobQueue' });
      stash.answerWith(actLate(1_100), { field: 'metadataScan' });
      const call = new Waiting();
      const second = failure(run(call));
      await until(() => call.job?.status === 'LOST' || call.isKnown);
      assert.notEqual(call.job?.status, 'LOST');
      await server.close();
      await Promise.all([first, second]);
    });

    it('are LOST after a restart before the first poll, even if their id is reused', async () => {
      await open({ jobSeconds: 60 });
      stash.sockets.refused = true;
      const call = new Waiting();
      const lost = run(call);
      await until(() => call.job !== undefined);
      const { port } = stash;
      await stash.stop();
      await sleep(300);
      stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.05, port });
      stash.jobs.add(otherTask('Scanning...', 'one'));
      assert.equal((await lost).status, 'LOST');
    });
  });

  describe('with a lost start response', () => {
    beforeEach(async () => {
      await open({ jobSeconds: 0.5 });
    });

    it('are adopted if exactly one new job exists, and are not started again', async () => {
      stash.answerWith(loseAnswer, { field: 'metadataScan' });
      assert.deepEqual(await start(), { id: '1', status: 'STARTED', adopted: true });
      const { id, status, adopted } = await run();
      assert.deepEqual([id, status, adopted], ['2', 'FINISHED', true]);
      assert.equal(requestsFor('metadataScan'), 2);
    });

    it('are adopted after a gateway timeout', async () => {
      stash.answerWith(
        async (_request, response, _body, execute) => {
          await execute();
          const { status } = text(504, '');
          response.writeHead(status).end();
        },
        { field: 'metadataScan' },
      );
      assert.equal((await run()).status, 'FINISHED');
    });

    it('lead to OUTCOME_UNKNOWN if no new job exists', async () => {
      stash.answerWith(cut, { field: 'metadataScan' });
      assert.equal((await failure(run())).case, 'OUTCOME_UNKNOWN.lost');
      assert.equal((await failure(start())).case, 'OUTCOME_UNKNOWN.lost');
    });

    it('are not confused with jobs that finished earlier', async () => {
      stash.jobs.seconds = 0.01;
      for (let index = 0; index < 11; index++) stash.jobs.add(otherTask('Scanning...', 'earlier'));
      await until(() => stash.jobs.queue === null);
      stash.answerWith(cut, { field: 'metadataScan' });
      assert.equal((await failure(start())).case, 'OUTCOME_UNKNOWN.lost');
    });

    it('lead to OUTCOME_UNKNOWN if two new jobs exist', async () => {
      stash.answerWith(
        async (request, response, body, execute) => {
          stash.jobs.add(otherTask('Scanning...', 'another'));
          await loseAnswer(request, response, body, execute);
        },
        { field: 'metadataScan' },
      );
      assert.equal((await failure(run())).code, 'OUTCOME_UNKNOWN');
    });

    it('are not confused with earlier jobs, jobs of other kinds or jobs of other messages', async () => {
      stash.jobs.add(otherTask('Scanning...', 'earlier'));
      stash.answerWith(cut, { field: 'metadataScan', times: 1 });
      const lost = failure(run());
      await until(() => requestsFor('metadataScan') === 1);
      const others = [run(), runGenerate()];
      assert.equal((await lost).case, 'OUTCOME_UNKNOWN.lost');
      for (const { status, ...job } of await Promise.all(others)) {
        assert.equal(status, 'FINISHED');
        assert.ok(!('adopted' in job));
      }
    });

    it('are not confused with earlier jobs while another message begins to wait', async () => {
      stash.jobs.seconds = 60;
      stash.jobs.add(otherTask('Scanning...', 'earlier'));
      stash.answerWith(cut, { field: 'metadataScan', times: 1 });
      const lost = failure(start());
      await until(() => requestsFor('metadataScan') === 1);
      await sleep(100);
      const waiting = assert.rejects(runGenerate());
      assert.equal((await lost).case, 'OUTCOME_UNKNOWN.lost');
      await server.close();
      await waiting;
    });

    it('lead to OUTCOME_UNKNOWN if two responses are lost at once', async () => {
      stash.answerWith(loseAnswer, { field: 'metadataScan', times: 1 });
      stash.answerWith(cut, { field: 'metadataScan', times: 1 });
      const errors = await Promise.all([failure(run()), failure(run())]);
      assert.deepEqual(
        errors.map(({ code }) => code),
        ['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN'],
      );
    });

    it('are adopted although a start response of another kind is lost at the same time', async () => {
      stash.answerWith(loseAnswer, { field: 'metadataScan', times: 1 });
      stash.answerWith(loseAnswer, { field: 'metadataGenerate', times: 1 });
      for (const job of await Promise.all([run(), runGenerate()])) {
        assert.deepEqual([job.status, 'adopted' in job], ['FINISHED', true]);
      }
    });

    it('are not confused with jobs after a restart', async () => {
      await run();
      stash.answerWith(cut, { field: 'metadataScan' });
      const lost = failure(run());
      await until(() => requestsFor('metadataScan') === 2);
      await restart();
      stash.jobs.add(otherTask('Scanning...', 'another'));
      assert.equal((await lost).code, 'OUTCOME_UNKNOWN');
    });
  });

  describe('that no message awaits', () => {
    it('report nothing while the server does not show them, or does not name them', async () => {
      await open();
      for (const id of ['77', 'todo']) {
        const call = new Waiting();
        stash.answerWith(json({ data: { metadataScan: id } }), { field: 'metadataScan' });
        await start(call);
        await quiet();
        assert.deepEqual(call.updates, [], id);
      }
    });

    it('report how many jobs are before them in the queue', async () => {
      await open({ jobSeconds: 60 });
      stash.jobs.add(otherTask('Generating...', 'one'));
      assert.deepEqual(await start(), { id: '2', status: 'STARTED', behind: 1 });
      assert.deepEqual(await start(), { id: '3', status: 'STARTED', behind: 2 });
    });

    it('also count a stopping job before them', async () => {
      await open({ jobSeconds: 60 });
      stash.jobs.add(otherTask('Generating...', 'one'));
      stash.jobs.stop('1');
      assert.deepEqual(await start(), { id: '2', status: 'STARTED', behind: 1 });
    });

    it('report their place if a node receives job events over a socket', async () => {
      await open({ jobSeconds: 60 });
      const end = server.jobs.follow(() => undefined);
      assert.deepEqual(await start(), { id: '1', status: 'STARTED' });
      await lookedAt();
      assert.deepEqual(await start(), { id: '2', status: 'STARTED', behind: 1 });
      end();
    });

    it('report an unknown place if another job was started after the last poll', async () => {
      await open({ jobSeconds: 60 });
      const started = await Promise.all([start(), start()]);
      assert.deepEqual(
        started.sort((one, other) => Number(one.id) - Number(other.id)),
        [
          { id: '1', status: 'STARTED' },
          { id: '2', status: 'STARTED', behind: null },
        ],
      );
    });
  });

  describe('awaited by messages:', () => {
    it('all messages end at once when the node closes the server', async () => {
      await open({ jobSeconds: 60 });
      const calls = Array.from({ length: 10 }, () => new Waiting());
      const codes: string[] = [];
      for (const call of calls) void failure(run(call)).then(({ code }) => codes.push(code));
      await until(() => calls.every(({ isKnown }) => isKnown));
      await server.close();
      assert.deepEqual(
        codes,
        calls.map(() => 'CLOSED'),
      );
    });

    it('a message ends on a reset while the job goes on', async () => {
      await open({ jobSeconds: 0.5 });
      stash.jobs.hold();
      const call = new Waiting();
      const running = run(call);
      await until(() => call.isKnown);
      const reason = new Error('reset');
      call.reset(reason);
      await assert.rejects(running, reason);
      stash.jobs.release();
      await until(() => stash.jobs.find('1')?.status === 'FINISHED');
    });

    it('a message times out at the time limit', async () => {
      await open({ jobSeconds: 60 });
      // After an earlier job, the short limit does not include the requests that each server needs once.
      await start();
      const call = new Waiting();
      const error = await failure(run(call, { waitLimit: 2_000 }));
      assert.deepEqual([error.case, error.retry], ['TIMEOUT.job', false]);
      assert.equal(call.job?.id, '2');
    });

    it('a message does not time out once the job has ended, while its last log lines may arrive', async () => {
      await open({ jobSeconds: 0.1 });
      await start();
      stash.serverLog.hold();
      const call = new Waiting();
      const running = run(call, { waitLimit: 2_000 });
      await until(() => call.job?.status === 'FINISHED');
      await sleep(2_100 * TEMPO);
      stash.serverLog.release();
      assert.equal((await running).problemCount, 0);
    });

    it('a message times out in the queue, and no request is sent', async () => {
      await open({ release: 'v0.11.0', jobSeconds: 60 });
      // So many wait at a time without a socket.
      const waiting = Array.from({ length: 8 }, () => failure(run()));
      await until(() => requestsFor('metadataScan') === 8);
      const error = await failure(run(new Message(), { waitLimit: 300 }));
      assert.deepEqual([error.case, error.retry], ['TIMEOUT.turn', true]);
      assert.equal(requestsFor('metadataScan'), 8);
      await server.close();
      await Promise.all(waiting);
    });

    it('a message ends with QUEUE_FULL beyond the maximum number', async () => {
      await open({ jobSeconds: 60 }, { maxQueued: 3 });
      const waiting = Array.from({ length: 3 }, () => failure(run()));
      await until(() => stash.jobs.queue?.length === 3);
      const { case: which, retry } = await failure(run());
      assert.deepEqual([which, retry], ['QUEUE_FULL.jobs', true]);
      await server.close();
      await Promise.all(waiting);
    });

    it('a message receives progress at most once a second', async () => {
      await open({ jobSeconds: 3.2 });
      const call = new Waiting();
      stash.jobs.hold();
      const before = performance.now();
      const running = run(call);
      await until(() => call.progress.some(isScanning));
      const { length } = call.progress;
      await stash.jobs.step();
      await until(() => call.progress.length > length);
      stash.jobs.release();
      await running;
      const seconds = ((performance.now() - before) / 1000) * TEMPO;
      assert.ok(call.progress.length <= seconds, `${call.progress.length} times in ${seconds} seconds`);
      const percents = call.progress.map(({ percent }) => percent ?? 0);
      assert.deepEqual(
        percents,
        [...percents].sort((a, b) => a - b),
      );
    });

    it('the progress of a message shows that its job has stalled', async () => {
      await open({ jobSeconds: 1 });
      stash.jobs.hold();
      const call = new Waiting();
      const running = run(call, { stalledAfter: 1_200 });
      await until(() => call.progress.some(({ stalled }) => stalled));
      stash.jobs.release();
      assert.equal((await running).status, 'FINISHED');
    });
  });

  describe('with a listener', () => {
    let heard: JobEvent[];
    const lines = () =>
      heard
        .filter(({ type }) => type !== 'progress')
        .map((event) => {
          if (event.type === 'gap') return `gap ${event.reason}`;
          if (event.type === 'failed') return `failed ${event.error.code}`;
          if (event.type === 'polled') return event.type;
          return `${event.type} ${event.job.id ?? event.job.description} ${event.job.status}`;
        });
    const follow = async (settings: FakeStashOptions = {}) => {
      await open(settings);
      heard = [];
      const end = server.jobs.follow((event) => heard.push(event));
      await lookedAt();
      return end;
    };
    const add = (...steps: string[]) => stash.jobs.add(otherTask('Cleaning...', ...steps));

    it('report start and end in order until the listener is removed', async () => {
      const end = await follow({ jobSeconds: 0.05 });
      add('one');
      add('two');
      await until(() => lines().length === 4);
      assert.deepEqual(lines(), [
        'started 1 RUNNING',
        'ended 1 FINISHED',
        'started 2 RUNNING',
        'ended 2 FINISHED',
      ]);
      end();
      add('three');
      await sleep(300);
      assert.equal(lines().length, 4);
    });

    it('are reported from the first one after a deploy', async () => {
      await open({ jobSeconds: 1.5 });
      stash.broken = ['/media/videos/broken.mp4'];
      heard = [];
      server.jobs.follow((event) => heard.push(event));
      await start();
      await until(() => lines().includes('ended 1 FINISHED'));
      const ended = heard.at(-1);
      assert.equal(ended?.type === 'ended' && ended.job.problemCount, 1);
    });

    it('are reported once each across a broken connection, even if they ran meanwhile', async () => {
      await follow({ jobSeconds: 0.1 });
      add('one');
      await until(() => lines().length === 2);
      stash.sockets.refused = true;
      stash.sockets.cut();
      add('two');
      add('three');
      await until(() => lines().length === 6);
      stash.sockets.refused = false;
      await sleep(1_000);
      assert.deepEqual(lines(), [
        ...['started 1 RUNNING', 'ended 1 FINISHED'],
        ...['started 2 RUNNING', 'ended 2 FINISHED'],
        ...['started 3 RUNNING', 'ended 3 FINISHED'],
      ]);
    });

    it('are reported once each across a server restart, with a gap event', async () => {
      await follow({ jobSeconds: 60 });
      add('one');
      await until(() => lines().length === 1);
      await restart({ jobSeconds: 0.05 });
      add('again');
      await until(() => lines().length >= 5);
      await sleep(1_200);
      assert.deepEqual(lines().sort(), [
        'ended 1 FINISHED',
        'ended 1 LOST',
        'gap restarted',
        'started 1 RUNNING',
        'started 1 RUNNING',
      ]);
    });

    it('are not reported if they ended before, although this package started them', async () => {
      await open({ jobSeconds: 0.1 });
      const [one, other] = [new Waiting(), new Waiting()];
      await start(one);
      await start(other);
      // Both are watched until their end.
      await until(() => [one, other].every(({ job }) => job?.status === 'FINISHED'));
      heard = [];
      server.jobs.follow((event) => heard.push(event));
      await until(() => stash.sockets.subscribed.includes('jobsSubscribe'));
      await sleep(1_500);
      add('later');
      await until(() => lines().length === 2);
      assert.deepEqual(lines(), ['started 3 RUNNING', 'ended 3 FINISHED']);
    });

    it('report a gap if more jobs ran than the server remembers', async () => {
      await follow({ jobSeconds: 0.01 });
      add('one');
      await until(() => lines().length === 2);
      stash.answerWith(cut);
      stash.sockets.refused = true;
      stash.sockets.cut();
      for (let index = 0; index < 30; index++) add('unseen');
      await until(() => stash.jobs.queue === null);
      stash.answerNormally();
      await until(() => lines().length > 2);
      assert.equal(lines()[2], 'gap away');
      // A poll finds short jobs only when it knows the latest id of the server.
      stash.jobs.hold();
      add('seen');
      await until(() => lines().includes('started 32 RUNNING'));
      stash.jobs.release();
      add('seen');
      await until(() => lines().includes('ended 33 FINISHED'));
    });

    it('are also reported with polling', async () => {
      await follow({ release: 'v0.11.0', jobSeconds: 0.2 });
      add('one');
      add('two');
      await until(() => lines().length === 4);
      assert.deepEqual(lines(), [
        'started 1 RUNNING',
        'ended 1 FINISHED',
        'started 2 RUNNING',
        'ended 2 FINISHED',
      ]);
    });

    it('report UNAUTHORIZED if the credentials are refused', async () => {
      await open({ apiKey: 'right' }, { auth: 'apiKey', apiKey: 'wrong' });
      heard = [];
      server.jobs.follow((event) => heard.push(event));
      await until(() => lines().length > 0);
      assert.equal(lines()[0], 'failed UNAUTHORIZED');
    });
  });

  it('start without a further request on a server that finds no jobs', async () => {
    await open();
    const answer: Handler = async (request, response, _body, execute) => {
      const { body, ...rest } = await execute();
      send(request, response, { ...rest, body: String(body).replaceAll('"findJob"', '"none"') });
    };
    stash.answerWith(answer, { field: '__type' });
    await start(Object.assign(new Message(), { origin: 'scan' }));
    await quiet();
    assert.equal(requestsFor('addTime }'), 0);
  });
});
