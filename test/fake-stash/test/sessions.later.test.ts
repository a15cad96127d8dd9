import assert from 'node:assert/strict';
import type { Release } from '../releases';
import type { FakeStash } from '../fake-stash';
import { servers } from './client';

const VERSION = '{ version { version } }';
const credentials = { username: 'ada', password: 'pass word&more' };
const ages = ['v0.9.0', 'v0.17.2', 'v0.28.1', 'v0.30.1', 'documented'] as const satisfies Release[];

describe('Fake server: sessions', () => {
  const start = servers();

  function login(stash: FakeStash, form: Record<string, string>, headers: Record<string, string> = {}) {
    const body = new URLSearchParams(form);
    return fetch(`${stash.url}/login`, { method: 'POST', body, headers, redirect: 'manual' });
  }

  /** Returns the cookie that a client must send back. */
  function cookieOf(answer: Response): string {
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  for (const release of ages) {
    const byStatus = release === 'v0.30.1' || release === 'documented';

    it(`begin with the right password, as ${release}`, async () => {
      const { stash, post } = await start({ release, credentials });
      assert.equal((await post(VERSION)).status, 401);
      const answer = await login(stash, credentials);
      assert.deepEqual(
        [answer.status, answer.headers.get('location'), await answer.text()],
        [byStatus ? 200 : 302, byStatus ? null : '/', ''],
      );
      assert.match(
        answer.headers.get('set-cookie') ?? '',
        /^session=[^;]+; Path=\/; Expires=[^;]+ GMT; Max-Age=3600$/,
      );
      const known = await post(VERSION, { Cookie: `theme=dark; ${cookieOf(answer)}` });
      assert.equal(known.status, 200);
    });

    it(`do not begin with a wrong password, as ${release}`, async () => {
      const { stash } = await start({ release, credentials });
      const answer = await login(stash, { ...credentials, password: 'x' });
      assert.equal(answer.status, byStatus ? 401 : 200);
      assert.match(answer.headers.get('content-type') ?? '', byStatus ? /^text\/plain/ : /^text\/html/);
      assert.match(await answer.text(), /Username or password is invalid/);
      assert.equal(answer.headers.get('set-cookie'), null);
    });

    it(`begin with any password if there are no credentials, as ${release}`, async () => {
      const { stash } = await start({ release });
      assert.match(cookieOf(await login(stash, { username: 'x' })), /^session=/);
    });
  }

  it('do not begin with a wrong API key in the request', async () => {
    const { stash } = await start({ credentials });
    assert.equal((await login(stash, credentials, { ApiKey: 'x' })).status, 401);
  });

  it('get a new cookie with each response, and the old one stays valid', async () => {
    const { stash, post } = await start({ credentials });
    const first = cookieOf(await login(stash, credentials));
    const second = cookieOf(await post(VERSION, { Cookie: first }));
    assert.match(second, /^session=/);
    assert.notEqual(second, first);
    assert.equal((await post(VERSION, { Cookie: first })).status, 200);
    assert.equal((await post(VERSION, { Cookie: second })).status, 200);
  });

  it('end all at once if a test wants that', async () => {
    const { stash, post } = await start({ credentials });
    const cookie = cookieOf(await login(stash, credentials));
    stash.expireSessions();
    assert.equal((await post(VERSION, { Cookie: cookie })).status, 401);
    const next = cookieOf(await login(stash, credentials));
    assert.equal((await post(VERSION, { Cookie: next })).status, 200);
  });

  it('survive a restart of the server', async () => {
    const { stash } = await start({ credentials });
    const cookie = cookieOf(await login(stash, credentials));
    await stash.stop();
    const { post } = await start({ credentials, port: stash.port });
    assert.equal((await post(VERSION, { Cookie: cookie })).status, 200);
  });

  it('need a signed cookie, and an API key has priority over it', async () => {
    const { stash, post } = await start({ credentials, apiKey: 'secret' });
    assert.equal((await post(VERSION, { Cookie: 'session=MTcwNDg4MDAwMHxE' })).status, 401);
    const cookie = cookieOf(await login(stash, credentials));
    assert.equal((await post(VERSION, { Cookie: cookie, ApiKey: 'x' })).status, 401);
    const byKey = await post(VERSION, { Cookie: cookie, ApiKey: 'secret' });
    assert.deepEqual([byKey.status, byKey.headers.get('set-cookie')], [200, null]);
  });
});
