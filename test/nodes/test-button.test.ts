import assert from 'node:assert/strict';
import { Flow, useStandIn } from '../flow';
import { json, text } from '../stand-in/answers';
import { StandIn } from '../stand-in/stand-in';
import { helper } from '../runtime';
import { Door, GOOD } from '../server/door';
import { ForwardProxy } from '../server/forward-proxy';

const KEY = 'stored-key';

describe('the Test button of stash-server', () => {
  const stash = useStandIn({ apiKey: KEY });
  let elsewhere: StandIn;

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    elsewhere = await StandIn.start({ apiKey: KEY });
    await Flow.start({
      type: 'stash-scan',
      server: { url: `${stash().url}/`, auth: 'apiKey' },
      credentials: { apiKey: KEY },
    });
  });
  afterEach(() => elsewhere.stop());

  /** What the dialog is told. */
  async function press(asked: object): Promise<Record<string, unknown>> {
    const body = { id: 'server1', auth: 'apiKey', ...asked };
    const response = await helper.request().post('/stash-server/test').send(body).expect(200);
    return response.body as Record<string, unknown>;
  }

  it('tells the release, the state and the time of an answer', async () => {
    const { milliseconds, ...rest } = await press({ url: stash().url });

    assert.deepEqual(rest, { version: 'v0.30.1', status: 'OK' });
    assert.ok(Number.isInteger(milliseconds));
  });

  it('works before the first deploy, with what was typed', async () => {
    const { status } = await press({ id: 'not-deployed', url: elsewhere.url, apiKey: KEY });

    assert.equal(status, 'OK');
  });

  it('changes nothing at the server', async () => {
    await press({ url: stash().url });

    const asked = stash().requests.map(({ operation }) => operation);
    assert.deepEqual(asked, ['version', 'version', 'systemStatus']);
  });

  it('sends the stored key to the address only that it was stored for', async () => {
    const told = await press({ url: elsewhere.url });

    assert.deepEqual(told, { case: 'UNAUTHORIZED.credentialsKept', details: {} });
    assert.deepEqual(elsewhere.requests, []);
  });

  it('wants a key typed for a node that has none', async () => {
    assert.equal((await press({ id: 'not-deployed', url: stash().url }))['case'], 'UNAUTHORIZED.keyMissing');
    assert.equal((await press({ url: stash().url, apiKey: '' }))['case'], 'UNAUTHORIZED.keyMissing');
  });

  it('sends no key where none is needed', async () => {
    assert.equal((await press({ url: stash().url, auth: 'none' }))['case'], 'UNAUTHORIZED.keyNeeded');
    assert.equal(stash().requests[0]?.headers['apikey'], undefined);
  });

  it('takes values from the environment as a deployed node does', async () => {
    process.env['TEST_BUTTON_URL'] = elsewhere.url;
    process.env['TEST_BUTTON_KEY'] = KEY;
    const { status } = await press({ url: '${TEST_BUTTON_URL}', apiKey: '${TEST_BUTTON_KEY}' });
    delete process.env['TEST_BUTTON_URL'];
    delete process.env['TEST_BUTTON_KEY'];

    assert.equal(status, 'OK');
  });

  describe('with credentials of other kinds', () => {
    const login = { auth: 'session', username: 'amy', password: 'a p4ssword of the Test button' };
    const headers = '{"X-Gate":"0pen"}';
    let door: Door;

    beforeEach(async () => {
      door = await Door.open(({ path, headers: given }) => {
        if (given['x-gate'] !== '0pen') return { status: 401, headers: { 'www-authenticate': 'Basic' } };
        if (path === '/login') return { status: 200, headers: { 'set-cookie': 'session=s1' } };
        return GOOD;
      });
    });
    afterEach(() => door.close());

    it('sends what was typed', async () => {
      const { status } = await press({ id: '', url: door.url, ...login, headers });
      assert.equal(status, 'OK');
      assert.equal(door.at('/login').length, 1);
    });

    it('sends what is stored to the address only that it was stored for', async () => {
      await helper.unload();
      await Flow.start({
        type: 'stash-scan',
        server: { url: door.url, auth: 'none' },
        credentials: { password: login.password, headers },
      });
      const changed = { auth: login.auth, username: login.username };
      assert.equal((await press({ url: `${door.url}/`, ...changed }))['status'], 'OK');
      assert.equal((await press({ url: door.url, auth: 'none' }))['status'], 'OK');
      for (const asked of [changed, { ...login }, { auth: 'none' }, { ...changed, headers }]) {
        const told = await press({ url: elsewhere.url, ...asked });
        assert.equal(told['case'], 'UNAUTHORIZED.credentialsKept');
      }
      assert.deepEqual(elsewhere.requests, []);
      assert.equal((await press({ url: elsewhere.url, apiKey: KEY, headers: '' }))['status'], 'OK');
    });

    it('tells what a gate or a missing field wants', async () => {
      assert.equal((await press({ id: '', url: door.url, ...login }))['case'], 'UNAUTHORIZED.gate');
      const { username } = login;
      const missing = await press({ id: '', url: door.url, auth: 'session', username });
      assert.equal(missing['case'], 'UNAUTHORIZED.loginMissing');
    });

    it('wants a TLS configuration and a proxy to be deployed', async () => {
      for (const chosen of [{ tls: 'new' }, { proxy: 'new' }]) {
        const told = await press({ url: stash().url, ...chosen });
        assert.deepEqual(told, { case: 'NO_SERVER.notDeployed', details: {} });
      }
      assert.deepEqual(stash().requests, []);
    });

    it('goes through the chosen proxy', async () => {
      const proxy = await ForwardProxy.start();
      await helper.unload();
      await Flow.start({
        type: 'stash-scan',
        server: { url: stash().url },
        configs: [{ id: 'proxy1', type: 'http proxy', url: proxy.url, noproxy: [] }],
      });
      assert.equal((await press({ url: stash().url, apiKey: KEY, proxy: 'proxy1' }))['status'], 'OK');
      assert.equal(proxy.asked.length, 3);
      await proxy.stop();
    });
  });

  it('tells a category and never what an address answered', async () => {
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
      const told = await press({ url: stash().url });
      assert.equal(told['case'], expected);
      assert.ok(!JSON.stringify(told).includes(secret));
    }
  });

  it('gets along with anything that is posted', async () => {
    for (const body of [{}, { url: 5, id: {}, auth: [], apiKey: 7 }, { url: 'nas' }]) {
      const told = (await helper.request().post('/stash-server/test').send(body)).body as object;
      assert.ok('case' in told);
    }
  });
});
