import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as immediately } from 'node:timers/promises';
import { useFakeTimers } from 'sinon';
import { html, json, text } from '../fake-stash/answers';
import { cut, type Handler, loseAnswer, silence } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { TestServer, failure, freePort, options, portOf } from '../support/connect';
import type { ErrorCase, StashError } from '../../src/errors';

/** Sends the beginning of an answer, and no more. */
const begin: Handler = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
  response.write('{"data":');
};

/** Sends the beginning of an answer, and cuts the connection. */
const tear: Handler = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
  response.write('{"data":', () => response.destroy());
};

describe('Without a response', () => {
  let stash: FakeStash;
  let server: TestServer;

  beforeEach(async () => {
    stash = await FakeStash.start();
    server = new TestServer(options(stash.url, { timeout: 30, lookupTimeout: 90, backupTimeout: 3600 }));
    // What is loaded and connected with the first request takes its time, too.
    await server.query();
    stash.requests.splice(0);
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  function count(operation: string): number {
    return stash.requests.filter((request) => request.operation === operation).length;
  }

  /** Calls `ask`, and lets the time limit pass when so many requests have arrived. */
  async function timeOut(
    ask: () => Promise<unknown>,
    requests: number,
    seconds: number,
  ): Promise<StashError> {
    const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let ended = false;
      const error = failure(ask()).finally(() => {
        ended = true;
      });
      while (stash.requests.length < requests) await immediately();
      clock.tick(seconds * 1000 - 1);
      await immediately();
      assert.equal(ended, false, 'before the limit');
      clock.tick(1);
      return await error;
    } finally {
      clock.restore();
    }
  }

  describe('to a query', () => {
    for (const [what, fault] of [
      ['the server is silent', silence],
      ['the answer does not end', begin],
    ] as const) {
      it(`in time, because ${what}, the query fails with TIMEOUT and may be retried`, async () => {
        stash.answerWith(fault);
        const error = await timeOut(() => server.query(), 1, 30);
        assert.equal(error.case, 'TIMEOUT.noAnswer');
        assert.deepEqual(error.details, { seconds: 30 });
        assert.equal(error.retry, true);
        assert.equal(stash.requests.length, 1);
      });
    }

    for (const [what, fault] of [
      ['the connection breaks', cut],
      ['the answer is lost', loseAnswer],
      ['the answer is torn', tear],
    ] as const) {
      it(`because ${what}, the query is retried once`, async () => {
        stash.answerWith(fault, { times: 1 });
        assert.deepEqual(await server.query(), { status: 'OK' });
        assert.equal(stash.requests.length, 2);
      });
    }

    it('because the connection breaks twice, the query fails', async () => {
      stash.answerWith(cut);
      const error = await failure(server.query());
      assert.equal(error.case, 'UNREACHABLE.lost');
      assert.equal(error.retry, true);
      assert.equal(stash.requests.length, 2);
    });

    it('in time, the retry shares the limit of the first attempt', async () => {
      stash.answerWith(cut, { times: 1 });
      stash.answerWith(silence);
      assert.equal((await timeOut(() => server.query(), 2, 30)).case, 'TIMEOUT.noAnswer');
      assert.equal(stash.requests.length, 2);
    });
  });

  describe('to a look-up', () => {
    it('in time, the look-up fails with TIMEOUT and is not retried', async () => {
      stash.answerWith(silence);
      const error = await timeOut(() => server.search('Robin'), 1, 90);
      assert.equal(error.case, 'TIMEOUT.noAnswer');
      assert.deepEqual(error.details, { seconds: 90 });
      assert.equal(stash.requests.length, 1);
    });

    for (const [what, fault] of [
      ['the connection breaks', cut],
      ['the answer is lost', loseAnswer],
    ] as const) {
      it(`because ${what}, the look-up is not retried: the site may have got it`, async () => {
        stash.answerWith(fault);
        assert.equal((await failure(server.search('Robin'))).case, 'UNREACHABLE.lost');
        assert.equal(stash.requests.length, 1);
      });
    }

    it('the next look-up goes on', async () => {
      stash.answerWith(silence, { times: 1 });
      const first = timeOut(() => server.search('Robin'), 1, 90);
      assert.deepEqual(await server.search('Hana'), ['Hana Mori']);
      assert.equal((await first).code, 'TIMEOUT');
    });
  });

  const changes: [
    what: string,
    field: string,
    ask: (server: TestServer) => Promise<unknown>,
    seconds: number,
  ][] = [
    ['to a scan', 'metadataScan', (server) => server.scan(), 30],
    ['to a backup', 'backupDatabase', (server) => server.backup(), 3600],
  ];
  for (const [what, field, ask, seconds] of changes) {
    describe(`${what} that was sent, the outcome is unknown:`, () => {
      const faults: [what: string, fault: Handler | ReturnType<typeof text>, error: ErrorCase][] = [
        ['the connection breaks', cut, 'OUTCOME_UNKNOWN.lost'],
        ['the answer is lost', loseAnswer, 'OUTCOME_UNKNOWN.lost'],
        ['the answer is torn', tear, 'OUTCOME_UNKNOWN.lost'],
        ['a gateway answers 502', html(502, '<h1>502</h1>'), 'OUTCOME_UNKNOWN.gateway'],
        ['a gateway answers 504', text(504, 'Gateway Timeout'), 'OUTCOME_UNKNOWN.gateway'],
        ['a gateway answers 504 in JSON', json({ message: 'timeout' }, 504), 'OUTCOME_UNKNOWN.gateway'],
        [
          'a gateway answers 502 with errors of its own',
          json({ errors: [{ message: 'upstream' }] }, 502),
          'OUTCOME_UNKNOWN.gateway',
        ],
      ];
      for (const [fault, order, outcome] of faults) {
        it(`${fault}; it is not sent again`, async () => {
          stash.answerWith(order, { field });
          const error = await failure(ask(server));
          assert.equal(error.case, outcome);
          assert.equal(error.retry, false);
          assert.equal(count(field), 1);
        });
      }

      for (const [when, fault] of [
        ['', silence],
        [' within the answer', begin],
      ] as const) {
        it(`the time limit passes${when}; it is not sent again`, async () => {
          stash.answerWith(fault, { field });
          const error = await timeOut(() => ask(server), 2, seconds);
          assert.equal(error.case, 'OUTCOME_UNKNOWN.noAnswer');
          assert.deepEqual(error.details, { seconds });
          assert.equal(error.retry, false);
          assert.equal(count(field), 1);
        });
      }

      it('the error names the status of a gateway', async () => {
        stash.answerWith(text(502, ''), { field });
        const error = await failure(ask(server));
        assert.deepEqual(error.details, { status: 502 });
        assert.equal(error.status, 502);
      });

      it('but an explicit error response counts', async () => {
        for (const [answer, expected] of [
          [text(500, 'panic'), 'HTTP.status'],
          [text(503, 'starting'), 'HTTP.status'],
          [text(429, 'slowly'), 'HTTP.status'],
          [json({ errors: [{ message: 'no' }], data: null }), 'GRAPHQL.failed'],
          [json({ errors: [{ message: 'no' }], data: null }, 422), 'GRAPHQL.refused'],
          [html(404, ''), 'NOT_STASH.notGraphQL'],
        ] as const) {
          stash.answerWith(answer, { field, times: 1 });
          assert.equal((await failure(ask(server))).case, expected);
        }
        assert.equal(count(field), 6);
      });
    });

    describe(`${what} that was not sent, nothing ran:`, () => {
      async function notSent(error: Promise<StashError>, expected: ErrorCase): Promise<void> {
        assert.equal((await error).case, expected);
        assert.equal((await error).retry, true);
        assert.equal(count(field), 0);
      }

      it('nothing listens at the address', async () => {
        const unreachable = new TestServer(options(`http://127.0.0.1:${await freePort()}`));
        await notSent(failure(ask(unreachable)), 'UNREACHABLE.refusedHere');
        await unreachable.close();
      });

      it('the state check times out', async () => {
        stash.answerWith(silence, { field: 'systemStatus' });
        await notSent(
          timeOut(() => ask(server), 1, 30),
          'TIMEOUT.noAnswer',
        );
        assert.equal(stash.requests.length, 1);
      });

      it('the connection breaks during the state check', async () => {
        stash.answerWith(cut, { field: 'systemStatus' });
        await notSent(failure(ask(server)), 'UNREACHABLE.lost');
        assert.equal(stash.requests.length, 2);
      });

      it('the server goes away after the state check', async () => {
        const leaving = createServer((_request, response) => {
          leaving.close();
          const body = JSON.stringify({ data: { systemStatus: { status: 'OK' } } });
          response.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close' }).end(body);
        }).listen(0, '127.0.0.1');
        await once(leaving, 'listening');
        const left = new TestServer(options(`http://127.0.0.1:${portOf(leaving)}`));
        await notSent(failure(ask(left)), 'UNREACHABLE.refusedHere');
        await left.close();
      });
    });
  }

  it('a scan whose response is lost has started once', async () => {
    stash.answerWith(loseAnswer, { field: 'metadataScan' });
    await failure(server.scan());
    assert.ok(stash.jobs.find('1'));
    assert.equal(stash.jobs.find('2'), null);
  });
});
