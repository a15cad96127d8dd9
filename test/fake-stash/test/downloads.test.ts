import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { damaged, database } from '../database';
import { freezeAfter } from '../faults';
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
      });
    }

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

    it('answers HEAD with 405, even without a backup', async () => {
      const { link } = await staged();
      for (const url of [link, new URL('../00000000/x', link)]) {
        assert.equal((await fetch(url, { method: 'HEAD' })).status, 405);
      }
    });
  });

  describe('ranges', () => {
    const size = 102_400;
    for (const [range, begin, end] of [
      ['bytes=0-5', 0, 5],
      ['bytes=100-', 100, size - 1],
      ['bytes=0-', 0, size - 1],
      [`bytes=${size - 1}-`, size - 1, size - 1],
      ['bytes=5-99999999', 5, size - 1],
    ] as const) {
      it(`answers ${range} with a part`, async () => {
        const { link, content } = await staged();
        const answer = await fetch(link, { headers: { Range: range } });
        assert.equal(answer.status, 206);
        assert.equal(answer.headers.get('content-length'), String(end - begin + 1));
        assert.equal(answer.headers.get('content-range'), `bytes ${begin}-${end}/${size}`);
        assert.deepEqual(await bytesOf(answer), content.subarray(begin, end + 1));
      });
    }

    for (const [range, reason] of [
      [`bytes=${size}-`, 'invalid range: failed to overlap'],
      ['bytes=x', 'invalid range'],
    ] as const) {
      it(`refuses the range ${range} with 416`, async () => {
        const { link } = await staged();
        const answer = await fetch(link, { headers: { Range: range } });
        assert.deepEqual([answer.status, await answer.text()], [416, `${reason}\n`]);
        const expected = reason === 'invalid range' ? null : `bytes */${size}`;
        assert.equal(answer.headers.get('content-range'), expected);
      });
    }

    for (const [what, version, status] of [
      ['a part if the file is as it was', (time: string) => time, 206],
      ['the whole file if it is from another time', () => 'Mon, 01 Jan 2001 00:00:00 GMT', 200],
      ['the whole file if an ETag is expected, which it never sends', () => '"a"', 200],
    ] as const) {
      it(`answers a range that expects a version with ${what}`, async () => {
        const { link } = await staged();
        const time = (await fetch(link)).headers.get('last-modified') ?? '';
        const answer = await fetch(link, { headers: { Range: 'bytes=5-', 'If-Range': version(time) } });
        assert.equal(answer.status, status);
      });
    }
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
});
