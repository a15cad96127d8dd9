import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import sinon from 'sinon';
import { readCredentials } from '../../src/http/credentials';
import type { ServerOptions } from '../../src/server/options';
import { Server } from '../../src/server/server';
import { failure, options, TestServer } from '../support/connect';
import { GOOD, RawServer, type Reply, SIGNED_OUT } from '../support/raw-server';

const BASIC = `Basic ${Buffer.from('gatekeeper:g4te p4ss').toString('base64')}`;
const FURTHER = { Authorization: BASIC, 'CF-Access-Client-Id': 'abc.access', Cookie: 'gate=0pen; other=1' };

describe('Credentials', () => {
  it('may have spaces and line breaks around an API key', () => {
    const { headers, secrets } = readCredentials({ auth: 'apiKey', apiKey: ' k3y\n' });
    assert.deepEqual([headers, secrets], [{ ApiKey: 'k3y' }, ['k3y']]);
  });

  it('of an unknown kind are refused, because no request could succeed', () => {
    assert.throws(() => readCredentials({ auth: 'oauth' }), { case: 'UNAUTHORIZED.unknownMethod' });
  });
});

it('An API key that Stash rejects is not sent again for a minute', async () => {
  const origin = await RawServer.open(() => SIGNED_OUT);
  const server = new TestServer(options(origin.url, { auth: 'apiKey', apiKey: 'a-key' }));
  const clock = sinon.useFakeTimers({ toFake: ['performance'] });
  try {
    assert.equal((await failure(server.query())).case, 'UNAUTHORIZED.keyRefused');
    clock.tick(59_000);
    const { case: which, details } = await failure(server.query());
    assert.deepEqual(
      [which, details, origin.requests.length],
      ['UNAUTHORIZED.signInPaused', { seconds: 1 }, 1],
    );
    clock.tick(1_001);
    assert.equal((await failure(server.query())).case, 'UNAUTHORIZED.keyRefused');
    origin.answer = () => GOOD;
    clock.tick(60_001);
    await server.query();
  } finally {
    clock.restore();
    await server.close();
    await origin.close();
  }
});

it('An API key whose user may not do one thing is sent again at once for another', async () => {
  const refusal = { ...GOOD, body: '{"errors":[{"message":"unauthorized"}],"data":null}' };
  const origin = await RawServer.open(({ body }) => (body.includes('metadataScan') ? refusal : GOOD));
  const server = new TestServer(options(origin.url, { auth: 'apiKey', apiKey: 'a-key' }));
  try {
    const { case: which, retry } = await failure(server.scan());
    assert.deepEqual([which, retry], ['UNAUTHORIZED.notAllowed', false]);
    await server.query();
    assert.equal((await failure(server.scan())).case, 'UNAUTHORIZED.notAllowed');
  } finally {
    await server.close();
    await origin.close();
  }
});

