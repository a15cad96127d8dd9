import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import sinon from 'sinon';
import { TestServer, failure, Message, options } from '../support/connect';
import { passTimeLimit } from '../support/time-limit';
import { RawServer, GOOD, type Reply, SIGNED_OUT, type RawRequest } from '../support/raw-server';
import { Address } from '../../src/http/address';
import { readCredentials } from '../../src/http/credentials';
import { RequestLog } from '../../src/http/request-log';
import { Transport } from '../../src/http/transport';
import type { ServerOptions } from '../../src/server/options';

const USERNAME = 'amy & co';
const WRONG = 'Username or password is invalid';

/** The responses of a server to a sign-in: up to v0.28, and from v0.29 on. */
const releases: Record<string, { good: (cookie: string) => Reply; bad: Reply }> = {
  'up to v0.28': {
    good: (cookie) => ({ status: 302, headers: { location: '/', 'set-cookie': cookie } }),
    bad: { status: 200, headers: { 'content-type': 'text/html' }, body: `<html><p>${WRONG}</p></html>` },
  },
  'v0.29 and later': {
    good: (cookie) => ({ status: 200, headers: { 'set-cookie': cookie } }),
    bad: { status: 401, headers: { 'content-type': 'text/plain' }, body: `${WRONG}\n` },
  },
};

