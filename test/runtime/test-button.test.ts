import assert from 'node:assert/strict';
import { checks } from '../../src/contract/connection-test';
import { eventually } from '../browser/eventually';
import { json, text } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { Flow, useFakeStash } from '../support/flow';
import { ForwardProxy } from '../support/forward-proxy';
import { linesOf } from '../support/lines';
import { GOOD, RawServer } from '../support/raw-server';
import { type Line, Results } from '../support/results';
import { helper, leave } from '../support/runtime';
import { extendSchema } from '../support/schema';
import { passTimeLimit } from '../support/time-limit';
import { until } from '../support/waiting';

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

  /** Returns what the dialog shows at the end. */
  async function press({ id = 'server1', ...content }: Record<string, unknown>): Promise<Results> {
    const body = { id, content: { auth: 'apiKey', ...content } };
    return new Results(await linesOf<Line>(helper.request().post('/stash-server/test').send(body)));
  }

  it('reports what each check found, in their order', async () => {
    const results = await press({ url: stash().url });

    assert.deepEqual(
      checks.map((check) => results.at(check).text),
      [
        ...['literal', 'connected', 'plain', 'stash', 'keyAccepted', 'schema', 'release', 'ready', 'live'],
        ...['pluginUnsupported', 'unlisted', 'onlyBuiltIn'],
      ],
    );
    assert.deepEqual(Object.keys(results.at('graphql').details), ['milliseconds']);
    assert.equal(results.at('release').details['release'], 'v0.30.1');
  });

  it('tells of each check that it runs, before it tells what it found', async () => {
    const { lines } = await press({ url: stash().url });

    for (const check of checks) {
      const states = lines.filter((line) => line.check === check).map(({ state }) => state);
      assert.equal(states.length, 2, check);
      assert.equal(states[0], 'running', check);
    }
  });

  it('works before the first deploy, with the typed values', async () => {
    const results = await press({ id: 'not-deployed', url: elsewhere.url, apiKey: KEY });

    assert.ok(results.isReady);
  });

  it('changes nothing on the server', async () => {
    await press({ url: stash().url });

    const operations = stash().requests.map(({ operation }) => operation);
    assert.deepEqual([...new Set(operations)].sort(), ['systemStatus', 'version']);
  });

  it('sends no credentials to what is not Stash', async () => {
    const gateway = await RawServer.open(() => ({ status: 200, headers: { 'content-type': 'text/html' } }));
    const login = { auth: 'session', username: 'amy', password: 'a typed password' };
    for (const credentials of [{ apiKey: 'a-typed-key' }, login]) {
      const results = await press({ id: '', url: gateway.url, ...credentials });
      assert.equal(results.failure, 'NOT_STASH.page');
    }
    assert.ok(gateway.requests.length > 0);
    assert.doesNotMatch(JSON.stringify(gateway.requests), /typed/);
    await gateway.close();
  });

  it('sends the stored key only to the address of its server', async () => {
    const { refusal } = await press({ url: elsewhere.url });

    assert.deepEqual(refusal, { case: 'UNAUTHORIZED.credentialsKept', details: {} });
    assert.deepEqual(elsewhere.requests, []);
  });

  it('requires a typed key if the node has none, and checks what comes before', async () => {
    for (const settings of [{ id: 'not-deployed' }, { apiKey: '' }]) {
      const results = await press({ url: stash().url, ...settings });
      const { remedies } = results.at('signIn', 'UNAUTHORIZED.keyMissing');
      assert.deepEqual(remedies, [{ kind: 'field', field: 'apiKey' }]);
      assert.equal(results.at('stash').state, 'ok');
    }
    stash().apiKey = '';
    const open = await press({ url: stash().url, apiKey: 'two words' });
    const { remedies } = open.at('signIn', 'UNAUTHORIZED.keyUnusable');
    assert.deepEqual(remedies, [{ kind: 'auth', auth: 'none' }]);
  });

  it('sends no key if no sign-in is chosen', async () => {
    assert.equal((await press({ url: stash().url, auth: 'none' })).failure, 'UNAUTHORIZED.keyNeeded');
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
      assert.ok((await press({ url: '${TEST_BUTTON_URL}', apiKey: '${TEST_BUTTON_KEY}' })).isReady);
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
        const { refusal } = await press({ url: elsewhere.url, ...settings });
        assert.deepEqual(refusal, { case: 'UNAUTHORIZED.variableKept', details: {} });
      }
      assert.deepEqual(elsewhere.requests, []);
    });

    it('does not reveal an address in an environment variable', async () => {
      process.env['TEST_BUTTON_URL'] = 'http://127.0.0.1:1/hooks/canary';
      const refused = await press({ id: 'not-deployed', url: '${TEST_BUTTON_URL}', auth: 'none' });
      assert.equal(refused.failure, 'UNREACHABLE.refusedHere');
      assert.equal(refused.at('port').details['url'], '${TEST_BUTTON_URL}');
      process.env['TEST_BUTTON_URL'] = stash().url.replace('127.0.0.1', 'localhost');
      const reached = await press({ id: 'not-deployed', url: '${TEST_BUTTON_URL}', apiKey: KEY });
      assert.ok(reached.isReady);
      assert.equal(reached.at('port').details['endpoint'], '${TEST_BUTTON_URL}');
      process.env['TEST_BUTTON_URL'] += '/canary';
      const wrong = await press({ id: 'not-deployed', url: '${TEST_BUTTON_URL}', apiKey: KEY });
      assert.equal(wrong.failure, 'NOT_STASH.redirect');
      for (const { lines } of [refused, reached, wrong]) {
        assert.doesNotMatch(JSON.stringify(lines), new RegExp(`canary|127|localhost|${stash().port}`));
      }
    });

    it('names an environment variable that is not set', async () => {
      for (const name of names) Reflect.deleteProperty(process.env, name);
      const address = await press({ url: '${TEST_BUTTON_URL}' });
      assert.deepEqual(address.refusal, { case: 'NO_SERVER.notSet', details: { name: 'TEST_BUTTON_URL' } });
      const both = await press({ url: '${TEST_BUTTON_URL}:${PORT}' });
      assert.equal(both.failure ?? both.refusal?.case, 'NO_SERVER.variableInAddress');
      const key = await press({ url: stash().url, apiKey: '${TEST_BUTTON_KEY}' });
      assert.deepEqual(key.refusal, { case: 'UNAUTHORIZED.notSet', details: { name: 'TEST_BUTTON_KEY' } });
      assert.deepEqual(stash().requests, []);
    });
  });

  it('accepts an address with the path of the API or the playground', async () => {
    for (const path of ['graphql', 'graphql/', 'playground', 'login?returnURL=%2F']) {
      assert.ok((await press({ url: `${stash().url}/${path}` })).isReady, path);
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
      const { refusal } = await press({ url: stash().url, ...chosen });
      assert.deepEqual(refusal, { case: 'UNAUTHORIZED.credentialsKept', details: {} });
    }
    assert.deepEqual([proxy.requests, stash().requests], [[], []]);
    await proxy.stop();
  });

  it('reports its own time limit instead of the one in the dialog', async () => {
    const silent = await RawServer.open(() => undefined);
    const pressed = () => press({ url: silent.url, auth: 'none' });
    const results = await passTimeLimit(10, pressed, () => silent.requests.length > 0);
    assert.deepEqual(results.at('stash', 'TIMEOUT.test').details, { seconds: 10 });
    await silent.close();
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
    const tests = Array.from({ length: 4 }, () =>
      helper.request().post('/stash-server/test').send({ content: settings }),
    );
    // supertest sends a request when its result is awaited.
    const waiting = Promise.allSettled(tests);
    await until(() => silent.requests.length === 4);
    const { refusal } = await press(settings);
    assert.deepEqual(refusal, { case: 'QUEUE_FULL.tests', details: {} });
    assert.equal(silent.requests.length, 4);
    tests.forEach(leave);
    await waiting;
    await eventually(
      () => press({ url: stash().url }),
      ({ isReady }) => {
        assert.ok(isReady);
      },
    );
    await silent.close();
  });

  it('shows no release and no state that are not of Stash', async () => {
    const odd = `v0.30.1\u001b[2J\u202e\n${'x'.repeat(5000)}`;
    extendSchema(stash(), { has: { Query: ['systemStatus'] } });
    stash().answerWith(json({ data: { version: { version: odd, build_time: odd } } }), { field: 'version' });
    stash().answerWith(json({ data: { systemStatus: { status: odd } } }), { field: 'systemStatus' });
    const results = await press({ url: stash().url });
    assert.doesNotMatch(JSON.stringify(results.lines), /2J|xxx/);
    assert.equal(results.at('state').text, 'otherState');
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
      assert.ok((await press({ id: '', url: gateway.url, ...login, headers })).isConnected);
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
      assert.ok((await press({ url: `${gateway.url}/`, ...changed })).isConnected);
      assert.equal((await press({ url: gateway.url, auth: 'none' })).at('stash').state, 'ok');
      for (const settings of [changed, { ...login }, { auth: 'none' }, { ...changed, headers }]) {
        assert.equal(
          (await press({ url: elsewhere.url, ...settings })).failure,
          'UNAUTHORIZED.credentialsKept',
        );
      }
      assert.deepEqual(elsewhere.requests, []);
      assert.ok((await press({ url: elsewhere.url, apiKey: KEY, headers: '' })).isReady);
    });

    it('reports a reverse proxy that requires authentication, and a missing field', async () => {
      assert.equal((await press({ id: '', url: gateway.url, ...login })).failure, 'UNAUTHORIZED.gate');
      const { username } = login;
      const missing = await press({ id: '', url: gateway.url, auth: 'session', username, headers });
      assert.equal(missing.failure, 'UNAUTHORIZED.loginMissing');
    });

    it('requires a deployed TLS configuration or proxy', async () => {
      for (const chosen of [{ tls: 'new' }, { proxy: 'new' }]) {
        const { refusal } = await press({ url: stash().url, ...chosen });
        assert.deepEqual(refusal, { case: 'NO_SERVER.notDeployed', details: {} });
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
      const results = await press({ url: stash().url, apiKey: KEY, proxy: 'proxy1' });
      assert.ok(results.isReady);
      assert.deepEqual(results.at('port').details['endpoint'], proxy.host);
      assert.equal(results.at('socket').text, 'polledByProxy');
      assert.equal(proxy.requests.length, stash().requests.length);
      assert.deepEqual(stash().sockets.attempts, []);
      await proxy.stop();
    });
  });

  it('returns an error case and never the response of an address', async () => {
    const secret = 'what only Node-RED can reach';
    for (const [answer, expected] of [
      [text(200, secret), 'NOT_STASH.page'],
      [json({ data: { version: secret } }), 'NOT_STASH.otherGraphQL'],
      [json({ data: secret }), 'NOT_STASH.notGraphQL'],
      [json({ errors: [{ message: secret }], data: null }), 'NOT_STASH.otherGraphQL'],
      [json({ errors: [{ message: secret }], data: null }, 422), 'NOT_STASH.otherGraphQL'],
      [text(500, secret), 'HTTP.status'],
    ] as const) {
      stash().answerNormally();
      stash().answerWith(answer);
      const { failure, lines } = await press({ url: stash().url });
      assert.equal(failure, expected);
      assert.ok(!JSON.stringify(lines).includes(secret));
    }
  });

  it('survives any posted body', async () => {
    for (const body of [
      {},
      { content: 'text' },
      { id: {}, content: { url: 5, auth: [], apiKey: 7, pathMap: 3, tls: [], proxy: 5 } },
      { content: { url: 'nas.invalid', auth: 'none', pathMap: [3, null, { here: 5 }] } },
      {
        content: {
          url: 'nas.invalid',
          auth: 'none',
          tls: { cert: 5, id: [] },
          proxy: { url: {}, noproxy: 5 },
        },
      },
    ]) {
      const results = new Results(await linesOf(helper.request().post('/stash-server/test').send(body)));
      assert.ok(results.failure);
    }
  });
});
