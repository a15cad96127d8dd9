import assert from 'node:assert/strict';
import { type SinonFakeTimers, useFakeTimers } from 'sinon';
import { failure, Message } from '../support/connect';
import { MemorySink } from '../support/kept';
import { fetchWhole } from '../../src/downloads/download';
import { StashError } from '../../src/errors';
import type { Receive } from '../../src/http/dispatch';
import type { DownloadProgress } from '../../src/records';

describe('A resumable download', () => {
  let clock: SinonFakeTimers;
  let call: Message;
  let reports: DownloadProgress[];
  let sink: MemorySink;

  /** Sends a response to the sink, from the requested byte on. */
  type Answer = (offset: number, receive: Receive, signal: AbortSignal) => Promise<void>;

  const TOTAL = 1000;
  const header = (offset: number) => (name: string) =>
    ({ 'content-length': String(TOTAL), 'content-range': `bytes ${offset}-${TOTAL - 1}/${TOTAL}` })[name] ??
    '';
  const lost = () =>
    new StashError('UNREACHABLE.lost', { details: { url: 'u', host: 'h', code: 'ECONNRESET' }, retry: true });

  /** Responds with some bytes, then calls `end`. */
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

  /** Gives these responses in order, and repeats the last one. Records the time and the offset of each request. */
  function fetchFrom(...answers: [Answer, ...Answer[]]) {
    const requests: [seconds: number, offset: number][] = [];
    const versions: (string | undefined)[] = [];
    const whole = fetchWhole(
      'http://nas:9999',
      async (offset, receive, signal, version) => {
        requests.push([performance.now() / 1000, offset]);
        versions.push(version);
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        await answer?.(offset, receive, signal);
      },
      sink,
      {
        signal: call.signal,
        waiting: call.waiting,
        report: (news) => 'download' in news && reports.push(news.download),
      },
    );
    whole.catch(() => undefined);
    return { whole, requests, versions };
  }

  beforeEach(() => {
    clock = useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    call = new Message();
    reports = [];
    sink = new MemorySink();
  });
  afterEach(() => {
    clock.restore();
  });

  it('resumes shortly after each break, as long as each request brings more data', async () => {
    const { whole, requests } = fetchFrom(breaks(100), breaks(100), gives(800));
    await clock.tickAsync(250);
    assert.equal(await whole, TOTAL);
    assert.deepEqual(requests, [
      [0, 0],
      [0.125, 100],
      [0.25, 200],
    ]);
  });

  it('gives up after half a minute if no more data arrives', async () => {
    const { whole, requests } = fetchFrom(breaks(100), refuses);
    await clock.tickAsync(30_000);
    const error = await failure(whole);
    assert.equal(error.case, 'UNREACHABLE.download');
    assert.deepEqual(error.details, { url: 'http://nas:9999', code: 'ECONNRESET', got: '100 B / 1000 B' });
    assert.equal(error.retry, true);
    assert.deepEqual(
      requests.map(([seconds]) => seconds),
      [0, 0.125, 0.375, 0.875, 1.875, 3.875, 7.875, 11.875, 15.875, 19.875, 23.875, 27.875],
    );
  });

  it('reports the connection error if it never began', async () => {
    const { whole } = fetchFrom(refuses);
    await clock.tickAsync(30_000);
    assert.equal((await failure(whole)).case, 'UNREACHABLE.lost');
  });

  it('retries once if the connection breaks after more than half a minute', async () => {
    const { whole, requests } = fetchFrom(async (offset, receive) => {
      const receiver = receive({ status: 200, header: header(offset) });
      for (const bytes of [400, 100]) {
        await sleepFor(40_000);
        void receiver?.take(Buffer.alloc(bytes));
      }
      throw lost();
    }, refuses);
    await clock.tickAsync(80_125);
    assert.equal((await failure(whole)).case, 'UNREACHABLE.download');
    assert.deepEqual(requests, [
      [0, 0],
      [80.125, 500],
    ]);
  });

  it('resumes after a minute without data, and gives up after a second one', async () => {
    const { whole, requests } = fetchFrom(keepsSilent(100), keepsSilent(0));
    await clock.tickAsync(120_125);
    const error = await failure(whole);
    assert.equal(error.case, 'TIMEOUT.download');
    assert.deepEqual(error.details, { seconds: 60, got: '100 B / 1000 B' });
    assert.deepEqual(requests, [
      [0, 0],
      [60.125, 100],
    ]);
  });

  it('reports the minute without data even if the link has expired meanwhile', async () => {
    const { whole } = fetchFrom(keepsSilent(100), () =>
      Promise.reject(new StashError('BACKUP_INVALID.gone', { details: { got: '0 B' } })),
    );
    await clock.tickAsync(60_125);
    const error = await failure(whole);
    assert.deepEqual([error.case, error.details['got']], ['TIMEOUT.download', '100 B / 1000 B']);
  });

  it('does not treat a slow disk as a minute without data', async () => {
    sink.take = () => sleepFor(100_000);
    const { whole, requests } = fetchFrom(async (offset, receive) => {
      const receiver = receive({ status: 200, header: header(offset) });
      await receiver?.take(Buffer.alloc(TOTAL));
    });
    await clock.tickAsync(100_000);
    assert.equal(await whole, TOTAL);
    assert.equal(requests.length, 1);
  });

  it('waits for the disk before it resumes or ends', async () => {
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

  it('ends with its message while the disk still writes the last bytes', async () => {
    sink.take = () => sleepFor(5_000);
    const { whole } = fetchFrom(gives(TOTAL));
    await clock.tickAsync(1);
    call.end(new StashError('CLOSED.closed'));
    await clock.tickAsync(5_000);
    assert.equal((await failure(whole)).code, 'CLOSED');
  });

  it('reads its length from a partial response, too', async () => {
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

  /** Responds with some bytes of a file with these validators, as the whole file or as the rest that was requested. */
  function versioned(bytes: number, validators: Record<string, string>, status?: number): Answer {
    return (offset, receive) => {
      const receiver = receive({
        status: status ?? (offset === 0 ? 200 : 206),
        header: (name) => validators[name] ?? header(offset)(name),
      });
      void receiver?.take(Buffer.alloc(bytes));
      return Promise.resolve();
    };
  }

  const monday = { 'last-modified': 'Mon, 23 Nov 2026 03:00:00 GMT' };
  const tuesday = { 'last-modified': 'Tue, 24 Nov 2026 03:00:00 GMT' };

  for (const [what, validators, version] of [
    ['its ETag', { etag: '"a"', ...monday }, '"a"'],
    ['its time if it has no ETag', monday, monday['last-modified']],
    ['nothing if its ETag is weak', { etag: 'W/"a"', ...monday }, undefined],
    ['nothing if the server sends neither', {}, undefined],
  ] as const) {
    it(`names, with a request for the rest, ${what}`, async () => {
      const { whole, versions } = fetchFrom(versioned(400, validators), versioned(600, validators));
      await clock.tickAsync(125);
      assert.equal(await whole, TOTAL);
      assert.deepEqual(versions, [undefined, version]);
    });
  }

  for (const [what, before, now] of [
    ['another ETag', { etag: '"a"' }, { etag: '"b"' }],
    ['another weak ETag', { etag: 'W/"a"' }, { etag: 'W/"b"' }],
    ['another time', monday, tuesday],
  ] as const) {
    it(`is refused if the rest has ${what}: that is another file`, async () => {
      const { whole } = fetchFrom(versioned(400, before), versioned(600, now));
      const ended = failure(whole);
      await clock.tickAsync(125);
      const { case: which, retry } = await ended;
      assert.deepEqual([which, retry], ['BACKUP_INVALID.changed', true]);
    });
  }

  for (const [what, before, now] of [
    ['a weak form of the ETag, as some proxies make it', { etag: '"a"' }, { etag: 'W/"a"' }],
    ['no ETag any more', { etag: '"a"', ...monday }, monday],
    ['a time that was unknown', {}, monday],
  ] as const) {
    it(`is whole if the rest has ${what}`, async () => {
      const { whole } = fetchFrom(versioned(400, before), versioned(600, now));
      await clock.tickAsync(125);
      assert.equal(await whole, TOTAL);
      assert.deepEqual(sink.begins, [TOTAL]);
    });
  }

  it('compares the rest with the file that it has begun again', async () => {
    const { whole, versions } = fetchFrom(
      versioned(400, monday),
      versioned(500, tuesday, 200),
      versioned(500, tuesday),
    );
    await clock.tickAsync(1000);
    assert.equal(await whole, TOTAL);
    assert.deepEqual(versions, [undefined, monday['last-modified'], tuesday['last-modified']]);
  });

  it('ends with the error of the disk, whatever the connection does', async () => {
    const full = new StashError('DISK.filled', { details: { folder: '/backups', got: '0 B / 1000 B' } });
    sink.take = () => Promise.reject(full);
    for (const answer of [gives(TOTAL), breaks(300)]) {
      const { whole, requests } = fetchFrom(answer);
      const ended = failure(whole);
      await clock.tickAsync(60_000);
      assert.equal(await ended, full);
      assert.equal(requests.length, 1);
    }
  });

  it('resumes after a response that ends too early', async () => {
    const { whole, requests } = fetchFrom(gives(999), gives(1));
    await clock.tickAsync(125);
    assert.equal(await whole, TOTAL);
    assert.deepEqual(requests.at(-1), [0.125, 999]);
  });

  it('reports progress every second, and 100 % only once', async () => {
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
    assert.deepEqual(reports, [
      { percent: 40, bytes: 400, total, bytesPerSecond: 400 },
      { percent: 60, bytes: 600, total, bytesPerSecond: 300 },
      { percent: 60, bytes: 600, total, bytesPerSecond: 200 },
      { percent: 100, bytes: 1000, total, bytesPerSecond: 231 },
    ]);
  });

  it('reports a rate of 0 while no data arrives', async () => {
    const { whole } = fetchFrom(breaks(400), keepsSilent(100), gives(500));
    await clock.tickAsync(65_000);
    await whole;
    const rates = reports.map(({ bytesPerSecond }) => bytesPerSecond);
    assert.deepEqual(rates.slice(0, 6), [100, 50, 33, 0, 0, 0]);
    assert.deepEqual([...new Set(rates.slice(3, -1))], [0]);
    assert.equal(reports.at(-1)?.percent, 100);
  });

  it('ends with the error of a progress listener, which does not end Node-RED', async () => {
    const fault = new Error('a fault');
    const whole = fetchWhole('http://nas:9999', keepsSilentFor(2_000), sink, {
      signal: call.signal,
      waiting: call.waiting,
      report: () => {
        throw fault;
      },
    });
    const ended = assert.rejects(whole, fault);
    await clock.tickAsync(2_000);
    await ended;
  });

  it('stops waiting for a retry when its message ends', async () => {
    const { whole } = fetchFrom(refuses);
    await clock.tickAsync(100);
    call.end(new StashError('CLOSED.closed'));
    assert.equal((await failure(whole)).code, 'CLOSED');
  });
});

/** Waits on the fake clock of the test. */
function sleepFor(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
