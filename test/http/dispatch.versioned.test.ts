import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildConnector, Pool } from 'undici';
import { silence } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { until } from '../support/waiting';
import { TestServer, failure, Message, options, portOf, STATUS } from '../support/connect';
import { Semaphore } from '../../src/async';
import { StashError } from '../../src/errors';
import { post } from '../../src/http/dispatch';
import type { RequestTrace } from '../../src/http/request-log';

const MIB = 2 ** 20;

describe('The body of a response', () => {
  it('needs less than 24 MiB of memory in 400,000 chunks of one byte', async () => {
    const count = 400_000;
    const content = `{"data":{"systemStatus":{"status":"OK"}}}`;
    const padding = Buffer.alloc(6 * count, '1\r\n \r\n');
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    let end = () => {};
    let written = () => {};
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const origin = createServer((socket: Socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(head);
        socket.write(padding, written);
        end = () => {
          socket.write(`${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`);
        };
      });
    }).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    const lines: string[] = [];
    // The time is not what counts: a busy machine may take a minute.
    const server = new TestServer(
      options(`http://127.0.0.1:${portOf(origin)}`, { timeout: 300, log: (line) => lines.push(line) }),
    );
    try {
      const before = memory();
      const asking = server.query();
      await isWritten;
      // The rest has arrived when no more memory is used.
      let used = 0;
      for (let last = -1; used > last;) {
        last = used;
        await setTimeout(100);
        used = Math.max(used, memory() - before);
      }
      end();
      assert.deepEqual(await asking, { status: 'OK' });
      assert.match(lines.join(), new RegExp(`${count + content.length} bytes`));
      assert.ok(used < 24 * MIB, `${Math.round(used / MIB)} MiB`);
    } finally {
      await server.close();
      origin.close();
    }
  });
});

