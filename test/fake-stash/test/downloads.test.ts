import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { damaged, database } from '../database';
import { cutAfter, freezeAfter, lengthUntold, lengthWrongBy, slowly, wholeAgain } from '../faults';
import { releases } from '../releases';
import type { FakeStashOptions } from '../fake-stash';
import { type Client, servers } from './client';

const LINK = 'mutation { backupDatabase(input: { download: true }) }';
const credentials = { username: 'ada', password: 'lovelace' };
const downloads = { path: '/downloads' };

describe('Fake server: a link to a backup', () => {
  const start = servers();

  /** Starts a server and makes a link to a backup of 100 kB. */
  async function staged(options?: FakeStashOptions): Promise<Client & { link: string; content: Buffer }> {
    const client = await start(options);
    const content = database({ bytes: 100_000 });
    client.stash.backups.content = content;
    return { ...client, link: String(await client.value(LINK)), content };
  }

  async function bytesOf(answer: Response): Promise<Buffer> {
    return Buffer.from(await answer.arrayBuffer());
  }

  /** Requests without `fetch`, which delays chunks and does not show how a response breaks off. */
  async function fetchRaw(link: string, range?: string): Promise<IncomingMessage> {
    const request = get(link, { agent: false, headers: range === undefined ? {} : { range } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return answer;
  }

  /** Returns all bytes until the connection ends. */
  async function collect(answer: IncomingMessage): Promise<{ bytes: Buffer; complete: boolean }> {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    await new Promise((resolve) => answer.once('close', resolve));
    return { bytes: Buffer.concat(chunks), complete: answer.complete };
  }

  describe('whole', () => {
    for (const release of releases) {
      it(`sends the whole backup uncompressed, as ${release}`, async () => {
        const { link, content } = await staged({ release });
        const answer = await fetch(link, { headers: { 'Accept-Encoding': 'gzip' } });
        const header = (name: string) => answer.headers.get(name);
        assert.deepEqual(await bytesOf(answer), content);
        assert.equal(answer.status, 200);
        assert.equal(header('content-type'), 'application/octet-stream');
        assert.equal(header('content-length'), String(content.length));
        assert.equal(header('content-encoding'), null);
        assert.equal(header('content-disposition'), null);
        assert.equal(header('accept-ranges'), 'bytes');
        assert.match(header('last-modified') ?? '', / GMT$/);
        const uncached = ['v0.23.1', 'v0.25.1', 'v0.28.1', 'v0.30.1', 'documented'].includes(release);
        assert.equal(header('cache-control'), uncached ? 'no-store' : null);
      });
    }

    it('sends a zip archive as application/zip', async () => {
      const { stash, value } = await start();
      stash.backups.content = Buffer.from('PK\x03\x04...');
      const answer = await fetch(String(await value(LINK)));
      assert.equal(answer.headers.get('content-type'), 'application/zip');
    });

    it('sends the backup as it was when the link was created', async () => {
      const { stash, link, content } = await staged();
      stash.backups.content = damaged(content);
      assert.deepEqual(await bytesOf(await fetch(link)), content);
    });

    it('sends the backup if only the hash is right, whatever the file name', async () => {
      const { link } = await staged();
      for (const name of ['x', 'a%20b', 'a%2Fb', 'x%23y%3Fz', 'x/']) {
        assert.equal((await fetch(new URL(name, link))).status, 200, name);
      }
      for (const other of ['.', 'a/b', '../00000000/x']) {
        const answer = await fetch(new URL(other, link));
        assert.deepEqual([answer.status, await answer.text()], [404, '404 page not found\n'], other);
      }
    });

    it('responds with 404 if the file name has a malformed escape', async () => {
      const { link } = await staged();
      const answer = await fetch(new URL('100%.sqlite', link));
      assert.deepEqual([answer.status, await answer.text()], [400, '400 Bad Request']);
    });

    for (const [release, allow] of [
      ['v0.17.2', null],
      ['v0.23.1', 'GET'],
    ] as const) {
      it(`answers HEAD with 405, even without a backup, as ${release}`, async () => {
        const { link } = await staged({ release });
        for (const url of [link, new URL('../00000000/x', link)]) {
          const answer = await fetch(url, { method: 'HEAD' });
          assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow]);
        }
      });
    }
  });

  describe('ranges', () => {
    const size = 102_400;
    for (const [range, status, begin, end] of [
      ['bytes=0-5', 206, 0, 5],
      ['bytes=100-', 206, 100, size - 1],
      ['bytes=-7', 206, size - 7, size - 1],
      ['bytes=0-', 206, 0, size - 1],
      [`bytes=${size - 1}-`, 206, size - 1, size - 1],
      ['bytes=5-99999999', 206, 5, size - 1],
      ['bytes=-99999999', 206, 0, size - 1],
      ['bytes= 0 - 5 , 99999999-', 206, 0, 5],
      ['bytes=0-,0-', 200, 0, size - 1],
      ['bytes=', 200, 0, size - 1],
    ] as const) {
      it(`answers ${range} with ${status}`, async () => {
        const { link, content } = await staged();
        const answer = await fetch(link, { headers: { Range: range } });
        assert.equal(answer.status, status);
        assert.equal(answer.headers.get('content-length'), String(end - begin + 1));
        const expected = status === 206 ? `bytes ${begin}-${end}/${size}` : null;
        assert.equal(answer.headers.get('content-range'), expected);
        assert.deepEqual(await bytesOf(answer), content.subarray(begin, end + 1));
      });
    }

    for (const [range, reason] of [
      [`bytes=${size}-`, 'invalid range: failed to overlap'],
      ['bytes=5-2', 'invalid range'],
      ['bytes=x', 'invalid range'],
      ['bytes=-', 'invalid range'],
      ['bytes=0-1,x', 'invalid range'],
      ['items=0-5', 'invalid range'],
    ] as const) {
      it(`refuses the range ${range} with 416`, async () => {
        const { link } = await staged();
        const answer = await fetch(link, { headers: { Range: range } });
        assert.deepEqual([answer.status, await answer.text()], [416, `${reason}\n`]);
        const expected = reason === 'invalid range' ? null : `bytes */${size}`;
        assert.equal(answer.headers.get('content-range'), expected);
      });
    }

    it('sends several ranges as multipart', async () => {
      const { link } = await staged();
      const answer = await fetch(link, { headers: { Range: 'bytes=0-1,4-5' } });
      assert.equal(answer.status, 206);
      const type = answer.headers.get('content-type') ?? '';
      const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{60})$/.exec(type)?.[1] ?? '';
      const part = (range: string, body: string) =>
        `--${boundary}\r\nContent-Range: bytes ${range}/${size}\r\n` +
        `Content-Type: application/octet-stream\r\n\r\n${body}\r\n`;
      assert.equal(await answer.text(), `${part('0-1', 'SQ')}${part('4-5', 'te')}--${boundary}--\r\n`);
      assert.equal(answer.headers.get('content-length'), '352');
    });

    it('sends the rest only if the backup still has the date in If-Range', async () => {
      const { link } = await staged();
      const dated = (await fetch(link)).headers.get('last-modified') ?? '';
      const earlier = new Date(Date.parse(dated) - 1000).toUTCString();
      const statusFor = async (headers: Record<string, string>) => (await fetch(link, { headers })).status;
      const Range = 'bytes=0-5';
      assert.equal(await statusFor({ Range, 'If-Range': dated }), 206);
      assert.equal(await statusFor({ Range, 'If-Range': earlier }), 200);
      assert.equal(await statusFor({ Range, 'If-Range': '"tag"' }), 200);
      assert.equal(await statusFor({ 'If-Modified-Since': dated }), 304);
      assert.equal(await statusFor({ 'If-Modified-Since': earlier }), 200);
      assert.equal(await statusFor({ 'If-Unmodified-Since': dated }), 200);
      assert.equal(await statusFor({ 'If-Unmodified-Since': earlier }), 412);
    });
  });

  describe('lifetime', () => {
    it('works without a time limit until the first request, then for half a minute', async () => {
      const { stash, link } = await staged();
      stash.clock.stop();
      stash.clock.ahead += 3_600_000;
      await bytesOf(await fetch(link));
      stash.clock.ahead += 29_999;
      await bytesOf(await fetch(link));
      stash.clock.ahead += 2;
      assert.equal((await fetch(link)).status, 404);
    });

    it('works longer while a download runs, even for other clients', async () => {
      const { stash, link, content } = await staged();
      stash.answerWith(freezeAfter(1000), { ...downloads, times: 1 });
      const first = await fetchRaw(link);
      stash.clock.ahead += 60_000;
      const rest = await fetch(link, { headers: { Range: 'bytes=1000-' } });
      assert.deepEqual([rest.status, await bytesOf(rest)], [206, content.subarray(1000)]);
      first.destroy();
      while ((await fetch(link)).status !== 404) await sleep(2);
    });

    it('stops working after a restart of the server', async () => {
      const { stash, link } = await staged();
      await stash.stop();
      await start({ port: stash.port });
      assert.equal((await fetchRaw(link)).statusCode, 404);
    });
  });

  describe('credentials', () => {
    for (const [release, without, wrong, right] of [
      ['v0.9.0', 302, 401, 200],
      ['v0.11.0', 302, 500, 200],
      ['v0.17.2', 302, 500, 200],
      ['v0.23.1', 401, 500, 200],
      ['v0.25.1', 401, 500, 200],
      ['v0.28.1', 401, 401, 200],
      ['v0.30.1', 401, 401, 200],
    ] as const) {
      it(`answers ${without} without a key, ${wrong} for a wrong key and ${right} for the right one, as ${release}`, async () => {
        const { stash, post } = await start({ release, apiKey: 'secret', credentials });
        const signedIn = await fetch(`${stash.url}/login`, {
          method: 'POST',
          body: new URLSearchParams(credentials),
          redirect: 'manual',
        });
        const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
        const response = await (await post(LINK, { Cookie })).text();
        const link = /http:[^"]+/.exec(response)?.[0] ?? '';
        const ask = (headers: Record<string, string>) => fetch(link, { headers, redirect: 'manual' });

        const none = await ask({});
        const location =
          none.status === 302 ? `/login?returnURL=${encodeURIComponent(new URL(link).pathname)}` : null;
        assert.deepEqual([none.status, none.headers.get('location')], [without, location]);
        assert.equal((await ask({ ApiKey: 'other' })).status, wrong);
        assert.equal((await ask({ ApiKey: 'secret' })).status, right);
        const byCookie = await ask({ Cookie });
        assert.equal(byCookie.status, 200);
        assert.match(byCookie.headers.get('set-cookie') ?? '', /^session=/);
      });
    }
  });

  describe('address', () => {
    it('begins with the address that the client used', async () => {
      const { value } = await start();
      assert.match(
        String(await value(LINK)),
        /^http:\/\/127\.0\.0\.1:\d+\/downloads\/[0-9a-f]{8}\/stash-go\.sqlite\.75\.\d{8}_\d{6}$/,
      );
    });

    it('begins with the address that the proxy reports, even if it is wrong', async () => {
      const { post } = await start();
      const headers = {
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Prefix': '/stash/',
        'X-Forwarded-Host': 'other',
      };
      const answer = await (await post(LINK, headers)).text();
      assert.match(answer, /"https:\/\/127\.0\.0\.1:\d+\/stash\/downloads\/[0-9a-f]{8}\//);
    });

    it('contains the name of the database unescaped', async () => {
      const { stash, value } = await start();
      stash.backups.databaseName = 'my #1 database?.sqlite';
      assert.match(String(await value(LINK)), /\/my #1 database\?\.sqlite\.75\.\d{8}_\d{6}$/);
    });

    it("contains the time of the server's clock", async () => {
      const { stash, value } = await start({ zone: '+02:00' });
      stash.clock.stop();
      const digits = stash.clock.second().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
      assert.ok(String(await value(LINK)).endsWith(`.75.${digits}`));
    });
  });

  describe('faults', () => {
    for (const [range, first] of [
      [undefined, 0],
      ['bytes=40000-', 40_000],
    ] as const) {
      const what = range === undefined ? 'a whole backup' : 'a part of a backup';

      for (const bytes of [0, 1, 50_000]) {
        it(`cuts ${what} after ${bytes} bytes, which all arrive`, async () => {
          const { stash, link, content } = await staged();
          stash.answerWith(cutAfter(bytes), downloads);
          const answer = await fetchRaw(link, range);
          assert.equal(answer.statusCode, range === undefined ? 200 : 206);
          assert.equal(answer.headers['content-length'], String(content.length - first));
          assert.deepEqual(await collect(answer), {
            bytes: content.subarray(first, first + bytes),
            complete: false,
          });
        });
      }

      it(`freezes ${what} and keeps the connection open`, async () => {
        const { stash, link } = await staged();
        stash.answerWith(freezeAfter(5000), downloads);
        const answer = await fetchRaw(link, range);
        let got = 0;
        answer.on('data', (chunk: Buffer) => (got += chunk.length)).on('error', () => undefined);
        while (got < 5000) await sleep(2);
        await sleep(50);
        assert.deepEqual([got, answer.destroyed], [5000, false]);
      });

      it(`sends ${what} slowly`, async () => {
        const { stash, link, content } = await staged();
        stash.answerWith(slowly(200_000), downloads);
        const started = performance.now();
        const { bytes, complete } = await collect(await fetchRaw(link, range));
        assert.deepEqual([bytes, complete], [content.subarray(first), true]);
        assert.ok(performance.now() - started > (content.length - first) / 200 - 50);
      });
    }

    it('sends a backup without its length', async () => {
      const { stash, link, content } = await staged();
      stash.answerWith(lengthUntold, downloads);
      const answer = await fetchRaw(link);
      assert.equal(answer.headers['content-length'], undefined);
      assert.deepEqual(await collect(answer), { bytes: content, complete: true });
    });

    for (const [what, difference, complete] of [
      ['fewer bytes than it has', -1000, true],
      ['more bytes than it has', 1000, false],
    ] as const) {
      it(`reports a wrong length: ${what}`, async () => {
        const { stash, link, content } = await staged();
        stash.answerWith(lengthWrongBy(difference), downloads);
        const answer = await fetchRaw(link);
        assert.equal(answer.headers['content-length'], String(content.length + difference));
        const bytes = content.subarray(0, content.length + difference);
        assert.deepEqual(await collect(answer), { bytes, complete });
      });
    }

    it('sends the whole backup although the client requested only the rest', async () => {
      const { stash, link, content } = await staged();
      stash.answerWith(wholeAgain(), { ...downloads, times: 1 });
      const answer = await fetchRaw(link, 'bytes=40000-');
      assert.equal(answer.statusCode, 200);
      assert.deepEqual((await collect(answer)).bytes, content);
      stash.answerWith(wholeAgain(50_000), downloads);
      const { bytes } = await collect(await fetchRaw(link, 'bytes=40000-'));
      assert.deepEqual(bytes, content.subarray(0, 50_000));
      assert.equal(stash.requests.at(-1)?.headers.range, 'bytes=40000-');
    });

    it('cuts a large backup near its end, after all bytes until there arrived', async () => {
      const { stash, value } = await start();
      const content = database({ bytes: 60_000_000 });
      stash.backups.content = content;
      stash.answerWith(cutAfter(50_000_000), downloads);
      const { bytes } = await collect(await fetchRaw(String(await value(LINK))));
      assert.ok(bytes.equals(content.subarray(0, 50_000_000)));
    });
  });
});
