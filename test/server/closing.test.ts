import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { silence } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { TestServer, failure, Message, options, portOf } from '../support/connect';
import { until } from '../support/waiting';
import type { ServerOptions } from '../../src/server/options';

describe('When a server is closed', () => {
  let stash: FakeStash;

  beforeEach(async () => {
    stash = await FakeStash.start();
  });
  afterEach(() => stash.stop());

  /** Returns a server whose time limits end after that of a test. */
  function connect(changes: Partial<ServerOptions> = {}): TestServer {
    const limits = { timeout: 600, lookupTimeout: 600, backupTimeout: 600 };
    return new TestServer(options(stash.url, { ...limits, ...changes }));
  }

  async function untilRequests(count: number): Promise<void> {
    while (stash.requests.length < count) await sleep(1);
  }

  /** Closes a server with pending requests, which must all end with CLOSED. */
  async function closeDuring(server: TestServer, requests: Promise<unknown>[]): Promise<void> {
    const errors = Promise.all(requests.map(failure));
    const closing = server.close();
    for (const error of await errors) {
      assert.equal(error.case, 'CLOSED.closed');
      assert.equal(error.retry, false);
    }
    await closing;
  }

  it('a running query ends with CLOSED', async () => {
    stash.answerWith(silence);
    const server = connect();
    const request = server.query();
    await untilRequests(1);
    await closeDuring(server, [request]);
  });

  it('mutations end, sent or not', async () => {
    stash.answerWith(silence, { field: 'metadataScan' });
    const server = connect();
    const scan = server.scan();
    await untilRequests(2);
    stash.answerWith(silence, { field: 'systemStatus' });
    const backup = server.backup();
    await untilRequests(3);
    await closeDuring(server, [scan, backup]);
    assert.equal(stash.requests.length, 3);
  });

  it('a running look-up and all queued ones end', async () => {
    stash.answerWith(silence);
    const server = connect();
    const requests = Array.from({ length: 300 }, (_, index) => server.search(`name ${index}`));
    await untilRequests(1);
    await closeDuring(server, requests);
    await sleep(10);
    assert.equal(stash.requests.length, 1);
  });

  it('a look-up that waits for the pause ends', async () => {
    const server = connect({ pause: 600 });
    await server.search('a');
    await closeDuring(server, [server.search('b')]);
    assert.equal(stash.requests.length, 1);
  });

  it('a request that has just begun ends', async () => {
    const server = connect();
    await closeDuring(server, [server.query(), server.scan(), server.search('a')]);
  });

  it('no further request is sent', async () => {
    const server = connect();
    await server.query();
    await server.close();
    for (const request of [server.query(), server.scan(), server.backup(), server.search('a')]) {
      assert.equal((await failure(request)).case, 'CLOSED.closed');
    }
    assert.equal(stash.requests.length, 1);
  });

  it('its connections close', async () => {
    stash.answerWith(silence);
    const server = connect();
    const request = failure(server.query());
    await untilRequests(1);
    await server.close();
    await request;
    while (stash.requests[0]?.endedAt === Infinity) await sleep(1);
  });

  it('its idle connections close', async () => {
    const sockets: Socket[] = [];
    const origin = createServer((_request, response) => {
      const body = JSON.stringify({ data: { systemStatus: { status: 'OK' } } });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
    }).on('connection', (socket) => sockets.push(socket));
    // Neither side ends them by itself meanwhile.
    origin.keepAliveTimeout = 60_000;
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    const server = new TestServer(options(`http://127.0.0.1:${portOf(origin)}`));
    await server.query();
    await server.close();
    await until(() => sockets.length === 1 && sockets[0]?.closed === true);
    origin.close();
  });

  it('the next look-up waits for the response to the running one', async () => {
    stash.site.delay = 300;
    const server = connect();
    const first = failure(server.search('Robin'));
    while (stash.site.calls.length === 0) await sleep(1);
    await server.close();
    assert.equal((await first).code, 'CLOSED');
    assert.ok(
      stash.site.calls.every(({ endedAt }) => endedAt === Infinity),
      'the close does not wait for the running look-up',
    );
    const other = connect();
    assert.deepEqual(await other.search('Hana'), ['Hana Mori']);
    await other.close();
    const [current, next] = stash.site.calls;
    assert.ok(current && next && next.startedAt >= current.endedAt, 'the look-ups do not overlap');
    // Only then does its connection close.
    while (stash.requests[0]?.endedAt === Infinity) await sleep(1);
  });

  it('a look-up that still waits for the schema is not sent', async () => {
    stash.answerWith(silence);
    const server = new TestServer(options(stash.url), null);
    const first = failure(server.search('Robin'));
    await untilRequests(1);
    await server.close();
    assert.equal((await first).code, 'CLOSED');
    await sleep(50);
    assert.deepEqual(stash.requests.length, 1);
  });

  it('another server object with the same address continues', async () => {
    const server = connect({ pause: 2 });
    const other = connect();
    await server.search('a');
    const given = failure(server.search('b'));
    const kept = other.search('Hana');
    await server.close();
    assert.deepEqual(await kept, ['Hana Mori']);
    assert.equal((await given).code, 'CLOSED');
    await other.close();
  });

  it('before its first request, or twice, nothing fails', async () => {
    const server = connect();
    await server.close();
    await server.close();
    const used = connect();
    await used.query();
    await Promise.all([used.close(), used.close()]);
  });
});

