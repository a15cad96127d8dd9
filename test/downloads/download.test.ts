import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { createServer as createNetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { html, redirect, send, text } from '../fake-stash/answers';
import { cutAfter, silence } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { failure, Message, options, portOf } from '../support/connect';
import type { Call } from '../../src/call';
import { fetchWhole } from '../../src/downloads/download';
import type { Sink } from '../../src/downloads/transfer';
import { StashError } from '../../src/errors';
import type { Receive } from '../../src/http/body';
import type { DownloadProgress } from '../../src/records';
import { Server } from '../../src/server/server';

/** Keeps all that it is given. */
class Kept implements Sink {
  begins: (number | null)[] = [];
  pieces: Buffer[] = [];

  begin(total: number | null): Promise<void> | undefined {
    this.begins.push(total);
    this.pieces = [];
    return undefined;
  }

  take(piece: Buffer): Promise<void> | undefined {
    this.pieces.push(piece);
    return undefined;
  }

  get content(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

const KEY = 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk';

describe('A download', () => {
  let stash: FakeStash;
  let server: Server;
  let sink: Kept;

  async function restart(...[settings]: Parameters<typeof FakeStash.start>): Promise<void> {
    await stash.stop();
    stash = await FakeStash.start(settings);
  }

  function connect(changes: object = {}): Server {
    server = new Server(options(stash.url, changes));
    return server;
  }

  /** The link to a backup, which whoever may make one has made. */
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
    server.download({ link: from, call, sink });
  const requests = () => stash.requests.filter(({ path }) => path.startsWith('/downloads'));
  const ranges = () => requests().map(({ headers }) => headers.range);

  beforeEach(async () => {
    stash = await FakeStash.start();
    stash.backups.content = Buffer.alloc(1_000_000, 'a database');
    sink = new Kept();
    connect();
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  it('gives the whole, and tells beforehand how long that is', async () => {
    assert.equal(await download(await link()), 1_000_000);
    assert.ok(sink.content.equals(stash.backups.content));
    assert.deepEqual(sink.begins, [1_000_000]);
    assert.deepEqual(ranges(), [undefined]);
  });

  it('is taken up where the connection broke, again and again', async () => {
    for (const bytes of [300_000, 1, 200_000])
      stash.answerWith(cutAfter(bytes), { path: '/downloads', times: 1 });
    await download(await link());
    assert.ok(sink.content.equals(stash.backups.content));
    assert.equal(sink.begins.length, 1);
    assert.deepEqual(ranges(), [undefined, 'bytes=300000-', 'bytes=300001-', 'bytes=500001-']);
  });

  it('begins anew where the server gives the whole instead of the rest', async () => {
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

  it('is BACKUP_INVALID where what comes later is of something else', async () => {
    stash.answerWith(cutAfter(300_000), { path: '/downloads', times: 1 });
    const rest = { 'Content-Range': 'bytes 300000-899999/900000' };
    stash.answerWith({ status: 206, headers: rest, body: Buffer.alloc(600_000) }, { path: '/downloads' });
    const error = await failure(download(await link()));
    assert.equal(error.case, 'BACKUP_INVALID.changed');
    assert.deepEqual(error.details, { got: '293 KiB / 977 KiB' });
  });

  it('is BACKUP_INVALID once the link is no longer good, and tells how far it came', async () => {
    stash.answerWith(cutAfter(300_000), { path: '/downloads', times: 1 });
    stash.answerWith(text(404, '404 page not found\n'), { path: '/downloads' });
    const error = await failure(download(await link()));
    assert.deepEqual([error.case, error.status, error.retry], ['BACKUP_INVALID.gone', 404, true]);
    assert.deepEqual(error.details, { got: '293 KiB / 977 KiB' });
  });

  it('waits for a server that is busy or starting', async () => {
    stash.answerWith(text(503, 'starting'), { path: '/downloads', times: 1 });
    await download(await link());
    assert.ok(sink.content.equals(stash.backups.content));
  });

  it('is no web page, though it comes with status 200', async () => {
    stash.answerWith(html(200, '<!doctype html><title>Sign in</title>'), { path: '/downloads' });
    const error = await failure(download(await link()));
    assert.deepEqual([error.case, error.status], ['BACKUP_INVALID.page', 200]);
    assert.deepEqual([sink.begins, requests().length], [[], 1]);
  });

  it('follows no redirect, and so takes the key nowhere', async () => {
    await restart({ apiKey: KEY });
    connect({ auth: 'apiKey', apiKey: KEY });
    const strangers: IncomingMessage[] = [];
    const stranger = createServer((request, response) => {
      strangers.push(request);
      response.end('x');
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    try {
      const elsewhere = `http://127.0.0.1:${portOf(stranger)}`;
      stash.answerWith(redirect(`${elsewhere}/backup`), { path: '/downloads', times: 1 });
      const here = await link({ ApiKey: KEY });
      assert.equal((await failure(download(here))).case, 'NOT_STASH.redirect');
      // Nor does the link itself choose the host.
      await download(here.replace(/^http:\/\/[^/]+/, elsewhere));
      assert.equal(requests().at(-1)?.headers['apikey'], KEY);
      assert.deepEqual(strangers, []);
    } finally {
      stranger.close();
    }
  });

  it('tells a sign-in that is missing, in the words of old and of new servers', async () => {
    for (const release of ['v0.11.0', 'v0.30.1'] as const) {
      await restart({ release, apiKey: KEY });
      connect();
      const here = await link({ ApiKey: KEY });
      assert.equal((await failure(download(here))).case, 'UNAUTHORIZED.keyNeeded', release);
      assert.equal(requests().length, 1);
      await server.close();
    }
  });

  it('tells a key that is refused at once, though some servers call that their own error', async () => {
    connect({ auth: 'apiKey', apiKey: KEY });
    // v0.11.0 to v0.25.1
    stash.answerWith(text(500, 'unauthorized\n'), { path: '/downloads' });
    const error = await failure(download(await link()));
    assert.deepEqual([error.case, error.status, error.retry], ['UNAUTHORIZED.keyRefused', 500, false]);
    assert.equal(requests().length, 1);
  });

  it('ends at once when the message does, also amid it', async () => {
    const call = new Message();
    stash.answerWith(silence, { path: '/downloads' });
    const waiting = download(await link(), call);
    waiting.catch(() => undefined);
    while (requests().length === 0) await sleep(2);
    call.end(new StashError('CLOSED.closed'));
    assert.equal((await failure(waiting)).code, 'CLOSED');
  });

  it('asks for no more than the disk takes', async () => {
    stash.backups.content = Buffer.alloc(64 * 1024 * 1024);
    let ready: (() => void) | undefined;
    sink.take = (piece) => {
      sink.pieces.push(piece);
      return new Promise((resolve) => {
        ready = resolve;
      });
    };
    const all = download(await link());
    while (!ready) await sleep(2);
    await sleep(100);
    const taken = sink.content.length;
    assert.ok(taken < 1024 * 1024, `${taken} bytes`);
    sink.take = (piece) => {
      sink.pieces.push(piece);
      return undefined;
    };
    ready();
    assert.equal(await all, 64 * 1024 * 1024);
  });

  describe('whose connection ends while the disk is not ready', () => {
    const whole = Buffer.alloc(300_000, 'a database');
    const answers: [what: string, head: string, rest: string][] = [
      [
        'as it must after such an answer',
        `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n`,
        '',
      ],
      ['without having told its length', 'HTTP/1.0 200 OK\r\n\r\n', ''],
      [
        'in pieces of their own length',
        'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n493e0\r\n',
        '\r\n0\r\n\r\n',
      ],
    ];
    for (const [what, head, rest] of answers) {
      it(`${what}, is whole all the same`, async () => {
        const raw = createNetServer((socket) => {
          socket
            .on('error', () => undefined)
            .once('data', () => {
              // Its beginning comes in one with the head.
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

  it('is not whole where its connection breaks, though it has told no length', async () => {
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
      // Not before: Node.js 20 takes a reset that comes along with data for the end.
      first?.resetAndDestroy();
      first = undefined;
      return undefined;
    };
    await download(await link());
    assert.ok(sink.content.equals(stash.backups.content));
    assert.deepEqual(ranges(), [undefined, 'bytes=6-']);
  });

  it('ends with what is wrong with the disk, and is not asked for again', async () => {
    const full = new StashError('DISK.filled', { details: { folder: '/backups', got: '1 MiB / 2 MiB' } });
    for (const take of [
      () => {
        throw full;
      },
      () => Promise.reject(full),
    ]) {
      sink.take = take;
      assert.equal(await failure(download(await link())), full);
    }
    assert.equal(requests().length, 2);
  });

  it('is no answer that changes the protocol, and asked for again', async () => {
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

describe('A download that breaks', () => {
  let clock: SinonFakeTimers;
  let call: Message;
  let told: DownloadProgress[];
  let sink: Kept;

  /** What an answer does with the sink, from the byte that was asked for. */
  type Answer = (offset: number, receive: Receive, signal: AbortSignal) => Promise<void>;

  const TOTAL = 1000;
  const header = (offset: number) => (name: string) =>
    ({ 'content-length': String(TOTAL), 'content-range': `bytes ${offset}-${TOTAL - 1}/${TOTAL}` })[name] ??
    '';
  const lost = () =>
    new StashError('UNREACHABLE.lost', { details: { url: 'u', host: 'h', code: 'ECONNRESET' }, retry: true });

  /** So many bytes, then what `end` does. */
  function gives(bytes: number, end: () => void = () => undefined): Answer {
    return (offset, receive) => {
      const receiver = receive({ status: offset === 0 ? 200 : 206, header: header(offset) });
      void receiver?.take(Buffer.alloc(bytes));
      end();
      return Promise.resolve();
    };
  }

  const breaks = (bytes: number) =>
    gives(bytes, () => {
      throw lost();
    });
  const refuses: Answer = () => Promise.reject(lost());
  const keepsSilent =
    (bytes: number): Answer =>
    async (offset, receive, signal) => {
      await gives(bytes)(offset, receive, signal);
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    };

  const keepsSilentFor =
    (milliseconds: number): Answer =>
    async (offset, receive, signal) => {
      await sleepFor(milliseconds);
      await gives(TOTAL)(offset, receive, signal);
    };

  /** Answers as listed, the last one again and again; tells when it was asked, and for what. */
  function fetchFrom(...answers: [Answer, ...Answer[]]) {
    const asked: [seconds: number, offset: number][] = [];
    const whole = fetchWhole(
      'http://nas:9999',
      async (offset, receive, signal) => {
        asked.push([performance.now() / 1000, offset]);
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        await answer?.(offset, receive, signal);
      },
      sink,
      { signal: call.signal, waiting: call.waiting, onDownload: (progress) => told.push(progress) },
    );
    whole.catch(() => undefined);
    return { whole, asked };
  }

  beforeEach(() => {
    clock = useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    call = new Message();
    told = [];
    sink = new Kept();
  });
  afterEach(() => {
    clock.restore();
  });

  it('is taken up a moment later, as long as each request brings more', async () => {
    const { whole, asked } = fetchFrom(breaks(100), breaks(100), gives(800));
    await clock.tickAsync(250);
    assert.equal(await whole, TOTAL);
    assert.deepEqual(asked, [
      [0, 0],
      [0.125, 100],
      [0.25, 200],
    ]);
  });

  it('is given up half a minute after the link was first asked for, if nothing more comes', async () => {
    const { whole, asked } = fetchFrom(breaks(100), refuses);
    await clock.tickAsync(30_000);
    const error = await failure(whole);
    assert.equal(error.case, 'UNREACHABLE.download');
    assert.deepEqual(error.details, { url: 'http://nas:9999', code: 'ECONNRESET', got: '100 B / 1000 B' });
    assert.equal(error.retry, true);
    assert.deepEqual(
      asked.map(([seconds]) => seconds),
      [0, 0.125, 0.375, 0.875, 1.875, 3.875, 7.875, 11.875, 15.875, 19.875, 23.875, 27.875],
    );
  });

  it('that never began is told as what it is', async () => {
    const { whole } = fetchFrom(refuses);
    await clock.tickAsync(30_000);
    assert.equal((await failure(whole)).case, 'UNREACHABLE.lost');
  });

  it('later than that is tried once more, as the server may not have noticed', async () => {
    const { whole, asked } = fetchFrom(async (offset, receive) => {
      const receiver = receive({ status: 200, header: header(offset) });
      for (const bytes of [400, 100]) {
        await sleepFor(40_000);
        void receiver?.take(Buffer.alloc(bytes));
      }
      throw lost();
    }, refuses);
    await clock.tickAsync(80_125);
    assert.equal((await failure(whole)).case, 'UNREACHABLE.download');
    assert.deepEqual(asked, [
      [0, 0],
      [80.125, 500],
    ]);
  });

  it('into silence is ended after a minute and taken up; twice in a row is too often', async () => {
    const { whole, asked } = fetchFrom(keepsSilent(100), keepsSilent(0));
    await clock.tickAsync(120_125);
    const error = await failure(whole);
    assert.equal(error.case, 'TIMEOUT.download');
    assert.deepEqual(error.details, { seconds: 60, got: '100 B / 1000 B' });
    assert.deepEqual(asked, [
      [0, 0],
      [60.125, 100],
    ]);
  });

  it('into silence is told as that, also where the server has dropped the link since', async () => {
    const { whole } = fetchFrom(keepsSilent(100), () =>
      Promise.reject(new StashError('BACKUP_INVALID.gone')),
    );
    await clock.tickAsync(60_125);
    const error = await failure(whole);
    assert.deepEqual([error.case, error.details['got']], ['TIMEOUT.download', '100 B / 1000 B']);
  });

  it('is not one whose disk takes more than a minute', async () => {
    sink.take = () => sleepFor(100_000);
    const { whole, asked } = fetchFrom(async (offset, receive) => {
      const receiver = receive({ status: 200, header: header(offset) });
      await receiver?.take(Buffer.alloc(TOTAL));
    });
    await clock.tickAsync(100_000);
    assert.equal(await whole, TOTAL);
    assert.equal(asked.length, 1);
  });

  it('waits for what the disk is at before it is taken up, or ends with the message', async () => {
    let busy = 0;
    const work = async () => {
      busy += 1;
      await sleepFor(5_000);
      busy -= 1;
    };
    sink.begin = work;
    sink.take = work;
    const before: number[] = [];
    const noting =
      (answer: Answer): Answer =>
      (...request) => {
        before.push(busy);
        return answer(...request);
      };
    const begins: Answer = (offset, receive) => {
      receive({ status: 200, header: header(offset) });
      return Promise.reject(lost());
    };
    const { whole } = fetchFrom(noting(begins), noting(breaks(100)), noting(keepsSilent(100)));
    await clock.tickAsync(17_000);
    call.end(new StashError('CLOSED.closed'));
    const ended = failure(whole).then(() => before.push(busy));
    await clock.tickAsync(5_000);
    await ended;
    assert.deepEqual(before, [0, 0, 0, 0]);
    assert.equal(clock.countTimers(), 0);
  });

  it('ends with the message also where all is there that the disk is still at', async () => {
    sink.take = () => sleepFor(5_000);
    const { whole } = fetchFrom(gives(TOTAL));
    await clock.tickAsync(1);
    call.end(new StashError('CLOSED.closed'));
    await clock.tickAsync(5_000);
    assert.equal((await failure(whole)).code, 'CLOSED');
  });

  it('begins with whatever comes first, and learns how long it is from a part, too', async () => {
    const part =
      (bytes: number, contentRange: string): Answer =>
      (_offset, receive) => {
        const receiver = receive({
          status: 206,
          header: (name) => (name === 'content-range' ? contentRange : ''),
        });
        void receiver?.take(Buffer.alloc(bytes));
        return Promise.resolve();
      };
    const { whole } = fetchFrom(part(400, 'bytes 0-399/1000'), part(600, 'bytes 400-999/1000'));
    await clock.tickAsync(125);
    assert.equal(await whole, TOTAL);
    assert.deepEqual(sink.begins, [TOTAL]);
  });

  it('ends with what is wrong with the disk, whatever its connection does meanwhile', async () => {
    const full = new StashError('DISK.filled', { details: { folder: '/backups', got: '0 B / 1000 B' } });
    sink.take = () => Promise.reject(full);
    for (const answer of [gives(TOTAL), breaks(300)]) {
      const { whole, asked } = fetchFrom(answer);
      const ended = failure(whole);
      await clock.tickAsync(60_000);
      assert.equal(await ended, full);
      assert.equal(asked.length, 1);
    }
  });

  it('by ending early, without an error, is taken up too', async () => {
    const { whole, asked } = fetchFrom(gives(999), gives(1));
    await clock.tickAsync(125);
    assert.equal(await whole, TOTAL);
    assert.deepEqual(asked.at(-1), [0.125, 999]);
  });

  it('tells each second how far it is, and once that all is there', async () => {
    const { whole } = fetchFrom(async (offset, receive) => {
      const receiver = receive({ status: 200, header: header(offset) });
      for (const bytes of [400, 200, 0, 400]) {
        await sleepFor(900);
        void receiver?.take(Buffer.alloc(bytes));
      }
    });
    await clock.tickAsync(10_000);
    await whole;
    const total = TOTAL;
    assert.deepEqual(told, [
      { percent: 40, bytes: 400, total, bytesPerSecond: 400 },
      { percent: 60, bytes: 600, total, bytesPerSecond: 300 },
      { percent: 60, bytes: 600, total, bytesPerSecond: 200 },
      { percent: 100, bytes: 1000, total, bytesPerSecond: 231 },
    ]);
  });

  it('tells no rate while nothing comes, as soon as that is known', async () => {
    const { whole } = fetchFrom(breaks(400), keepsSilent(100), gives(500));
    await clock.tickAsync(65_000);
    await whole;
    const rates = told.map(({ bytesPerSecond }) => bytesPerSecond);
    assert.deepEqual(rates.slice(0, 6), [100, 50, 33, 0, 0, 0]);
    assert.deepEqual([...new Set(rates.slice(3, -1))], [0]);
    assert.equal(told.at(-1)?.percent, 100);
  });

  it('does not end Node-RED where telling how far it is fails', async () => {
    const fault = new Error('a fault');
    const whole = fetchWhole('http://nas:9999', keepsSilentFor(2_000), sink, {
      signal: call.signal,
      waiting: call.waiting,
      onDownload: () => {
        throw fault;
      },
    });
    const ended = assert.rejects(whole, fault);
    await clock.tickAsync(2_000);
    await ended;
  });

  it('ends its pauses with the message', async () => {
    const { whole } = fetchFrom(refuses);
    await clock.tickAsync(100);
    call.end(new StashError('CLOSED.closed'));
    assert.equal((await failure(whole)).code, 'CLOSED');
  });
});

/** By the clock of the test. */
function sleepFor(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
