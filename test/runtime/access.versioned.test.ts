import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { Flow, type FlowOptions, useFakeStash } from '../support/flow';
import { helper } from '../support/runtime';
import { certificate } from '../support/certificate';
import { RawServer, type Reply, SIGNED_OUT, type RawRequest } from '../support/raw-server';
import { ForwardProxy } from '../support/forward-proxy';

describe('Access to a server', () => {
  const stash = useFakeStash();
  const opened: { close: () => Promise<void> }[] = [];

  afterEach(async () => {
    // Unload the flows before the servers stop, because their connections would break otherwise.
    await helper.unload();
    for (const gateway of opened.splice(0)) await gateway.close();
  });

  /** Returns the response of the fake server to a request that the gateway has accepted. */
  async function passOn({ method, path, body }: RawRequest): Promise<Reply> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await fetch(stash().url + path, { method, headers, body });
    const type = answer.headers.get('content-type') ?? '';
    return { status: answer.status, headers: { 'content-type': type }, body: await answer.text() };
  }

  async function open(answer: RawServer['answer'] = passOn, tls?: object): Promise<RawServer> {
    const gateway = await RawServer.open(answer, tls);
    opened.push(gateway);
    return gateway;
  }

  function scan(url: string, more: { server?: object } & Partial<FlowOptions> = {}): FlowOptions {
    return { type: 'stash-scan', ...more, server: { url, pause: 0, timeout: 5, ...more.server } };
  }

  describe('with username and password', () => {
    let passwords = 0;
    let password: string;
    let gateway: RawServer;

    beforeEach(async () => {
      password = `s3cret for a flow ${++passwords}`;
      gateway = await open((request) => {
        if (request.path === '/login') {
          const isRight = new URLSearchParams(request.body).get('password') === password;
          const body = `Username or password is invalid, not ${request.body}`;
          return isRight
            ? { status: 200, headers: { 'set-cookie': 'session=c00kie' } }
            : { status: 401, body };
        }
        return request.headers.cookie === 'session=c00kie' ? passOn(request) : SIGNED_OUT;
      });
    });

    const start = (given: string, server: object = {}) =>
      scan(gateway.url, {
        server: { auth: 'session', ...server },
        credentials: { username: 'amy', password: given },
      });

    it('fifty messages share one session', async () => {
      const flow = await Flow.start(start(password));
      const ends = await Promise.all(Array.from({ length: 50 }, () => flow.ask()));

      for (const { output } of ends) assert.equal(output, 1);
      assert.equal(gateway.at('/login').length, 1);
    });

    it('a wrong password is sent once, and not again after a redeploy', async () => {
      const wrong = `not ${password}`;
      const flow = await Flow.start(start(wrong));
      const ask = () => Promise.all(Array.from({ length: 20 }, () => flow.ask()));
      const seen: unknown[] = [await ask()];
      await flow.redeploy(start(wrong, { timeout: 6 }));
      const again = await ask();
      seen.push(again, flow.statuses, helper.log().args);

      for (const { msg } of again) {
        assert.equal(msg.error?.code, 'UNAUTHORIZED');
        assert.match(msg.error.message, /signInPaused/);
        assert.equal(msg.stash?.error?.retry, false);
      }
      assert.equal(gateway.at('/login').length, 1);
      const everything = inspect(seen, { depth: 20, maxArrayLength: null, maxStringLength: null });
      for (const form of [wrong, encodeURIComponent(wrong), new URLSearchParams({ wrong }).toString()]) {
        assert.ok(!everything.includes(form), form);
      }
      await flow.redeploy(start(password));
      assert.equal((await flow.ask()).output, 1);
    });
  });

  it('sends additional headers to a reverse proxy with each request', async () => {
    const gateway = await open((request) =>
      request.headers['x-gate'] === '0pen' ? passOn(request) : { status: 401 },
    );
    const flow = await Flow.start(scan(gateway.url, { credentials: { headers: '{"X-Gate": "0pen"}' } }));
    const { output, msg } = await flow.ask();

    assert.equal(output, 1);
    assert.ok(!inspect([msg, flow.statuses, helper.log().args], { depth: 20 }).includes('0pen'));
    for (const { headers } of gateway.requests) assert.equal(headers['x-gate'], '0pen');
  });

  const tls = { id: 'tls1', type: 'tls-config', cert: '', key: '', ca: '', verifyservercert: true };
  const proxyNode = { id: 'proxy1', type: 'http proxy', noproxy: [] };

  it('uses a TLS configuration of Node-RED', async () => {
    const gateway = await open(passOn, certificate);
    const config = { ...tls, credentials: { cadata: certificate.cert } };
    const flow = await Flow.start(scan(gateway.url, { server: { tls: 'tls1' }, configs: [config] }));
    assert.equal((await flow.ask()).output, 1);
    await flow.redeploy(scan(gateway.url, { server: { tls: '' }, configs: [config] }));
    assert.equal((await flow.ask()).msg.error?.code, 'TLS');
  });

  it('works with config nodes without credentials', async () => {
    const proxy = await ForwardProxy.start();
    opened.push({ close: () => proxy.stop() });
    const gateway = await open();
    const flow = await Flow.start(
      scan(gateway.url, {
        server: { proxy: 'proxy1', tls: 'tls1' },
        configs: [{ ...proxyNode, url: proxy.url }, tls],
      }),
    );
    for (const id of ['server1', 'proxy1', 'tls1']) {
      const { credentials } = helper.getNode(id) as { credentials?: object };
      assert.deepEqual(credentials ?? {}, {});
    }
    const { output, msg } = await flow.ask();
    assert.equal(output, 1, msg.error?.message);
    assert.ok(proxy.lines.length > 0);
  });

  it('uses a proxy configuration of Node-RED', async () => {
    const proxy = await ForwardProxy.start();
    opened.push({ close: () => proxy.stop() });
    proxy.login = 'amy:pr0xy';
    const credentials = { username: 'amy', password: 'pr0xy' };
    const config = { ...proxyNode, url: proxy.url, credentials };
    const gateway = await open();
    const options = scan(gateway.url, { server: { proxy: 'proxy1' }, configs: [config] });
    const flow = await Flow.start(options);
    assert.equal((await flow.ask()).output, 1);
    assert.ok(proxy.lines.length > 0);

    // A deploy restarts the nodes with a changed config node.
    const wrong = { ...config, name: 'changed', credentials: { ...credentials, password: 'an0ther' } };
    await flow.redeploy({ ...options, configs: [wrong] });
    const { msg } = await flow.ask();
    assert.equal(msg.error?.code, 'UNREACHABLE');
    assert.match(msg.error.message, /proxySignIn/);
    assert.ok(!inspect([msg, helper.log().args], { depth: 20 }).includes('an0ther'));
  });

  it('uses a proxy although its hand-edited exceptions are not a list of hosts', async () => {
    const proxy = await ForwardProxy.start();
    opened.push({ close: () => proxy.stop() });
    const gateway = await open();
    for (const noproxy of ['other.example', 5, [null]]) {
      const config = { ...proxyNode, url: proxy.url, noproxy };
      const flow = await Flow.start(scan(gateway.url, { server: { proxy: 'proxy1' }, configs: [config] }));
      const { output, msg } = await flow.ask();
      assert.equal(output, 1, msg.error?.message);
      await helper.unload();
    }
    assert.ok(proxy.lines.length > 0);
  });

  for (const [what, options] of [
    ['a missing TLS configuration', { server: { tls: 'gone' } }],
    ['a missing proxy', { server: { proxy: 'gone' } }],
    [
      'a disabled proxy',
      { server: { proxy: 'proxy1' }, configs: [{ ...proxyNode, url: 'http://p:1', d: true }] },
    ],
    ['a node that is not a proxy', { server: { proxy: 'tls1' }, configs: [tls] }],
    [
      'a TLS configuration without its files',
      { server: { tls: 'tls1' }, configs: [{ ...tls, ca: '/no/such/file' }] },
    ],
    [
      'an invalid TLS configuration',
      {
        server: { tls: 'tls1' },
        configs: [{ ...tls, credentials: { cadata: 'x', certdata: 'x', keydata: 'x' } }],
      },
    ],
    ['invalid headers', { credentials: { headers: 'Basic x' } }],
  ] as const) {
    it(`reports NO_SERVER for ${what}`, async () => {
      const gateway = await open();
      const configs = 'configs' in options ? [...options.configs] : [];
      const flow = await Flow.start(scan(gateway.url, { ...options, configs }));
      assert.equal(flow.firstStatus?.fill, 'red');
      assert.equal((await flow.ask()).msg.error?.code, 'NO_SERVER');
      assert.deepEqual(gateway.requests, []);
    });
  }

  it('reads username, password and headers from environment variables', async () => {
    const gateway = await open((request) => {
      if (request.path !== '/login') return passOn(request);
      return {
        status: request.headers['x-gate'] === '1' ? 200 : 500,
        headers: { 'set-cookie': 'session=x' },
      };
    });
    Object.assign(process.env, { WAY_NAME: 'amy', WAY_WORD: 'env p4ss', WAY_HEADERS: '{"X-Gate":"1"}' });
    const credentials = { username: '${WAY_NAME}', password: '${WAY_WORD}', headers: '${WAY_HEADERS}' };
    const flow = await Flow.start(scan(gateway.url, { server: { auth: 'session' }, credentials }));
    const { output } = await flow.ask();
    for (const name of ['WAY_NAME', 'WAY_WORD', 'WAY_HEADERS']) Reflect.deleteProperty(process.env, name);

    assert.equal(output, 1);
    assert.equal(gateway.at('/login')[0]?.body, 'username=amy&password=env+p4ss');
  });

  for (const [what, settings, code] of [
    ['address', { server: { url: '${WAY_UNSET}' } }, 'NO_SERVER'],
    ['headers', { credentials: { headers: '${WAY_UNSET}' } }, 'NO_SERVER'],
    ['path map', { server: { pathMap: [{ here: '/downloads', there: '${WAY_UNSET}' }] } }, 'NO_SERVER'],
    ['API key', { server: { auth: 'apiKey' }, credentials: { apiKey: '${WAY_UNSET}' } }, 'UNAUTHORIZED'],
    [
      'password',
      { server: { auth: 'session' }, credentials: { username: 'amy', password: '$(WAY_UNSET)' } },
      'UNAUTHORIZED',
    ],
  ] as const) {
    it(`fails if the environment variable of the ${what} is not set`, async () => {
      const gateway = await open();
      const { msg } = await (await Flow.start(scan(gateway.url, settings))).ask();
      assert.equal(msg.error?.code, code);
      assert.match(msg.error.message, /errors\.\w+\.notSet\.text/);
      assert.deepEqual(gateway.requests, []);
    });
  }
});