describe('A session', () => {
  let origin: RawServer;
  let servers: TestServer[];
  /** Each test has its own password, because the refusal of a password is remembered for a minute. */
  let password: string;
  let passwords = 0;
  /** The valid cookies of the server. */
  let known: Set<string>;
  let release: (typeof releases)[string];
  let renew: boolean;

  beforeEach(async () => {
    password = `p4ss wörd+${++passwords}`;
    known = new Set();
    renew = false;
    release = releases['v0.29 and later'] as typeof release;
    servers = [];
    origin = await RawServer.open(answer);
  });
  afterEach(async () => {
    for (const server of servers) await server.close();
    await origin.close();
  });

  function answer({ path, body, headers }: RawRequest): Reply {
    if (path === '/login') {
      const form = new URLSearchParams(body);
      const isKnown = form.get('username') === USERNAME && form.get('password') === password;
      return isKnown ? release.good(`${newCookie()}; Path=/; Max-Age=3600`) : release.bad;
    }
    const cookie = /session=[^;]+/.exec(headers.cookie ?? '')?.[0] ?? '';
    if (!known.has(cookie)) return SIGNED_OUT;
    return renew ? { ...GOOD, headers: { ...GOOD.headers, 'set-cookie': `${newCookie()}; Path=/` } } : GOOD;
  }

  function newCookie(): string {
    const cookie = `session=c00kie-${known.size + 1}`;
    known.add(cookie);
    return cookie;
  }

  function connect(changes: Partial<ServerOptions> = {}, schema?: null): TestServer {
    const login = { auth: 'session', username: USERNAME, password };
    const server = new TestServer(options(origin.url, { ...login, ...changes }), schema);
    servers.push(server);
    return server;
  }

  function openTransport(): Transport {
    return new Transport({
      address: new Address(origin.url),
      credentials: readCredentials({ auth: 'session', username: USERNAME, password }),
      network: {},
      timeout: 5,
      log: new RequestLog('nas', undefined),
    });
  }

  function signIns(): RawRequest[] {
    return origin.at('/login');
  }

  for (const [name, answers] of Object.entries(releases)) {
    describe(`with a server of ${name}`, () => {
      beforeEach(() => {
        release = answers;
      });

      it('begins with the first request, and every request sends its cookie', async () => {
        const server = connect();
        assert.equal(signIns().length, 0);
        await server.query();
        await server.query();

        assert.equal(signIns().length, 1);
        assert.equal(signIns()[0]?.headers['content-type'], 'application/x-www-form-urlencoded');
        assert.equal(signIns()[0]?.headers.cookie, undefined);
        assert.deepEqual(
          origin.at('/graphql').map(({ headers }) => headers.cookie),
          ['session=c00kie-1', 'session=c00kie-1'],
        );
      });

      it('sends a wrong password once for all messages, and not again for a minute', async () => {
        const clock = sinon.useFakeTimers({ toFake: ['performance'] });
        try {
          const server = connect({ password: `not ${password}` });
          const batch = () => Promise.all(Array.from({ length: 50 }, () => failure(server.query())));
          for (const { case: which, status, retry } of await batch()) {
            assert.deepEqual([which, retry], ['UNAUTHORIZED.signInRefused', false]);
            assert.equal(status, release.bad.status);
          }
          assert.equal(signIns().length, 1);
          clock.tick(59_000);
          for (const { case: which, details } of await batch()) {
            assert.deepEqual([which, details], ['UNAUTHORIZED.signInPaused', { seconds: 1 }]);
          }
          assert.equal(signIns().length, 1);
          clock.tick(1_001);
          const scans = await Promise.all(Array.from({ length: 50 }, () => failure(server.scan())));
          for (const { code } of scans) assert.equal(code, 'UNAUTHORIZED');
          assert.equal(signIns().length, 2);
          assert.equal(origin.at('/graphql').length, 0);
        } finally {
          clock.restore();
        }
      });
    });
  }

  it('signs in once for fifty messages, and once more after it expires', async () => {
    const server = connect();
    const batch = () => Promise.all(Array.from({ length: 50 }, () => server.query()));
    await batch();
    assert.equal(signIns().length, 1);
    known.clear();
    await batch();
    assert.equal(signIns().length, 2);
    // Requests in flight with the old cookie were retried; the others already had the new one.
    assert.ok(origin.at('/graphql').length <= 150);
  });

  it('continues with a renewed cookie', async () => {
    renew = true;
    const server = connect();
    for (let round = 0; round < 3; round += 1) await server.query();

    assert.deepEqual(
      origin.at('/graphql').map(({ headers }) => headers.cookie),
      ['session=c00kie-1', 'session=c00kie-2', 'session=c00kie-3'],
    );
  });

  it('does not sign in again if another response has already renewed the cookie', async () => {
    const server = connect();
    await server.query();
    let held: (() => void) | undefined;
    origin.answer = async (request) => {
      if (request.body.includes('metadataScan')) {
        await new Promise<void>((resolve) => (held = resolve));
        origin.answer = answer;
        return SIGNED_OUT;
      }
      renew = true;
      return answer(request);
    };
    const scan = server.query('{ metadataScan }');
    while (!held) await setTimeout(1);
    await server.query();
    held();
    await scan;

    assert.equal(signIns().length, 1);
    assert.equal(origin.at('/graphql').at(-1)?.headers.cookie, 'session=c00kie-2');
  });

  for (const [how, reply] of [
    ['401', SIGNED_OUT],
    ['a redirect to its sign-in page', { status: 302, headers: { location: '/login?returnURL=%2Fgraphql' } }],
  ] as const) {
    it(`that has expired is renewed for a mutation, too, after ${how}`, async () => {
      const server = connect();
      await server.scan();
      let refusals = 0;
      origin.answer = (request) =>
        request.body.includes('metadataScan') && refusals++ === 0 ? reply : answer(request);
      assert.equal(await server.scan(), '1');

      assert.equal(signIns().length, 2);
      assert.equal(origin.requests.filter(({ body }) => body.includes('metadataScan')).length, 3);
    });
  }

  it('that has expired is not renewed for a look-up whose message has ended', async () => {
    const server = connect();
    let respond: (() => void) | undefined;
    origin.answer = async (request) => {
      if (!request.body.includes('scrapeSitePerformerList')) return answer(request);
      if (request.body.includes('Robin')) {
        await new Promise<void>((resolve) => (respond = resolve));
        return SIGNED_OUT;
      }
      return { ...GOOD, body: JSON.stringify({ data: { scrapeSitePerformerList: [] } }) };
    };
    const message = new Message();
    const ended = assert.rejects(server.search('Robin', message), { message: 'removed' });
    while (!respond) await setTimeout(1);
    message.end(new Error('removed'));
    await ended;
    respond();
    // The next look-up is sent only after the first one.
    await server.search('Hana');

    assert.equal(origin.requests.filter(({ body }) => body.includes('Robin')).length, 1);
    assert.equal(signIns().length, 1);
  });

  it('that cannot be renewed leads to an error that allows a retry, because the mutation has not run', async () => {
    const server = connect();
    await server.scan();
    origin.answer = ({ path, body }) => {
      if (path === '/login') return { status: 502 };
      return body.includes('metadataScan') ? SIGNED_OUT : GOOD;
    };
    const error = await failure(server.scan());
    assert.deepEqual([error.case, error.status, error.retry], ['HTTP.status', 502, true]);
  });

  it('does not delay a redeploy while it signs in', async () => {
    origin.answer = () => undefined;
    const server = connect();
    const pending = failure(server.query());
    while (signIns().length === 0) await setTimeout(1);
    await server.close();
    assert.equal((await pending).case, 'CLOSED.closed');
  });

  it('does not begin with a request that is already aborted', async () => {
    const transport = openTransport();
    const signal = AbortSignal.abort(new Error('given up'));
    const request = { document: '{ version }', pool: 'messages', signal, trace: { sent: false } } as const;
    await assert.rejects(transport.post(request), { message: 'given up' });
    await setTimeout(50);
    await transport.close();
    assert.deepEqual(origin.requests, []);
  });

  it('does not delay an aborted socket while it signs in', async () => {
    origin.answer = () => undefined;
    const transport = openTransport();
    const controller = new AbortController();
    const opening = assert.rejects(transport.openSocket({}, controller.signal), { message: 'given up' });
    while (signIns().length === 0) await setTimeout(1);
    controller.abort(new Error('given up'));
    await opening;
    await transport.close();
  });

  it('fails after one retry if the server refuses it right after the sign-in', async () => {
    origin.answer = (request) => (request.path === '/login' ? answer(request) : SIGNED_OUT);
    const error = await failure(connect().query());

    assert.deepEqual([error.case, error.status, error.retry], ['UNAUTHORIZED.sessionRefused', 401, false]);
    assert.equal(signIns().length, 2);
    assert.equal(origin.at('/graphql').length, 2);
  });

  it('does not send refused credentials again after a redeploy', async () => {
    const wrong = { password: `not ${password}` };
    await failure(connect(wrong).query());
    assert.equal((await failure(connect(wrong).query())).case, 'UNAUTHORIZED.signInPaused');
    assert.equal(signIns().length, 1);

    await connect().query();
    await failure(connect({ password: `${password}!` }).query());
    assert.equal(signIns().length, 3, 'other credentials are sent at once');
    assert.equal((await failure(connect(wrong).query())).case, 'UNAUTHORIZED.signInPaused');
  });

  describe('with a failed sign-in', () => {
    const html = { 'content-type': 'text/html' };
    for (const [how, reply, expected, retry] of [
      ['an error of the server', { status: 500 }, 'HTTP.status', true],
      ['a proxy that does not reach the server', { status: 502, headers: html }, 'HTTP.status', true],
      ['an unknown page', { status: 200, headers: html, body: '<h1>Authelia</h1>' }, 'NOT_STASH.page', false],
      [
        'a cookie of another program',
        { status: 200, headers: { 'set-cookie': 'my_session=1' } },
        'NOT_STASH.page',
        false,
      ],
      ['a missing page', { status: 404, headers: html }, 'NOT_STASH.notGraphQL', false],
      ['a response of another API', { ...GOOD, body: '{}' }, 'NOT_STASH.notGraphQL', false],
      ['an error with the words of a refusal', { status: 500, body: WRONG }, 'HTTP.status', true],
      [
        'a redirect back to the page',
        { status: 302, headers: { location: '/login?returnURL=%2F' } },
        'UNAUTHORIZED.sessionRefused',
        false,
      ],
      [
        'a redirect',
        { status: 302, headers: { location: 'https://auth.example/' } },
        'NOT_STASH.redirect',
        false,
      ],
      [
        'an address that has moved',
        { status: 308, headers: { location: '/x' } },
        'NOT_STASH.redirect',
        false,
      ],
      [
        'a reverse proxy',
        { status: 401, headers: { 'www-authenticate': 'Basic' } },
        'UNAUTHORIZED.gate',
        false,
      ],
      ['a reverse proxy without details', { status: 401 }, 'UNAUTHORIZED.gate', false],
    ] as const) {
      it(`reports ${how} and tries again next time`, async () => {
        origin.answer = (request) => (request.path === '/login' ? reply : answer(request));
        const server = connect();
        const error = await failure(server.scan());
        assert.deepEqual([error.case, error.status, error.retry], [expected, reply.status, retry]);
        origin.answer = answer;
        await server.query();
        assert.equal(signIns().length, 2);
      });
    }

    it('times out after the time limit of a query if the server is silent', async () => {
      origin.answer = () => undefined;
      const server = connect({ timeout: 5, lookupTimeout: 90 });
      const search = () => failure(server.search('Robin'));
      const error = await passTimeLimit(5, search, () => signIns().length > 0);

      assert.deepEqual([error.case, error.retry], ['TIMEOUT.noAnswer', true]);
      origin.answer = answer;
      await server.query();
    });
  });

  it('sends a wrong password once for messages that still need the schema, and fails them all', async () => {
    const server = connect({ password: `not ${password}` }, null);
    const errors = await Promise.all(Array.from({ length: 50 }, () => failure(server.query())));

    for (const error of errors) assert.equal(error.case, 'UNAUTHORIZED.signInRefused');
    assert.equal(signIns().length, 1);
  });

  it('signs in for the other messages if one of them ends', async () => {
    let go: (() => void) | undefined;
    origin.answer = async (request) => {
      if (request.path === '/login') await new Promise<void>((resolve) => (go = resolve));
      return answer(request);
    };
    const server = connect();
    const [first, second] = [new Message(), new Message()];
    const ended = server.query(undefined, first).catch((error: unknown) => error);
    const pending = server.query(undefined, second);
    while (signIns().length === 0) await setTimeout(1);
    const reason = new Error('reset');
    first.end(reason);
    assert.equal(await ended, reason);
    go?.();
    await pending;

    assert.equal(signIns().length, 1);
    assert.equal(origin.at('/graphql').length, 1, 'the ended message sends no request');
  });

  it('is found among the cookies of a reverse proxy', async () => {
    origin.answer = (request) => {
      if (request.path !== '/login') return answer(request);
      return { status: 200, headers: { 'set-cookie': ['my_session=1', newCookie(), 'gate=1'] } };
    };
    await connect().query();
    assert.equal(origin.requests.at(-1)?.headers.cookie, 'session=c00kie-1');
  });

  it('needs a username and a password', () => {
    for (const missing of [{ username: '' }, { password: '' }, { username: undefined }]) {
      assert.throws(() => connect(missing), { case: 'UNAUTHORIZED.loginMissing' });
    }
  });

  it('does not reveal the password or the cookie in an error or the log', async () => {
    renew = true;
    const lines: string[] = [];
    const server = connect({ log: (line) => lines.push(line) });
    await server.query();
    const exposed: unknown[] = [];
    origin.answer = ({ headers }) => {
      const errors = [{ message: `${headers.cookie ?? ''} ${password} ${encodeURIComponent(password)}` }];
      return { ...GOOD, body: JSON.stringify({ errors, data: null }) };
    };
    exposed.push(await failure(server.query()));
    origin.answer = (request) => ({ ...release.bad, body: `${WRONG} ${request.body}` });
    exposed.push(await failure(connect({ password: `${password}!` }).query()), lines);

    const everything = inspect(exposed, { depth: 10 });
    assert.match(everything, /•••/);
    assert.match(everything, /login 127\.0\.0\.1:\d+: 200, \d+ ms, 0 bytes/);
    for (const secret of [password, encodeURIComponent(password), 'c00kie', 'wörd']) {
      assert.ok(!everything.includes(secret), secret);
    }
  });
});
