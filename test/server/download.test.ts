import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { createServer as createNetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { html, redirect, send, text } from '../fake-stash/answers';
import { cutAfter, silence } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { failure, Message, options, portOf } from '../support/connect';
import { MemorySink } from '../support/kept';
import type { Call } from '../../src/call';
import { StashError } from '../../src/errors';
import { Server } from '../../src/server/server';
import { timing } from '../../src/timing';

const KEY = 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk';

describe('A download', () => {
  let stash: FakeStash;
  let server: Server;
  let sink: MemorySink;
  const usual = timing.downloads;

  async function restart(...[settings]: Parameters<typeof FakeStash.start>): Promise<void> {
    await stash.stop();
    stash = await FakeStash.start(settings);
  }

  function connect(changes: object = {}): Server {
    server = new Server(options(stash.url, changes));
    return server;
  }

  /** Returns the link to a new backup. */
  async function link(headers: Record<string, string> = {}): Promise<string> {
    const query = 'mutation { backupDatabase(input: { download: true }) }';
    const response = await fetch(`${stash.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as { data: { backupDatabase: string } };
    return data.backupDatabase;
  }

  const download = async (from: string, call: Call = new Message()) =>
    await server.download({ link: from, call, sink });
  const requests = () => stash.requests.filter(({ path }) => path.startsWith('/downloads'));
  const ranges = () => requests().map(({ headers }) => headers.range);

  beforeEach(async () => {
    stash = await FakeStash.start();
    stash.backups.content = Buffer.alloc(1_000_000, 'a database');
    sink = new MemorySink();
    connect();
  });
  afterEach(async () => {
    timing.downloads = usual;
    await server.close();
    await stash.stop();
  });

  it('delivers all bytes, and the length before them', async () => {
    assert.equal(await download(await link()), 1_000_000);
    assert.ok(sink.content.equals(stash.backups.content));
    assert.deepEqual(sink.begins, [1_000_000]);
    assert.deepEqual(ranges(), [undefined]);
  });

  it('resumes where the connection broke, again and again', async () => {
    for (const bytes of [300_000, 1, 200_000])
      stash.answerWith(cutAfter(bytes), { path: '/downloads', times: 1 });
    await download(await link());
    assert.ok(sink.content.equals(stash.backups.content));
    assert.equal(sink.begins.length, 1);
    assert.deepEqual(ranges(), [undefined, 'bytes=300000-', 'bytes=300001-', 'bytes=500001-']);
  });

  it('starts over if the server sends everything instead of the rest', async () => {
    stash.answerWith(cutAfter(300_000), { path: '/downloads', times: 1 });
    stash.answerWith(
      async (request, response, _body, execute) => {
        delete request.headers.range;
        send(request, response, await execute());
      },
      { path: '/downloads', times: 1 },
    );
    assert.equal(await download(await link()), 1_000_000);
    assert.ok(sink.content.equals(stash.backups.content));
    assert.deepEqual(sink.begins, [1_000_000, 1_000_000]);
  });

  it('leads to BACKUP_INVALID if the rest belongs to another file', async () => {
    stash.answerWith(cutAfter(300_000), { path: '/downloads', times: 1 });
    const rest = { 'Content-Range': 'bytes 300000-899999/900000' };
    stash.answerWith({ status: 206, headers: rest, body: Buffer.alloc(600_000) }, { path: '/downloads' });
    const error = await failure(download(await link()));
    assert.equal(error.case, 'BACKUP_INVALID.changed');
    assert.deepEqual(error.details, { got: '293 KiB / 977 KiB' });
  });

  it('leads to BACKUP_INVALID after the link has expired, with the bytes received so far', async () => {
    stash.answerWith(cutAfter(300_000), { path: '/downloads', times: 1 });
    stash.answerWith(text(404, '404 page not found\n'), { path: '/downloads' });
    const error = await failure(download(await link()));
    assert.deepEqual([error.case, error.status, error.retry], ['BACKUP_INVALID.gone', 404, true]);
    assert.deepEqual(error.details, { got: '293 KiB / 977 KiB' });
  });

  it('retries while the server responds with 503', async () => {
    stash.answerWith(text(503, 'starting'), { path: '/downloads', times: 1 });
    await download(await link());
    assert.ok(sink.content.equals(stash.backups.content));
  });

  it('refuses a web page with the status 200', async () => {
    stash.answerWith(html(200, '<!doctype html><title>Sign in</title>'), { path: '/downloads' });
    const error = await failure(download(await link()));
    assert.deepEqual([error.case, error.status], ['BACKUP_INVALID.page', 200]);
    assert.deepEqual([sink.begins, requests().length], [[], 1]);
  });

  it('does not follow a redirect, so the API key is sent nowhere else', async () => {
    await restart({ apiKey: KEY });
    connect({ auth: 'apiKey', apiKey: KEY });
    const otherRequests: IncomingMessage[] = [];
    const otherServer = createServer((request, response) => {
      otherRequests.push(request);
      response.end('x');
    }).listen(0, '127.0.0.1');
    await once(otherServer, 'listening');
    try {
      const elsewhere = `http://127.0.0.1:${portOf(otherServer)}`;
      stash.answerWith(redirect(`${elsewhere}/backup`), { path: '/downloads', times: 1 });
      const here = await link({ ApiKey: KEY });
      assert.equal((await failure(download(here))).case, 'NOT_STASH.redirect');
      // The host in the link does not count, either.
      await download(here.replace(/^http:\/\/[^/]+/, elsewhere));
      assert.equal(requests().at(-1)?.headers['apikey'], KEY);
      assert.deepEqual(otherRequests, []);
    } finally {
      otherServer.close();
    }
  });

  it('leads to UNAUTHORIZED without credentials, on old and new releases', async () => {
    for (const release of ['v0.11.0', 'v0.30.1'] as const) {
      await restart({ release, apiKey: KEY });
      connect();
      const here = await link({ ApiKey: KEY });
      assert.equal((await failure(download(here))).case, 'UNAUTHORIZED.keyNeeded', release);
      assert.equal(requests().length, 1);
      await server.close();
    }
  });

  it('ends as soon as its message ends', async () => {
    const call = new Message();
    stash.answerWith(silence, { path: '/downloads' });
    const waiting = download(await link(), call);
    waiting.catch(() => undefined);
    while (requests().length === 0) await sleep(2);
    call.end(new StashError('CLOSED.closed'));
    assert.equal((await failure(waiting)).code, 'CLOSED');
  });

  describe('whose connection closes before the disk is ready', () => {
    const whole = Buffer.alloc(300_000, 'a database');
    const answers: [what: string, head: string, rest: string][] = [
      [
        'after "Connection: close"',
        `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n`,
        '',
      ],
      ['without an announced length', 'HTTP/1.0 200 OK\r\n\r\n', ''],
      [
        'with chunked encoding',
        'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n493e0\r\n',
        '\r\n0\r\n\r\n',
      ],
    ];
    for (const [what, head, rest] of answers) {
      it(`is complete ${what}`, async () => {
        const raw = createNetServer((socket) => {
          socket
            .on('error', () => undefined)
            .once('data', () => {
              // The first bytes arrive together with the header.
              socket.end(Buffer.concat([Buffer.from(head), whole, Buffer.from(rest)]));
            });
        }).listen(0, '127.0.0.1');
        await once(raw, 'listening');
        const other = new Server(options(`http://127.0.0.1:${portOf(raw)}`));
        try {
          sink.begin = async () => {
            await sleep(20);
            sink.pieces = [];
          };
          sink.take = (piece) => {
            sink.pieces.push(piece);
            return sleep(20);
          };
          await other.download({ link: '/downloads/0a1b2c3d/x', call: new Message(), sink });
          assert.ok(sink.content.equals(whole));
        } finally {
          await other.close();
          raw.close();
        }
      });
    }
  });

  it('resumes after a broken connection even if the length is unknown', async () => {
    let first: Socket | undefined;
    stash.answerWith(
      ({ socket }) => {
        socket.write('HTTP/1.0 200 OK\r\n\r\na data');
        first = socket;
      },
      { path: '/downloads', times: 1 },
    );
    sink.take = (piece) => {
      sink.pieces.push(piece);
      // Only now: Node.js 20 treats a reset that arrives together with data as the end.
      first?.resetAndDestroy();
      first = undefined;
      return undefined;
    };
    await download(await link());
    assert.ok(sink.content.equals(stash.backups.content));
    assert.deepEqual(ranges(), [undefined, 'bytes=6-']);
  });

  it('retries after a response that switches protocols', async () => {
    stash.answerWith(
      ({ socket }) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
      },
      { path: '/downloads', times: 1 },
    );
    await download(await link());
    assert.ok(sink.content.equals(stash.backups.content));
    assert.equal(requests().length, 2);
  });
});