describe('Connections to a server', () => {
  let stash: FakeStash;
  let server: TestServer;

  beforeEach(async () => {
    stash = await FakeStash.start();
    server = new TestServer(options(stash.url, { timeout: 60 }));
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  const untilRequested = (field: string, count: number) =>
    until(() => stash.requests.filter(({ operation }) => operation === field).length >= count);

  it('stay available for messages although many backups get no response', async () => {
    stash.answerWith(silence, { field: 'backupDatabase' });
    let ended = 0;
    const hang = () =>
      server.backup().finally(() => {
        ended++;
      });
    const backups = Promise.allSettled(Array.from({ length: 50 }, hang));
    await untilRequested('backupDatabase', 16);
    assert.deepEqual(await server.query(), { status: 'OK' });
    assert.equal(await server.scan(), '1');
    assert.equal(ended, 0, 'all backups still wait');
    assert.equal(stash.requests.filter(({ operation }) => operation === 'backupDatabase').length, 16);
    await server.close();
    for (const { reason } of (await backups) as PromiseRejectedResult[]) {
      assert.ok(reason instanceof StashError);
      assert.match(reason.code, /^(CLOSED|OUTCOME_UNKNOWN)$/);
    }
  });

  it('stay available for messages although the editor sends many requests that get no response', async () => {
    stash.answerWith(silence, { field: 'allStudios' });
    const ends = Array.from({ length: 20 }, () => new AbortController());
    const asked = Promise.allSettled(
      ends.map(({ signal }) =>
        server.query('{ allStudios { name } }', { signal, waiting: signal, isOfEditor: true }),
      ),
    );
    await untilRequested('allStudios', 2);
    assert.equal(await server.scan(), '1');
    assert.equal(stash.requests.filter(({ operation }) => operation === 'allStudios').length, 2);
    for (const end of ends) end.abort();
    await asked;
  });

  it('are available after many waiting messages have ended', async () => {
    stash.answerWith(silence, { times: 16 });
    const holding = Array.from({ length: 16 }, () => new Message());
    const held = holding.map((message) => failure(server.query(STATUS, message)));
    await untilRequested('systemStatus', 16);
    const gaveUp = new StashError('CLOSED.closed');
    const waiting = Array.from({ length: 1_000 }, () => new Message());
    const ended = waiting.map((message) => failure(server.query(STATUS, message)));
    await setTimeout(10);
    for (const message of waiting) message.end(gaveUp);
    assert.ok((await Promise.all(ended)).every((error) => error === gaveUp));
    // One free connection is enough for the next message, whatever waited for it before.
    holding[0]?.end(gaveUp);
    const before = stash.requests.length;
    assert.deepEqual(await server.query(), { status: 'OK' });
    assert.equal(stash.requests.length, before + 1);
    for (const message of holding) message.end(gaveUp);
    await Promise.all(held);
  });

  it('are released if messages end while a connection opens', async () => {
    const server = new TestServer(options('http://127.0.0.1:1', { timeout: 5 }));
    for (let round = 0; round < 20; round++) {
      const messages = Array.from({ length: 16 }, () => new Message());
      const ended = messages.map((message) => failure(server.query(STATUS, message)));
      for (const message of messages) message.end(new StashError('CLOSED.closed'));
      await Promise.all(ended);
    }
    assert.equal((await failure(server.query())).case, 'UNREACHABLE.refusedHere');
    await server.close();
  });

  it('carry nothing of a message that ended while they opened', async () => {
    let open: (() => void) | undefined;
    const real = buildConnector({});
    const pool = new Pool(stash.url, {
      connections: 1,
      connect: (to, callback) => {
        if (open) real(to, callback);
        else
          open = () => {
            real(to, callback);
          };
      },
    });
    const limited = { pool, semaphore: new Semaphore(1) };
    const request = (signal: AbortSignal, trace: RequestTrace) =>
      post(limited, { path: '/graphql', headers: {}, signal, trace }, JSON.stringify({ query: STATUS }));
    const ending = new AbortController();
    const trace = { sent: false };
    const ended = assert.rejects(request(ending.signal, trace), { message: 'given up' });
    await until(() => open !== undefined);
    ending.abort(new Error('given up'));
    await ended;
    const later = new AbortController();
    const answer = request(later.signal, { sent: false });
    open?.();
    await answer;
    assert.equal(stash.requests.length, 1);
    assert.equal(trace.sent, false);
    await assert.rejects(request(ending.signal, trace), { message: 'given up' });
    for (const { signal } of [ending, later]) assert.deepEqual(getEventListeners(signal, 'abort'), []);
    await pool.destroy();
    await assert.rejects(request(later.signal, trace), { code: 'UND_ERR_DESTROYED' });
    assert.deepEqual(getEventListeners(later.signal, 'abort'), []);
  });

  it('are those of the pool, also after some could not be opened', async () => {
    const open = new Set<Socket>();
    const origin = createHttpServer((request, response) => {
      request.resume().on('end', () => void setTimeout(15, response).then((late) => late.end('{}')));
    }).listen(0, '127.0.0.1');
    origin.on('connection', (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    await once(origin, 'listening');
    let failures = 5;
    const real = buildConnector({});
    const pool = new Pool(`http://127.0.0.1:${portOf(origin)}`, {
      connections: 16,
      keepAliveTimeout: 60_000,
      connect: (to, callback) => {
        if (failures-- > 0) {
          void setTimeout(1).then(() => {
            callback(new Error('refused'), null);
          });
        } else real(to, callback);
      },
    });
    const limited = { pool, semaphore: new Semaphore(16) };
    const request = () => {
      const { signal } = new AbortController();
      return post(limited, { path: '/', headers: {}, signal, trace: { sent: false } }, '{}');
    };
    const results = await Promise.allSettled(Array.from({ length: 100 }, request));
    assert.ok(results.some(({ status }) => status === 'rejected'));
    assert.ok(results.some(({ status }) => status === 'fulfilled'));
    assert.ok(open.size <= 16, `${open.size} connections`);
    await pool.destroy();
    await until(() => open.size === 0);
    origin.close();
  });
});

/** Returns the bytes in use, in steps of a megabyte. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / MIB) * MIB;
}
