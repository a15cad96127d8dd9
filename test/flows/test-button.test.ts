import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import { useFakeTimers } from 'sinon';
import { eventually } from '../browser/eventually';
import { Flow, useFakeStash } from '../support/flow';
import { extendSchema } from '../support/schema';
import { json, text } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { helper, leave } from '../support/runtime';
import { RawServer, GOOD } from '../support/raw-server';
import { ForwardProxy } from '../support/forward-proxy';

const KEY = 'stored-key';

describe('the Test button of stash-server', () => {
  const stash = useFakeStash({ apiKey: KEY });
  let elsewhere: FakeStash;

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    elsewhere = await FakeStash.start({ apiKey: KEY });
    await Flow.start({
      type: 'stash-scan',
      server: { url: `${stash().url}/`, auth: 'apiKey' },
      credentials: { apiKey: KEY },
    });
  });
  afterEach(() => elsewhere.stop());

  /** Returns the response to the request of the dialog. */
  async function press(settings: object): Promise<Record<string, unknown>> {
    const body = { id: 'server1', auth: 'apiKey', ...settings };
    const response = await helper.request().post('/stash-server/test').send(body).expect(200);
    return response.body as Record<string, unknown>;
  }

  it('returns release, state and response time', async () => {
    const { milliseconds, ...rest } = await press({ url: stash().url });

    assert.deepEqual(rest, { version: 'v0.30.1', status: 'OK' });
    assert.ok(Number.isInteger(milliseconds));
  });

  it('works before the first deploy, with the typed values', async () => {
    const { status } = await press({ id: 'not-deployed', url: elsewhere.url, apiKey: KEY });

    assert.equal(status, 'OK');
  });

  it('changes nothing on the server', async () => {
    await press({ url: stash().url });

    const operations = stash().requests.map(({ operation }) => operation);
    assert.deepEqual(operations, ['version', 'version', 'systemStatus']);
  });

  it('sends the stored key only to the address of its server', async () => {
    const result = await press({ url: elsewhere.url });

    assert.deepEqual(result, { case: 'UNAUTHORIZED.credentialsKept', details: {} });
    assert.deepEqual(elsewhere.requests, []);
  });

  it('requires a typed key if the node has none', async () => {
    assert.equal((await press({ id: 'not-deployed', url: stash().url }))['case'], 'UNAUTHORIZED.keyMissing');
    assert.equal((await press({ url: stash().url, apiKey: '' }))['case'], 'UNAUTHORIZED.keyMissing');
  });

  it('sends no key if no sign-in is chosen', async () => {
    assert.equal((await press({ url: stash().url, auth: 'none' }))['case'], 'UNAUTHORIZED.keyNeeded');
    assert.equal(stash().requests[0]?.headers['apikey'], undefined);
  });

  describe('with environment variables', () => {
    const names = ['TEST_BUTTON_URL', 'TEST_BUTTON_KEY'] as const;

    beforeEach(() => {
      process.env['TEST_BUTTON_URL'] = stash().url;
      process.env['TEST_BUTTON_KEY'] = KEY;
    });
    afterEach(() => {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    });

    it('reads address and key from the environment, as a deployed node does', async () => {
      const { status } = await press({ url: '${TEST_BUTTON_URL}', apiKey: '${TEST_BUTTON_KEY}' });
      assert.equal(status, 'OK');
    });

    it('sends no secret of the environment to an address that is not deployed', async () => {
      const reference = '${TEST_BUTTON_KEY}';
      for (const settings of [
        { apiKey: reference },
        { auth: 'session', username: reference, password: 'typed' },
        { auth: 'session', username: 'typed', password: reference },
        { auth: 'none', headers: reference },
        { id: 'not-deployed', apiKey: reference },
        { id: 'not-deployed', apiKey: '$(TEST_BUTTON_KEY)' },
      ]) {
        const result = await press({ url: elsewhere.url, ...settings });
        assert.deepEqual(result, { case: 'UNAUTHORIZED.variableKept', details: {} });
      }
      assert.deepEqual(elsewhere.requests, []);
    });

    it('does not reveal an address in an environment variable', async () => {
      process.env['TEST_BUTTON_URL'] = 'http://127.0.0.1:1/hooks/canary';
      const result = await press({ id: 'not-deployed', url: '${TEST_BUTTON_URL}', auth: 'none' });
      assert.equal(result['case'], 'UNREACHABLE.refusedHere');
      assert.equal((result['details'] as { url: string }).url, '${TEST_BUTTON_URL}');
      assert.doesNotMatch(JSON.stringify(result), /canary|127\.0\.0\.1/);
    });

    it('names an environment variable that is not set', async () => {
      for (const name of names) Reflect.deleteProperty(process.env, name);
      const address = await press({ url: '${TEST_BUTTON_URL}' });
      assert.deepEqual(address, { case: 'NO_SERVER.notSet', details: { name: 'TEST_BUTTON_URL' } });
      const key = await press({ url: stash().url, apiKey: '${TEST_BUTTON_KEY}' });
      assert.deepEqual(key, { case: 'UNAUTHORIZED.notSet', details: { name: 'TEST_BUTTON_KEY' } });
      assert.deepEqual(stash().requests, []);
    });
  });

  it('accepts an address with the path of the API or the playground', async () => {
    for (const path of ['graphql', 'graphql/', 'playground', 'login?returnURL=%2F']) {
      assert.equal((await press({ url: `${stash().url}/${path}` }))['status'], 'OK', path);
    }
  });

  it('sends stored credentials through no proxy and no TLS configuration that is not deployed with them', async () => {
    const proxy = await ForwardProxy.start();
    await helper.unload();
    await Flow.start({
      type: 'stash-scan',
      server: { url: stash().url, auth: 'apiKey' },
      credentials: { apiKey: KEY },
      configs: [
        { id: 'proxy1', type: 'http proxy', url: proxy.url, noproxy: [] },
        { id: 'tls1', type: 'tls-config', cert: '', key: '', ca: '', verifyservercert: false },
      ],
    });
    for (const chosen of [{ proxy: 'proxy1' }, { tls: 'tls1' }]) {
      const result = await press({ url: stash().url, ...chosen });
      assert.deepEqual(result, { case: 'UNAUTHORIZED.credentialsKept', details: {} });
    }
    assert.deepEqual([proxy.requests, stash().requests], [[], []]);
    await proxy.stop();
  });

  it('reports its own time limit instead of the one in the dialog', async () => {
    const silent = await RawServer.open(() => undefined);
    const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const result = press({ url: silent.url, auth: 'none' });
      while (silent.requests.length === 0) await immediately();
      clock.tick(10_000);
      assert.deepEqual(await result, { case: 'TIMEOUT.test', details: { seconds: 10 } });
    } finally {
      clock.restore();
      await silent.close();
    }
  });

  it('refuses every request that a form on another website can post', async () => {
    const form = `url=${encodeURIComponent(elsewhere.url)}&auth=none`;
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      await helper.request().post('/stash-server/test').set('Content-Type', type).send(form).expect(415);
    }
    assert.deepEqual(elsewhere.requests, []);
  });

  it('runs at most four tests at once, and aborts a test when its browser disconnects', async () => {
    const silent = await RawServer.open(() => undefined);
    const settings = { url: silent.url, auth: 'none' };
    const tests = Array.from({ length: 4 }, () => helper.request().post('/stash-server/test').send(settings));
    // supertest sends a request when its result is awaited.
    const waiting = Promise.allSettled(tests);
    await eventually(
      () => Promise.resolve(silent.requests.length),
      (count) => {
        assert.equal(count, 4);
      },
    );
    const result = await press(settings);
    assert.deepEqual(result, { case: 'QUEUE_FULL.tests', details: {} });
    assert.equal(silent.requests.length, 4);
    tests.forEach(leave);
    await waiting;
    await eventually(
      () => press({ url: stash().url }),
      ({ status }) => {
        assert.equal(status, 'OK');
      },
    );
    await silent.close();
  });

  it('cuts off a long release or state, and removes control characters', async () => {
    const odd = `v0.30.1\u001b[2J\u202e\n${'x'.repeat(5000)}`;
    extendSchema(stash(), { has: { Query: ['systemStatus'] } });
    stash().answerWith(json({ data: { version: { version: odd } } }), { field: 'version' });
    stash().answerWith(json({ data: { systemStatus: { status: odd } } }), { field: 'systemStatus' });
    const { version, status } = await press({ url: stash().url });
    for (const text of [version, status]) assert.match(String(text), /^v0\.30\.1\[2Jx{30}$/);
  });

  describe('with a username and password, headers, or other config nodes', () => {
    const login = { auth: 'session', username: 'amy', password: 'a p4ssword of the Test button' };
    const headers = '{"X-Gate":"0pen"}';
    let gateway: RawServer;

    beforeEach(async () => {
      gateway = await RawServer.open(({ path, headers: given }) => {
        if (given['x-gate'] !== '0pen') return { status: 401, headers: { 'www-authenticate': 'Basic' } };
        if (path === '/login') return { status: 200, headers: { 'set-cookie': 'session=s1' } };
        return GOOD;
      });
    });
    afterEach(() => gateway.close());

    it('sends the typed values', async () => {
      const { status } = await press({ id: '', url: gateway.url, ...login, headers });
      assert.equal(status, 'OK');
      assert.equal(gateway.at('/login').length, 1);
    });

    it('sends stored credentials only to the address of their server', async () => {
      await helper.unload();
      await Flow.start({
        type: 'stash-scan',
        server: { url: gateway.url, auth: 'none' },
        credentials: { password: login.password, headers },
      });
      const changed = { auth: login.auth, username: login.username };
      assert.equal((await press({ url: `${gateway.url}/`, ...changed }))['status'], 'OK');
      assert.equal((await press({ url: gateway.url, auth: 'none' }))['status'], 'OK');
      for (const settings of [changed, { ...login }, { auth: 'none' }, { ...changed, headers }]) {
        const result = await press({ url: elsewhere.url, ...settings });
        assert.equal(result['case'], 'UNAUTHORIZED.credentialsKept');
      }
      assert.deepEqual(elsewhere.requests, []);
      assert.equal((await press({ url: elsewhere.url, apiKey: KEY, headers: '' }))['status'], 'OK');
    });

    it('reports a reverse proxy that requires authentication, and a missing field', async () => {
      assert.equal((await press({ id: '', url: gateway.url, ...login }))['case'], 'UNAUTHORIZED.gate');
      const { username } = login;
      const missing = await press({ id: '', url: gateway.url, auth: 'session', username });
      assert.equal(missing['case'], 'UNAUTHORIZED.loginMissing');
    });

    it('requires a deployed TLS configuration or proxy', async () => {
      for (const chosen of [{ tls: 'new' }, { proxy: 'new' }]) {
        const result = await press({ url: stash().url, ...chosen });
        assert.deepEqual(result, { case: 'NO_SERVER.notDeployed', details: {} });
      }
      assert.deepEqual(stash().requests, []);
    });

    it('uses the chosen proxy', async () => {
      const proxy = await ForwardProxy.start();
      await helper.unload();
      await Flow.start({
        type: 'stash-scan',
        server: { url: stash().url },
        configs: [{ id: 'proxy1', type: 'http proxy', url: proxy.url, noproxy: [] }],
      });
      assert.equal((await press({ url: stash().url, apiKey: KEY, proxy: 'proxy1' }))['status'], 'OK');
      assert.equal(proxy.requests.length, 3);
      await proxy.stop();
    });
  });

  it('returns an error case and never the response of an address', async () => {
    const secret = 'what only Node-RED can reach';
    for (const [answer, expected] of [
      [text(200, secret), 'NOT_STASH.page'],
      [json({ data: { version: secret } }), 'NOT_STASH.notGraphQL'],
      [json({ errors: [{ message: secret }], data: null }), 'GRAPHQL.failed'],
      [json({ errors: [{ message: secret }], data: null }, 422), 'GRAPHQL.refused'],
      [text(500, secret), 'HTTP.status'],
    ] as const) {
      stash().answerNormally();
      stash().answerWith(answer);
      const result = await press({ url: stash().url });
      assert.equal(result['case'], expected);
      assert.ok(!JSON.stringify(result).includes(secret));
    }
  });

  it('survives any posted body', async () => {
    for (const body of [{}, { url: 5, id: {}, auth: [], apiKey: 7 }, { url: 'nas' }]) {
      const result = (await helper.request().post('/stash-server/test').send(body)).body as object;
      assert.ok('case' in result);
    }
  });

  it('works with a proxy without credentials', async () => {
    const proxy = await ForwardProxy.start();
    await helper.unload();
    await Flow.start({
      type: 'stash-scan',
      server: { url: stash().url },
      configs: [{ id: 'bare', type: 'http proxy', url: proxy.url, noproxy: [] }],
    });
    const result = await press({ url: stash().url, apiKey: KEY, proxy: 'bare' });
    assert.equal(result['status'], 'OK');
    assert.ok(proxy.lines.length > 0);
    await helper.unload();
    await proxy.stop();
  });
});
