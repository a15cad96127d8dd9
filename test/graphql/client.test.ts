import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as immediately } from 'node:timers/promises';
import { html, json, text } from '../fake-stash/answers';
import { cut, type Handler, loseAnswer, silence } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { TestServer, failure, freePort, Message, options, portOf } from '../support/connect';
import { passTimeLimit } from '../support/time-limit';
import type { ErrorCase, StashError } from '../../src/errors';

/** Sends the beginning of a response, and nothing more. */
const begin: Handler = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
  response.write('{"data":');
};

/** Sends the beginning of a response, and cuts the connection. */
const tear: Handler = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
  response.write('{"data":', () => response.destroy());
};

/** The call of a dialog. */
const ofEditor = () => Object.assign(new Message(), { isOfEditor: true as const });

describe('Without a response', () => {
  let stash: FakeStash;
  let server: TestServer;

  beforeEach(async () => {
    stash = await FakeStash.start();
    server = new TestServer(options(stash.url, { timeout: 30, lookupTimeout: 90, backupTimeout: 3600 }));
    // The first request also takes the time to load packages and to connect.
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

  /** Calls `ask`, and lets the time limit pass as soon as this number of requests has arrived. */
  async function timeOut(
    ask: () => Promise<unknown>,
    requests: number,
    seconds: number,
  ): Promise<StashError> {
    return await passTimeLimit(
      seconds,
      () => failure(ask()),
      () => stash.requests.length >= requests,
    );
  }

  describe('a query', () => {
    for (const [what, fault] of [
      ['the server is silent', silence],
      ['the response does not end', begin],
    ] as const) {
      it(`fails with TIMEOUT and may be retried if ${what}`, async () => {
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
      ['the response is lost', loseAnswer],
      ['the response is cut off', tear],
    ] as const) {
      it(`is retried once if ${what}`, async () => {
        stash.answerWith(fault, { times: 1 });
        assert.deepEqual(await server.query(), { status: 'OK' });
        assert.equal(stash.requests.length, 2);
      });
    }

    it('fails if the connection breaks twice', async () => {
      stash.answerWith(cut);
      const error = await failure(server.query());
      assert.equal(error.case, 'UNREACHABLE.lost');
      assert.equal(error.retry, true);
      assert.equal(stash.requests.length, 2);
    });

    it('shares its time limit with its retry', async () => {
      stash.answerWith(cut, { times: 1 });
      stash.answerWith(silence);
      assert.equal((await timeOut(() => server.query(), 2, 30)).case, 'TIMEOUT.noAnswer');
      assert.equal(stash.requests.length, 2);
    });
  });

  describe('a query from the editor', () => {
    const query = () => server.query(undefined, ofEditor());

    it('is retried once if the connection breaks', async () => {
      stash.answerWith(cut, { times: 1 });
      assert.deepEqual(await query(), { status: 'OK' });
      stash.answerWith(cut);
      assert.equal((await failure(query())).case, 'UNREACHABLE.lost');
      assert.equal(stash.requests.length, 4);
    });

    it('has the time limit of the editor, also for the schema', async () => {
      stash.answerWith(silence);
      const ofSchema = (ask: (server: TestServer) => Promise<unknown>) => async () => {
        const schemaless = new TestServer(options(stash.url, { timeout: 30 }), null);
        try {
          await ask(schemaless);
        } finally {
          await schemaless.close();
        }
      };
      const asks = [
        query,
        ofSchema((schemaless) => schemaless.client.documents(ofEditor())),
        ofSchema((schemaless) => schemaless.client.checkDocument('{ a }', ofEditor())),
      ];
      for (const [index, ask] of asks.entries()) {
        assert.equal((await timeOut(ask, index + 1, 10)).case, 'TIMEOUT.noAnswer');
      }
    });
  });

  describe('a mutation from the editor', () => {
    const scan = () => server.scan(ofEditor());

    it('has an unknown outcome, and is not sent again', async () => {
      stash.answerWith(cut, { field: 'metadataScan' });
      assert.equal((await failure(scan())).case, 'OUTCOME_UNKNOWN.lost');
      assert.equal(count('metadataScan'), 1);
    });

    it('has the time limit of the editor', async () => {
      stash.answerWith(silence, { field: 'metadataScan' });
      assert.equal((await timeOut(scan, 2, 10)).case, 'OUTCOME_UNKNOWN.noAnswer');
    });

    it('repeats its state check if the connection breaks', async () => {
      stash.answerWith(cut, { field: 'systemStatus', times: 1 });
      assert.equal(await scan(), '1');
    });

    it('does not wait for the connections of messages, nor does a query', async () => {
      stash.answerWith(silence, { field: 'studios' });
      const waiting = Promise.allSettled(
        Array.from({ length: 20 }, () => server.query('{ studios { id } }')),
      );
      while (stash.requests.length < 16) await immediately();
      await scan();
      await server.query(undefined, ofEditor());
      await server.close();
      await waiting;
    });
  });

  describe('a look-up', () => {
    it('fails with TIMEOUT and is not retried', async () => {
      stash.answerWith(silence);
      const error = await timeOut(() => server.search('Robin'), 1, 90);
      assert.equal(error.case, 'TIMEOUT.noAnswer');
      assert.deepEqual(error.details, { seconds: 90 });
      assert.equal(stash.requests.length, 1);
    });

    for (const [what, fault] of [
      ['the connection breaks', cut],
      ['the response is lost', loseAnswer],
    ] as const) {
      it(`is not retried if ${what}, because the site may have received it`, async () => {
        stash.answerWith(fault);
        assert.equal((await failure(server.search('Robin'))).case, 'UNREACHABLE.lost');
        assert.equal(stash.requests.length, 1);
      });
    }

    it('does not block the next look-up', async () => {
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
    ['a scan', 'metadataScan', (server) => server.scan(), 30],
    ['a backup', 'backupDatabase', (server) => server.backup(), 3600],
  ];
  for (const [what, field, ask, seconds] of changes) {
    describe(`${what} that was sent has an unknown outcome`, () => {
      const faults: [what: string, fault: Handler | ReturnType<typeof text>, error: ErrorCase][] = [
        ['the connection breaks', cut, 'OUTCOME_UNKNOWN.lost'],
        ['the response is lost', loseAnswer, 'OUTCOME_UNKNOWN.lost'],
        ['the response is cut off', tear, 'OUTCOME_UNKNOWN.lost'],
        ['a gateway responds with 502', html(502, '<h1>502</h1>'), 'OUTCOME_UNKNOWN.gateway'],
        ['a gateway responds with 504', text(504, 'Gateway Timeout'), 'OUTCOME_UNKNOWN.gateway'],
        ['a gateway responds with 504 in JSON', json({ message: 'timeout' }, 504), 'OUTCOME_UNKNOWN.gateway'],
        [
          'a gateway responds with 502 and errors of its own',
          json({ errors: [{ message: 'upstream' }] }, 502),
          'OUTCOME_UNKNOWN.gateway',
        ],
      ];
      for (const [fault, order, outcome] of faults) {
        it(`if ${fault}, and is not sent again`, async () => {
          stash.answerWith(order, { field });
          const error = await failure(ask(server));
          assert.equal(error.case, outcome);
          assert.equal(error.retry, false);
          assert.equal(count(field), 1);
        });
      }

      for (const [when, fault] of [
        ['', silence],
        [' within the response', begin],
      ] as const) {
        it(`if the time limit passes${when}, and is not sent again`, async () => {
          stash.answerWith(fault, { field });
          const error = await timeOut(() => ask(server), 2, seconds);
          assert.equal(error.case, 'OUTCOME_UNKNOWN.noAnswer');
          assert.deepEqual(error.details, { seconds });
          assert.equal(error.retry, false);
          assert.equal(count(field), 1);
        });
      }

      it('if a gateway fails, and the error contains the status', async () => {
        stash.answerWith(text(502, ''), { field });
        const error = await failure(ask(server));
        assert.deepEqual(error.details, { status: 502 });
        assert.equal(error.status, 502);
      });

      it('unless the response is an explicit error', async () => {
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

    describe(`${what} that was not sent has not run`, () => {
      async function notSent(error: Promise<StashError>, expected: ErrorCase): Promise<void> {
        assert.equal((await error).case, expected);
        assert.equal((await error).retry, true);
        assert.equal(count(field), 0);
      }

      it('if nothing listens at the address', async () => {
        const unreachable = new TestServer(options(`http://127.0.0.1:${await freePort()}`));
        await notSent(failure(ask(unreachable)), 'UNREACHABLE.refusedHere');
        await unreachable.close();
      });

      it('if the state check times out', async () => {
        stash.answerWith(silence, { field: 'systemStatus' });
        await notSent(
          timeOut(() => ask(server), 1, 30),
          'TIMEOUT.noAnswer',
        );
        assert.equal(stash.requests.length, 1);
      });

      it('if the connection breaks during the state check', async () => {
        stash.answerWith(cut, { field: 'systemStatus' });
        await notSent(failure(ask(server)), 'UNREACHABLE.lost');
        assert.equal(stash.requests.length, 2);
      });

      it('if the server stops after the state check', async () => {
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

  it('a mutation that was refused has not run if the server stops before it is sent again', async () => {
    const state = { data: { systemStatus: { status: 'OK' } } };
    const refusal = { errors: [{ message: 'Unknown argument "gone"' }] };
    const noSchema = { errors: [{ message: 'introspection disabled' }] };
    // For the first check, the mutation, the schema and the second check.
    const answers = [state, refusal, noSchema, state];
    const leaving = createServer((_request, response) => {
      const answer = answers.shift();
      if (answers.length === 0) leaving.close();
      response.writeHead(answer === state ? 200 : 422, {
        'Content-Type': 'application/json',
        ...(answers.length === 0 && { Connection: 'close' }),
      });
      response.end(JSON.stringify(answer));
    }).listen(0, '127.0.0.1');
    await once(leaving, 'listening');
    const left = new TestServer(options(`http://127.0.0.1:${portOf(leaving)}`));
    const error = await failure(left.scanAgain());
    assert.deepEqual(answers, []);
    assert.deepEqual([error.case, error.retry], ['UNREACHABLE.refusedHere', true]);
    await left.close();
  });

  it('backups leave the connections of other messages free', async () => {
    stash.answerWith(silence, { field: 'backupDatabase' });
    const backups = Promise.allSettled(Array.from({ length: 20 }, () => server.backup()));
    while (count('backupDatabase') === 0) await immediately();
    await server.query();
    await server.scan();
    await server.close();
    await backups;
  });
});