describe('When a message ends', () => {
  let stash: FakeStash;
  let server: TestServer;

  beforeEach(async () => {
    stash = await FakeStash.start();
    server = new TestServer(options(stash.url));
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  it('its request ends with the reason, and other requests continue', async () => {
    stash.answerWith(silence, { times: 1 });
    const message = new Message();
    const ended = assert.rejects(server.query(undefined, message), { message: 'removed' });
    while (stash.requests.length === 0) await sleep(1);
    const other = server.query();
    message.end(new Error('removed'));
    await ended;
    assert.deepEqual(await other, { status: 'OK' });
  });

  it('a mutation that was sent ends with the reason', async () => {
    stash.answerWith(silence, { field: 'metadataScan' });
    const message = new Message();
    const ended = assert.rejects(server.scan(message), { message: 'removed' });
    while (stash.requests.length < 2) await sleep(1);
    message.end(new Error('removed'));
    await ended;
  });

  it('a look-up that waits for a connection is not sent', async () => {
    stash.answerWith(silence, { field: 'allStudios' });
    const others = Array.from({ length: 16 }, () => new Message());
    const asked = Promise.allSettled(others.map((other) => server.query('{ allStudios { id } }', other)));
    while (stash.requests.length < 16) await sleep(1);
    const message = new Message();
    const ended = assert.rejects(server.search('Robin', message), { message: 'removed' });
    // The look-up reaches the connections.
    await sleep(10);
    message.end(new Error('removed'));
    await ended;
    for (const other of others) other.end(new Error('removed'));
    await asked;
    assert.deepEqual(await server.search('Hana'), ['Hana Mori']);
    assert.equal(stash.site.calls.length, 1);
  });

  it('a sent look-up is not aborted, and the next one waits for its response', async () => {
    stash.site.delay = 200;
    const message = new Message();
    const ended = assert.rejects(server.search('Robin', message), { message: 'removed' });
    while (stash.site.calls.length === 0) await sleep(1);
    message.end(new Error('removed'));
    await ended;
    assert.ok(stash.site.calls.every(({ endedAt }) => endedAt === Infinity));
    assert.deepEqual(await server.search('Hana'), ['Hana Mori']);
    const [current, next] = stash.site.calls;
    assert.ok(current && next);
    assert.ok(next.startedAt >= current.endedAt, 'the look-ups do not overlap');
  });

  it('before its request, no request is sent', async () => {
    const message = new Message();
    message.end(new Error('removed'));
    await assert.rejects(server.query(undefined, message), { message: 'removed' });
    await assert.rejects(server.search('a', message), { message: 'removed' });
    assert.equal(stash.requests.length, 0);
  });

  it('its signals have no listeners left', async () => {
    const message = new Message();
    await server.query(undefined, message);
    await server.scan(message);
    await server.search('a', message);
    await failure(server.query('{ nope }', message));
    assert.equal(getEventListeners(message.signal, 'abort').length, 0);
    assert.equal(getEventListeners(message.waiting, 'abort').length, 0);
  });
});