describe('Additional headers', () => {
  let origin: RawServer;
  beforeEach(async () => {
    origin = await RawServer.open(() => GOOD);
  });
  afterEach(() => origin.close());

  async function ask(changes: object, headers: object = FURTHER): Promise<unknown> {
    const server = new TestServer(options(origin.url, { headers: JSON.stringify(headers), ...changes }));
    try {
      return await server.query();
    } finally {
      await server.close();
    }
  }

  it('are sent with every request', async () => {
    await ask({});
    await ask({ auth: 'apiKey', apiKey: 'key' });

    for (const { headers } of origin.requests) {
      assert.equal(headers.authorization, BASIC);
      assert.equal(headers['cf-access-client-id'], 'abc.access');
      assert.equal(headers.cookie, 'gate=0pen; other=1');
      assert.equal(headers['content-type'], 'application/json');
    }
    assert.equal(origin.requests[1]?.headers['apikey'], 'key');
  });

  it('are sent with a sign-in, and their cookie is sent beside the session cookie', async () => {
    origin.answer = ({ path }) =>
      path === '/login' ? { status: 200, headers: { 'set-cookie': 'session=s1; Path=/' } } : GOOD;
    await ask({ auth: 'session', username: 'amy', password: 'secret' });

    const [signIn, query] = origin.requests;
    assert.equal(signIn?.headers.authorization, BASIC);
    assert.equal(signIn.headers.cookie, 'gate=0pen; other=1');
    assert.equal(query?.headers.cookie, 'gate=0pen; other=1; session=s1');
    assert.equal(query.headers.authorization, BASIC);
  });

  it('are sent only to the configured origin', async () => {
    const elsewhere = await RawServer.open(() => GOOD);
    origin.answer = () => ({ status: 307, headers: { location: `${elsewhere.url}/graphql` } });
    assert.equal((await failure(ask({}))).case, 'NOT_STASH.redirect');
    assert.deepEqual(elsewhere.requests, []);
    await elsewhere.close();
  });

  for (const challenge of ['Basic realm="gate"', 'Bearer', 'Digest realm="x", nonce="y"']) {
    it(`are suggested if a reverse proxy responds with 401 and ${challenge}`, async () => {
      origin.answer = () => ({ status: 401, headers: { 'www-authenticate': challenge } });
      for (const changes of [{}, { auth: 'apiKey', apiKey: 'key' }]) {
        const error = await failure(ask(changes));
        assert.deepEqual([error.case, error.status, error.retry], ['UNAUTHORIZED.gate', 401, false]);
      }
    });
  }

  it('are not suggested if the server itself responds with 401', async () => {
    origin.answer = () => SIGNED_OUT;
    assert.equal((await failure(ask({}))).case, 'UNAUTHORIZED.keyNeeded');
    assert.equal((await failure(ask({ auth: 'apiKey', apiKey: 'key' }))).case, 'UNAUTHORIZED.keyRefused');
  });

  for (const text of [
    '{',
    'Basic abc',
    '[]',
    '"text"',
    'null',
    '5',
    '{"A":5}',
    '{"A":null}',
    '{"A B":"x"}',
    '{"":"x"}',
    '{"A":"x\\ny"}',
    '{"A":"日"}',
  ]) {
    it(`cannot be ${text}`, () => {
      assert.throws(() => readCredentials({ auth: 'none', headers: text }), { case: 'NO_SERVER.badHeaders' });
    });
  }

  for (const name of [
    'Host',
    'Content-Length',
    'content-type',
    'CONNECTION',
    'Transfer-Encoding',
    'ApiKey',
    'Accept',
    'X-Forwarded-For',
    'Proxy-Authorization',
  ]) {
    it(`cannot set ${name}`, () => {
      const headers = JSON.stringify({ 'X-Gate': '1', [name]: 'x' });
      assert.throws(() => readCredentials({ auth: 'none', headers }), {
        case: 'NO_SERVER.headerNotAllowed',
        details: { name: name.toLowerCase() },
      });
    });
  }

  for (const text of [undefined, '', '  ', '{}']) {
    it(`are empty if the setting is ${inspect(text)}`, () => {
      assert.deepEqual(readCredentials({ auth: 'none', headers: text }).headers, {});
    });
  }

  it('are secrets, but not those with an address or a name of a program', () => {
    const headers = JSON.stringify({
      ...{ 'X-Gate': 's3cret', Origin: 'http://stash.example:9999', Referer: 'http://stash.example:9999/' },
      ...{ 'User-Agent': 'Node-RED of the home', 'X-Forwarded-Host': 'stash.example' },
    });
    assert.deepEqual(readCredentials({ auth: 'none', headers }).secrets, ['s3cret']);
  });

  const secretOf: [what: string, name: string, value: string, parts: string[]][] = [
    ['each value of a cookie', 'Cookie', 'gate=0pen ; other=m0re', ['0pen', 'm0re']],
    ['a token', 'Authorization', 'Bearer  t0ken', ['t0ken']],
    ['no single word of several', 'X-Gate', 'a s3cret sentence', []],
    [
      'a username with its password, and the password',
      'Authorization',
      BASIC,
      [BASIC.slice(6), 'gatekeeper:g4te p4ss', 'g4te p4ss'],
    ],
  ];
  for (const [what, name, value, parts] of secretOf) {
    it(`are secrets as a whole; so is ${what}`, () => {
      const headers = JSON.stringify({ [name]: value });
      assert.deepEqual(readCredentials({ auth: 'none', headers }).secrets, [value, ...parts]);
    });
  }

  it('appear in no error, neither whole nor in parts', async () => {
    const secrets = [
      BASIC,
      BASIC.slice(6),
      'gatekeeper:g4te p4ss',
      'g4te p4ss',
      'abc.access',
      '0pen',
      'k3y.k3y',
    ];
    const echo = [...secrets, ...secrets.map((secret) => encodeURIComponent(secret))].join(' | ');
    const reply = (errors: object[]): Reply => ({ ...GOOD, body: JSON.stringify({ errors, data: null }) });
    origin.answer = () => reply([{ message: echo.slice(0, 250) }]);
    const error = await failure(ask({ auth: 'apiKey', apiKey: 'k3y.k3y' }));
    origin.answer = () => reply([{ message: echo.slice(-250) }]);
    const another = await failure(ask({ auth: 'apiKey', apiKey: 'k3y.k3y' }));

    const everything = inspect([error, another], { depth: 5 });
    assert.match(everything, /•••/);
    for (const secret of secrets) assert.ok(!everything.includes(secret), secret);
  });
});

describe('The identity of a connection', () => {
  const URL = 'http://nas.example:9999';
  const identity = (changes: Partial<ServerOptions> = {}, url = URL) =>
    new Server(options(url, changes)).identity;
  // With hyphens, because random base64 may have three letters of any word.
  const key = { auth: 'apiKey', apiKey: 'k3y-of-nas' };
  const login = { auth: 'session', username: 'amy-pond', password: 's3cret-word' };

  it('is the same for all config nodes with the same address and credentials', () => {
    for (const same of [{}, key, login]) assert.equal(identity(same), identity({ ...same, timeout: 7 }));
    assert.equal(identity({}, `${URL}/graphql`), identity());
    const headers = '{"x-gate": "a", "x-door": "b"}';
    assert.equal(identity({ headers }), identity({ headers: '{"X-Door": "b", "X-Gate": "a"}' }));
  });

  it('differs for each other address or credential', () => {
    const all = [
      identity(),
      identity({}, 'http://other.example:9999'),
      identity({ headers: '{"x-gate": "a"}' }),
      identity({ headers: '{"x-gate": "b"}' }),
      identity(key),
      identity({ ...key, apiKey: 'other' }),
      identity(login),
      identity({ ...login, username: 'bob' }),
      identity({ ...login, password: 'other' }),
    ];
    assert.equal(new Set(all).size, all.length);
  });

  it('does not reveal the credentials', () => {
    assert.doesNotMatch(identity(key) + identity(login), /k3y-of-nas|amy-pond|s3cret-word/);
  });
});
