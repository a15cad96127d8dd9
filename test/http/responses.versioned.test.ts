import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { TestServer, failure, freePort, options, portOf } from '../support/connect';
import type { ServerOptions } from '../../src/server/options';

const KEY = 'a+secret/key==~';

describe('A response', () => {
  let stash: FakeStash;
  const servers: TestServer[] = [];

  beforeEach(async () => {
    stash = await FakeStash.start({ apiKey: KEY });
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await stash.stop();
  });

  function connect(changes: Partial<ServerOptions> = {}): TestServer {
    const server = new TestServer(options(stash.url, { auth: 'apiKey', apiKey: KEY, ...changes }));
    servers.push(server);
    return server;
  }

  const lengthy: [what: string, errors: object[]][] = [
    ['repeat the words before a request body', [{ message: ' could not be decoded: '.repeat(2 ** 18) }]],
    ['are a million errors', new Array<object>(1_000_000).fill({ message: 'no' })],
    ['are one error of 16 MiB', [{ message: `${KEY} `.repeat(2 ** 20) }]],
    ['contain only control characters', [{ message: '\u001b\n'.repeat(2 ** 22) }]],
  ];
  for (const [what, errors] of lengthy) {
    it(`is read within three seconds if its errors ${what}`, async () => {
      const answer = json({ errors });
      stash.answerWith(answer);
      const { promise, stalled } = stalling(failure(connect({ timeout: 60 }).query()));
      const error = await promise;
      assert.equal(error.case, 'GRAPHQL.failed');
      assert.ok(String(error.details['text']).length <= 300);
      // Careless code takes minutes. Reading such a response takes some tenths of a second on a busy machine.
      assert.ok(stalled() < 3000, `${Math.round(stalled())} ms`);
    });
  }

  describe('that redirects', () => {
    let elsewhere: FakeStash;

    beforeEach(async () => {
      elsewhere = await FakeStash.start();
    });
    afterEach(() => elsewhere.stop());

    for (const status of [301, 302, 303, 307, 308]) {
      it(`with ${status} is not followed, and the key is sent nowhere else`, async () => {
        const location = { Location: `${elsewhere.url}/graphql` };
        stash.answerWith({ status, headers: location, body: '' }, { field: 'systemStatus' });
        stash.answerWith({ status, headers: location, body: '' }, { field: 'metadataScan' });
        const server = connect();
        for (const error of await Promise.all([server.query(), server.scan()].map(failure))) {
          assert.equal(error.case, 'NOT_STASH.redirect');
          assert.equal(error.status, status);
        }
        assert.deepEqual(elsewhere.requests, []);
      });
    }
  });

  describe('that is too large', () => {
    const tooLarge = 65 * 1024 * 1024;

    it('leads to TOO_LARGE as soon as its length is known, and is not retried', async () => {
      stash.answerWith({
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: Buffer.alloc(tooLarge, ' '),
      });
      const error = await failure(connect().query());
      assert.equal(error.case, 'TOO_LARGE.answer');
      assert.equal(error.retry, false);
      assert.equal(stash.requests.length, 1);
    });

    it('may have 4 MiB', async () => {
      const name = 'x'.repeat(4 * 1024 * 1024);
      stash.answerWith(json({ data: { allStudios: [{ name }] } }));
      assert.deepEqual(await connect().query('{ allStudios { name } }'), [{ name }]);
    });
  });

  it('may have the newer media type and arrive in pieces', async () => {
    stash.answerWith((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/graphql-response+json; charset=utf-8' });
      const bytes = Buffer.from(JSON.stringify({ data: { systemStatus: { status: 'Zoë' } } }));
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
    });
    assert.deepEqual(await connect().query(), { status: 'Zoë' });
  });
});

describe('Without a server', () => {
  async function ask(url: string): ReturnType<typeof failure> {
    const server = new TestServer(options(url));
    const error = await failure(server.query());
    await server.close();
    return error;
  }

  it('a refused connection to all addresses of a host leads to UNREACHABLE.refusedHere', async () => {
    assert.equal((await ask(`http://localhost:${await freePort()}`)).case, 'UNREACHABLE.refusedHere');
  });

  it('a protocol other than HTTP leads to UNREACHABLE.lost', async () => {
    const server = createServer((request) => {
      request.socket.end('SSH-2.0-OpenSSH_9.9\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    assert.equal((await ask(`http://127.0.0.1:${portOf(server)}`)).case, 'UNREACHABLE.lost');
    server.close();
  });

  it('a request works as soon as the server has started', async () => {
    const port = await freePort();
    const server = new TestServer(options(`http://127.0.0.1:${port}`));
    assert.equal((await failure(server.query())).case, 'UNREACHABLE.refusedHere');
    const stash = await FakeStash.start({ port });
    assert.deepEqual(await server.query(), { status: 'OK' });
    await stash.stop();
    const again = await FakeStash.start({ port });
    assert.deepEqual(await server.query(), { status: 'OK' });
    await server.close();
    await again.stop();
  });
});

/**
 * Returns the longest time for which `awaited` blocked everything else, in milliseconds of processor time, because
 * other processes also run on a busy machine.
 */
function stalling<T>(awaited: Promise<T>): { promise: Promise<T>; stalled: () => number } {
  let longest = 0;
  let last = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.cpuUsage();
  };
  const timer = setInterval(look, 5);
  const promise = awaited.finally(() => {
    clearInterval(timer);
    look();
  });
  return { promise, stalled: () => longest };
}
