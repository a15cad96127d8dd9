import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { certificate } from '../support/certificate';
import { TestServer, failure, freePort, Message, options, portOf } from '../support/connect';
import { RawServer, GOOD } from '../support/raw-server';
import { ForwardProxy } from '../support/forward-proxy';
import type { StashError } from '../../src/errors';
import { Address } from '../../src/http/address';
import { readCredentials } from '../../src/http/credentials';
import { proxyFor, readProxy } from '../../src/http/proxy';
import { RequestLog } from '../../src/http/request-log';
import { Transport } from '../../src/http/transport';
import type { ServerOptions } from '../../src/server/options';
import { timing } from '../../src/timing';

const VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]);
const PASSWORD = 'pr0xy p4ss+word';

describe('Through a proxy', () => {
  let proxy: ForwardProxy;
  let plain: RawServer;
  let secure: RawServer;
  let environment: NodeJS.ProcessEnv;

  beforeEach(async () => {
    environment = { ...process.env };
    for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
    proxy = await ForwardProxy.start();
    plain = await RawServer.open(() => GOOD);
    secure = await RawServer.open(() => GOOD, certificate);
  });
  afterEach(async () => {
    for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
    await Promise.all([proxy.stop(), plain.close(), secure.close()]);
  });

  /** Returns the two ways to use a proxy. */
  function origins(): { origin: RawServer; line: string }[] {
    return [
      { origin: plain, line: `POST ${plain.url}/graphql` },
      { origin: secure, line: `CONNECT ${secure.host}` },
    ];
  }

  async function use<T>(
    origin: RawServer,
    changes: Partial<ServerOptions>,
    task: (server: TestServer) => Promise<T>,
  ): Promise<T> {
    const tls = { ca: certificate.cert };
    const server = new TestServer(options(origin.url, { tls, auth: 'apiKey', apiKey: 'k3y', ...changes }));
    try {
      return await task(server);
    } finally {
      await server.close();
    }
  }

  const chosen = (more: object = {}) => ({ proxy: { url: proxy.url, except: [], ...more } });
  const scan = (server: TestServer) => server.scan();
  const fail = (server: TestServer): Promise<StashError> => failure(server.scan());

  it('plain requests use the absolute address, and TLS uses a tunnel', async () => {
    for (const { origin, line } of origins()) {
      proxy.requests.length = 0;
      assert.equal(await use(origin, chosen(), scan), '1');

      assert.deepEqual([...new Set(proxy.lines)], [line]);
      assert.equal(origin.requests.length, 2, 'the state check and the scan');
      for (const { path, headers } of origin.requests) {
        assert.deepEqual([path, headers.host, headers['apikey']], ['/graphql', origin.host, 'k3y']);
      }
    }
    assert.equal(proxy.requests[0]?.headers['apikey'], undefined, 'a tunnel request contains no key');
  });

  it('a download uses the same routes', async () => {
    for (const { origin, line } of origins()) {
      proxy.requests.length = 0;
      const pieces: Buffer[] = [];
      const sink = {
        begin: () => undefined,
        take: (piece: Buffer) => {
          pieces.push(piece);
          return undefined;
        },
      };
      const link = 'http://nas:9999/downloads/0a1b2c3d/stash';
      await use(origin, chosen(), (server) => server.download({ link, call: new Message(), sink }));

      assert.equal(Buffer.concat(pieces).toString(), GOOD.body);
      assert.deepEqual(proxy.lines, [
        line.replace(/^POST (.*)\/graphql$/, 'GET $1/downloads/0a1b2c3d/stash'),
      ]);
      const [{ path, headers } = assert.fail()] = origin.requests;
      assert.deepEqual(
        [path, headers.host, headers['apikey']],
        ['/downloads/0a1b2c3d/stash', origin.host, 'k3y'],
      );
    }
  });

  it('a download reports an error of the proxy', async () => {
    proxy.login = `amy:${PASSWORD}`;
    const sink = { begin: () => undefined, take: () => undefined };
    for (const { origin } of origins()) {
      const link = '/downloads/0a1b2c3d/stash';
      const error = await failure(
        use(origin, chosen(), (server) => server.download({ link, call: new Message(), sink })),
      );
      assert.equal(error.case, 'UNREACHABLE.proxySignIn');
    }
  });

  it('fifty messages use at most sixteen tunnels', async () => {
    await use(secure, chosen(), (server) => Promise.all(Array.from({ length: 50 }, () => server.query())));
    assert.ok(proxy.requests.length <= 16, String(proxy.requests.length));
    assert.equal(secure.requests.length, 50);
  });

  it('the proxy credentials go to the proxy and nowhere else', async () => {
    proxy.login = `amy:${PASSWORD}`;
    for (const { origin } of origins()) {
      await use(origin, chosen({ username: 'amy', password: PASSWORD }), scan);
      const url = `http://amy:${encodeURIComponent(PASSWORD)}@${proxy.host}`;
      await use(origin, chosen({ url }), scan);
      for (const { headers } of secure.requests) assert.equal(headers['proxy-authorization'], undefined);
    }
  });

  describe('from the environment', () => {
    for (const upper of [false, true]) {
      const set = (name: string, value: string) => {
        process.env[upper ? name.toUpperCase() : name] = value;
      };

      it(`each scheme has its own proxy (${upper ? 'upper' : 'lower'} case)`, async () => {
        set('http_proxy', proxy.host);
        await use(secure, {}, scan);
        assert.deepEqual(proxy.lines, []);
        await use(plain, {}, scan);
        assert.match(proxy.lines.join(), /^POST/);
        proxy.requests.length = 0;
        set('https_proxy', proxy.url);
        await use(secure, {}, scan);
        assert.match(proxy.lines.join(), /^CONNECT/);
      });

      it(`no_proxy excludes hosts (${upper ? 'upper' : 'lower'} case)`, async () => {
        set('http_proxy', proxy.url);
        const [, port = ''] = plain.host.split(':');
        for (const [list, isExcepted] of [
          ['127.0.0.1', true],
          ['nas, 127.0.0.1', true],
          ['*', true],
          [`127.0.0.1:${port}`, true],
          ['.0.0.1', true],
          ['*.0.0.1', true],
          ['192.168.0.0/16, 127.0.0.0/8', true],
          ['192.168.0.0/16', false],
          ['127.0.0.0/33', false],
          ['::/0', false],
          ['127.0.0.1:1', false],
          ['27.0.0.1', false],
          ['nas,,::1', false],
          ['', false],
        ] as const) {
          proxy.requests.length = 0;
          set('no_proxy', list);
          await use(plain, {}, (server) => server.query());
          assert.equal(proxy.requests.length, isExcepted ? 0 : 1, list);
        }
      });
    }

    it('the configured proxy replaces both the proxy and no_proxy of the environment', async () => {
      process.env['http_proxy'] = 'http://127.0.0.1:1';
      process.env['no_proxy'] = '*';
      await use(plain, chosen(), scan);
      assert.equal(proxy.requests.length, 2);
    });

    it('an unusable proxy address leads to NO_SERVER', async () => {
      for (const url of ['socks5://127.0.0.1:1080', 'http://']) {
        process.env['http_proxy'] = url;
        assert.equal((await use(plain, {}, fail)).case, 'NO_SERVER.badProxy');
      }
    });
  });

  it('requests to excepted hosts are direct', async () => {
    for (const { origin } of origins()) await use(origin, chosen({ except: ['127.0.0.1'] }), scan);
    assert.deepEqual(proxy.lines, []);
  });

  const excepted: [url: string, entry: string, isExcepted: boolean][] = [
    ['http://nas.example', ' NAS.Example ', true],
    ['http://nas.example', 'example', true],
    ['http://nas.example', 'nas', false],
    ['https://nas.example', 'nas.example:443', true],
    ['https://nas.example', 'nas.example:80', false],
    ['http://[fd00::20]:9999', 'fd00::20', true],
    ['http://[fd00::20]:9999', '[fd00::20]:9999', true],
    ['http://[fd00::20]:9999', 'fd00::2', false],
    ['http://nas.', '', false],
    ['http://nas.', '.', false],
  ];
  for (const [url, entry, isExcepted] of excepted) {
    it(`requests to ${url} are ${isExcepted ? '' : 'not '}direct if "${entry}" is excepted`, () => {
      const found = proxyFor(new Address(url), { url: 'http://proxy:3128', except: [entry] });
      assert.equal(found === undefined, isExcepted);
    });
  }

  const logins: [what: string, url: string, username: string, password: string, login: string | undefined][] =
    [
      ['no login', ' http://proxy:3128 ', '', '', undefined],
      ['a username alone', 'http://amy@proxy:3128', '', '', 'amy:'],
      ['a password alone', 'http://proxy:3128', '', 's3cret', ':s3cret'],
      ['a login in its address', 'http://amy:50%25%2B@proxy:3128', '', '', 'amy:50%+'],
      ['an unescaped percent sign in its address', 'http://amy:50%@proxy:3128', '', '', 'amy:50%'],
      ['a login beside that in its address', 'http://amy:x@proxy:3128', 'bob', 's3cret', 'bob:s3cret'],
      ['no protocol, and a whole address in its query', 'proxy:3128/?x=http://y', '', '', undefined],
    ];
  for (const [what, url, username, password, login] of logins) {
    it(`a proxy may have ${what}`, () => {
      const { host, headers } = readProxy({ url, except: [], username, password });
      assert.equal(host, 'proxy:3128');
      const basic = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
      assert.equal(headers['proxy-authorization'], basic);
    });
  }

  it('an invalid proxy address leads to NO_SERVER', () => {
    for (const url of ['', 'ftp://proxy', 'http://', 'socks://proxy:1', 'nohttp://proxy']) {
      assert.throws(() => new TestServer(options(plain.url, chosen({ url }))), {
        case: 'NO_SERVER.badProxy',
      });
    }
  });

  it('an unreachable proxy leads to UNREACHABLE.proxy', async () => {
    for (const [host, code] of [
      [`127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
      ['no-such-proxy.invalid:3128', /ENOTFOUND|EAI_AGAIN/],
    ] as const) {
      for (const { origin } of origins()) {
        const error = await use(origin, chosen({ url: `http://amy:${PASSWORD}@${host}` }), fail);
        assert.deepEqual([error.case, error.retry], ['UNREACHABLE.proxy', true]);
        assert.equal(error.details['host'], host);
        assert.match(String(error.details['code']), new RegExp(code));
        const login = { auth: 'session', username: 'amy', password: 'x' };
        const signIn = await use(origin, { ...login, ...chosen({ url: `http://${host}` }) }, fail);
        assert.equal(signIn.case, 'UNREACHABLE.proxy');
      }
    }
  });

  for (const [status, which, retry] of [
    [407, 'UNREACHABLE.proxySignIn', false],
    [403, 'UNREACHABLE.proxyRefused', false],
    [500, 'UNREACHABLE.proxyRefused', true],
    [502, 'UNREACHABLE.proxyRefused', true],
  ] as const) {
    it(`a tunnel that the proxy refuses with ${status} leads to ${which}`, async () => {
      if (status === 407) proxy.login = 'amy:another one';
      else proxy.refuse = status;
      const error = await use(secure, chosen({ username: 'amy', password: PASSWORD }), fail);

      assert.deepEqual([error.case, error.retry], [which, retry]);
      assert.deepEqual(error.details, { url: secure.url, host: proxy.host, code: status });
      assert.deepEqual(secure.requests, []);
    });
  }

  it('no request that the proxy refuses with 407 reaches the server, not even a mutation', async () => {
    proxy.login = 'amy:another one';
    const errorCases: string[] = [];
    plain.answer = () => GOOD;
    for (const task of [fail, (server: TestServer) => failure(server.query())]) {
      const error = await use(plain, chosen({ username: 'amy', password: PASSWORD }), task);
      errorCases.push(error.case);
      assert.deepEqual(error.details, { url: plain.url, host: proxy.host, code: 407 });
    }
    assert.deepEqual(errorCases, ['UNREACHABLE.proxySignIn', 'UNREACHABLE.proxySignIn']);
    assert.deepEqual(plain.requests, []);
  });

  it('403 to a request through a proxy names the proxy, because either may have refused', async () => {
    plain.answer = () => ({ status: 403, headers: { 'Content-Type': 'text/html' }, body: 'Forbidden' });
    const error = await use(plain, chosen(), fail);
    assert.deepEqual([error.case, error.status], ['HTTP.proxied', 403]);
    assert.deepEqual(error.details, { host: proxy.host, status: 403 });
  });

  it('a mutation that the proxy refuses has not run', async () => {
    plain.answer = () => {
      proxy.login = 'amy:another one';
      return GOOD;
    };
    const error = await use(plain, chosen(), fail);
    assert.equal(plain.requests.length, 1, 'the state check');
    assert.equal(error.case, 'UNREACHABLE.proxySignIn');
  });

  it('a lost response leads to OUTCOME_UNKNOWN as without a proxy', async () => {
    for (const { origin } of origins()) {
      origin.answer = ({ body }) => {
        if (!body.includes('metadataScan')) return GOOD;
        origin.cut();
        return undefined;
      };
      assert.equal((await use(origin, chosen(), fail)).code, 'OUTCOME_UNKNOWN');
    }
  });

  it('a tunnel that never opens times out, no request is sent, and the connection ends with the server', async () => {
    const silent = createServer((connection) => connection.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const connecting = once(silent, 'connection') as Promise<[Socket]>;
    const url = `http://127.0.0.1:${portOf(silent)}`;
    const error = await use(secure, { ...chosen({ url }), timeout: 0.2 }, fail).finally(() => silent.close());
    assert.equal(error.case, 'TIMEOUT.noAnswer');
    const [connection] = await connecting;
    if (!connection.closed) await once(connection, 'close', { signal: AbortSignal.timeout(1000) });
  });

  it('a tunnel that does not open in the time for connections leads to UNREACHABLE.proxy', async () => {
    const usual = timing.connections;
    timing.connections = { ...usual, connect: 50 };
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${portOf(silent)}`;
    try {
      const error = await use(secure, chosen({ url }), fail);
      assert.deepEqual([error.case, error.retry], ['UNREACHABLE.proxy', true]);
    } finally {
      timing.connections = usual;
      silent.close();
    }
  });

  it('no WebSocket is opened, because jobs can be polled', async () => {
    for (const { origin } of origins()) {
      const transport = new Transport({
        address: new Address(origin.url),
        credentials: readCredentials({ auth: 'none' }),
        network: chosen(),
        timeout: 5,
        log: new RequestLog('nas', undefined),
      });
      assert.equal(await transport.openSocket({}, new AbortController().signal), undefined);
      await transport.close();
    }
    assert.deepEqual(proxy.requests, []);
  });

  it('sessions work as without a proxy', async () => {
    const isIn = (cookie = '') => cookie === 'session=s1';
    for (const { origin } of origins()) {
      origin.answer = ({ path, headers }) => {
        if (path === '/login') return { status: 200, headers: { 'set-cookie': 'session=s1' } };
        return isIn(headers.cookie) ? GOOD : { status: 401 };
      };
      await use(origin, { ...chosen(), auth: 'session', username: 'amy', password: 'x' }, scan);
      assert.equal(origin.at('/login').length, 1);
    }
  });

  it('the proxy password appears in no error', async () => {
    const seen: unknown[] = [];
    const url = `http://amy:${encodeURIComponent(PASSWORD)}@${proxy.host}`;
    const login = Buffer.from(`amy:${PASSWORD}`).toString('base64');
    for (const { origin } of origins()) {
      const errors = [{ message: `${PASSWORD} ${encodeURIComponent(PASSWORD)} Basic ${login}` }];
      origin.answer = () => ({ ...GOOD, body: JSON.stringify({ errors, data: null }) });
      seen.push(await use(origin, chosen({ url }), fail));
      proxy.login = 'other:one';
      seen.push(await use(origin, chosen({ url }), fail));
      proxy.login = '';
    }
    const everything = inspect(seen, { depth: 5 });
    assert.match(everything, /•••/);
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), login]) {
      assert.ok(!everything.includes(secret), secret);
    }
  });
});
