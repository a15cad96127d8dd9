import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { eventually } from '../browser/eventually';
import { json, text } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { poster } from '../fake-stash/poster';
import { Flow, type FlowOptions, useFakeStash } from '../support/flow';
import { ForwardProxy } from '../support/forward-proxy';
import { certificate } from '../support/certificate';
import { portOf } from '../support/connect';
import { useFolder } from '../support/folder';
import { RawServer } from '../support/raw-server';
import { helper, leave } from '../support/runtime';
import { press, Press } from '../support/trial';
import { until } from '../support/waiting';
import { timing } from '../../src/timing';

/** A key that URL-encoding and JSON change. */
const KEY = 'canary+key/with="signs".0123456789';

/** The questions of dialogs, each with a property of its answer. */
const questions = [
  ['capabilities', {}, 'release'],
  ['items', { kind: 'tag', text: '' }, 'items'],
  ['filters', { kind: 'scene' }, 'filters'],
  ['document', { ask: 'state', document: '{ version { version } }' }, 'mistakes'],
] as const;

describe('The dialogs use a server that is not deployed', () => {
  const stash = useFakeStash({ release: 'v0.30.1', apiKey: KEY });
  const usual = { ...timing };

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(() => start({}));
  afterEach(() => {
    Object.assign(timing, usual);
  });

  /** Deploys a node of another server. */
  async function start({ configs = [], ...options }: Partial<FlowOptions>): Promise<Flow> {
    await helper.unload();
    return await Flow.start({
      type: 'stash-studios',
      server: { url: 'http://127.0.0.1:1' },
      configs,
      ...options,
    });
  }

  /** Returns what was entered in the dialog of the server. */
  const entered = (more: object = {}) => ({ url: stash().url, auth: 'apiKey', apiKey: KEY, ...more });

  async function ask(route: string, question: object): Promise<Record<string, unknown>> {
    const request = helper
      .request()
      .post(`/stash-server/${route}`)
      .send({ id: 'added', ...question });
    return (await request.expect(200)).body as Record<string, unknown>;
  }

  const refusal = async (content: unknown) =>
    (await ask('items', { kind: 'tag', text: '', content }))['case'];
  const sent = (field: string) => stash().requests.filter(({ operation }) => operation === field);

  it('for what it can do, its items and filters, the help with a document, pictures and Try it', async () => {
    for (const [route, question, property] of questions) {
      const answer = await ask(route, { ...question, content: entered() });
      assert.ok(property in answer, `${route} ${JSON.stringify(answer)}`);
    }
    const path = '/scene/2/screenshot';
    const { body } = await helper
      .request()
      .post('/stash-server/picture')
      .send({ id: 'added', content: entered(), path })
      .expect(200);
    assert.deepEqual(body, poster('Morning Ferry', 2));
    assert.equal((await press('studios', { id: 'added', content: entered() })).count, 6);
  });

  it('with the values of a deployed one that was edited, also with its stored key', async () => {
    const elsewhere = await FakeStash.start({ apiKey: KEY });
    const server = { url: stash().url, auth: 'apiKey' };
    await start({ server, credentials: { apiKey: KEY } });
    const edited = { id: 'server1', content: { ...server, name: 'renamed', url: `${stash().url}/scenes` } };
    assert.equal((await press('studios', edited)).count, 6);

    const moved = { id: 'server1', content: { ...server, url: elsewhere.url } };
    assert.equal((await press('studios', moved)).case, 'UNAUTHORIZED.credentialsKept');
    assert.deepEqual(elsewhere.requests, []);
    const typed = { ...moved, content: { ...moved.content, apiKey: KEY } };
    assert.equal((await press('studios', typed)).count, 6);
    assert.ok(elsewhere.requests.length > 0);
    await elsewhere.stop();
  });

  it('but send nothing of the environment to it', async () => {
    Object.assign(process.env, { UNDEPLOYED_KEY: KEY, UNDEPLOYED_URL: stash().url });
    try {
      assert.equal(await refusal(entered({ apiKey: '${UNDEPLOYED_KEY}' })), 'UNAUTHORIZED.variableKept');
      assert.equal(await refusal(entered({ url: '${UNDEPLOYED_URL}' })), 'NO_SERVER.none');
      for (const network of [
        { proxy: { url: '${UNDEPLOYED_URL}' } },
        { tls: { servername: '${UNDEPLOYED_KEY}' } },
      ]) {
        assert.equal(await refusal(entered(network)), 'NO_SERVER.notDeployed');
      }
      assert.deepEqual(stash().requests, []);
    } finally {
      for (const name of ['UNDEPLOYED_KEY', 'UNDEPLOYED_URL']) Reflect.deleteProperty(process.env, name);
    }
  });

  it('unless values are wrong, which is an error case', async () => {
    for (const [content, expected] of [
      [{}, 'NO_SERVER.noAddress'],
      ['text', 'NO_SERVER.noAddress'],
      [null, 'NO_SERVER.noAddress'],
      [entered({ url: 'nas 9999' }), 'NO_SERVER.badAddress'],
      [entered({ timeout: 'soon' }), 'NO_SERVER.badNumber'],
      [entered({ pause: '1e12' }), 'NO_SERVER.badNumber'],
      [entered({ headers: 'Basic x' }), 'NO_SERVER.badHeaders'],
      [entered({ auth: 'basic' }), 'UNAUTHORIZED.unknownMethod'],
      [entered({ apiKey: '' }), 'UNAUTHORIZED.keyMissing'],
      [entered({ tls: 'gone' }), 'NO_SERVER.notDeployed'],
      [entered({ tls: { keydata: certificate.key } }), 'NO_SERVER.tlsMissing'],
      [entered({ tls: { cert: '/no/such/file', key: '/dev/zero' } }), 'NO_SERVER.tlsMissing'],
      [entered({ tls: { ca: '/proc/self/pagemap' } }), 'NO_SERVER.tlsMissing'],
      [entered({ tls: { cadata: 'x', certdata: 'x', keydata: 'x' } }), 'NO_SERVER.tlsUnusable'],
      [entered({ proxy: {} }), 'NO_SERVER.badProxy'],
    ] as const) {
      assert.equal(await refusal(content), expected, JSON.stringify(content));
    }
    assert.deepEqual(stash().requests, []);
  });

  it('and tell and log no secret, whatever the server responds', async () => {
    const forms = [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)];
    const password = 'a typed password of a proxy';
    const proxy = await ForwardProxy.start();
    proxy.login = `amy:${password}`;
    const seen: unknown[] = [];
    for (const echo of ['', forms.join(' ')]) {
      stash().answerNormally();
      if (echo !== '') stash().answerWith(text(500, echo));
      for (const content of [
        entered(),
        entered({ proxy: { url: proxy.url, username: 'amy', password } }),
        entered({ proxy: { url: proxy.url, username: 'amy', password: `${password}?` } }),
        entered({ tls: { keydata: certificate.key, certdata: 'x' } }),
      ]) {
        for (const [route, question] of questions) seen.push(await ask(route, { ...question, content }));
        seen.push(await press('studios', { id: 'added', content }));
      }
    }
    seen.push(helper.log().args);
    const everything = inspect(seen, { depth: 20, maxArrayLength: null, maxStringLength: null });
    assert.match(everything, /Blue Kettle/);
    for (const secret of [...forms, password, 'PRIVATE KEY']) assert.ok(!everything.includes(secret), secret);
    await proxy.stop();
  });

  it('and show no text of an address that nobody has deployed', async () => {
    stash().answerWith(json({ errors: [{ message: 'what only Node-RED can reach' }], data: null }));
    const content = entered();
    const seen: unknown[] = [await press('studios', { id: 'added', content })];
    for (const [route, question] of questions) seen.push(await ask(route, { ...question, content }));
    assert.match(JSON.stringify(seen), /GRAPHQL.failed/);
    assert.doesNotMatch(JSON.stringify(seen), /what only/);
  });

  it('over connections that are closed once no dialog uses them', async () => {
    const schemas = () => sent('__schema').length;
    const content = entered();
    for (let time = 0; time < 3; time += 1) await ask('document', { ...questions[3][1], content });
    assert.equal(schemas(), 1, 'the schema is not read at each key press');

    timing.undeployedServer = 1;
    await eventually(
      () => ask('document', { ...questions[3][1], content }),
      () => {
        assert.equal(schemas(), 2);
      },
    );

    const sockets: Socket[] = [];
    const origin = createServer((_request, response) => response.writeHead(404).end());
    origin.on('connection', (socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    // Neither side ends them by itself meanwhile.
    origin.keepAliveTimeout = 60_000;
    timing.connections = { ...timing.connections, keepAlive: 60_000 };
    try {
      const address = `http://127.0.0.1:${portOf(origin)}`;
      assert.equal(await refusal({ url: address, auth: 'none' }), 'NOT_STASH.notGraphQL');
      await until(() => sockets.length > 0 && sockets.every(({ closed }) => closed));
    } finally {
      origin.closeAllConnections();
      origin.close();
    }
  });

  it('but no more than eight at a time', async () => {
    const silent = await RawServer.open(() => undefined);
    const contentOf = (name: string) => ({ url: silent.url, auth: 'none', name });
    const requests = Array.from({ length: 8 }, (_, index) =>
      helper
        .request()
        .post('/stash-server/items')
        .send({ id: `added${index}`, content: contentOf(String(index)), kind: 'tag', text: '' }),
    );
    const waiting = Promise.allSettled(requests);
    await until(() => silent.requests.length === 8);
    assert.equal(await refusal(contentOf('another')), 'QUEUE_FULL.tests');
    requests.forEach(leave);
    await waiting;
    await silent.close();
    assert.equal(await refusal(entered()), undefined, 'one that nobody uses makes room');
  });

  it('with the rate limit of its address, whatever pause was entered', async () => {
    const flow = await start({
      type: 'stash-performer-search',
      server: { url: stash().url, auth: 'apiKey', pause: 60 },
      credentials: { apiKey: KEY },
    });
    await flow.ask({ payload: 'Hana' });
    const message = [{ property: 'payload', value: 'Robin', type: 'str' }];
    const trial = new Press('performer-search', { id: 'added', content: entered({ pause: '0' }), message });
    await until(() => trial.states.includes('waiting'));
    trial.leave();
    await trial.end;
    assert.equal(stash().site.calls.length, 1);
  });

  it('without a much longer pause for the messages of a deployed one', async () => {
    const flow = await start({
      type: 'stash-performer-search',
      server: { url: stash().url, auth: 'apiKey', pause: 0 },
      credentials: { apiKey: KEY },
    });
    await flow.ask({ payload: 'Hana' });
    const message = [{ property: 'payload', value: 'Robin', type: 'str' }];
    const trial = new Press('performer-search', {
      id: 'added',
      content: entered({ pause: '3600' }),
      message,
    });
    await until(() => trial.states.includes('waiting'));
    const { servers } = (await ask('activity', {})) as { servers: { sites: { nextAt: number }[] }[] };
    trial.leave();
    await trial.end;
    const [site] = servers.flatMap(({ sites }) => sites);
    assert.ok(site && site.nextAt < Date.now() + 10_000, JSON.stringify(servers));
  });

  it('with the environment of Node-RED for a trial, and a global context once a server is deployed', async () => {
    const search = (query: string, queryType: string) =>
      press('performer-search', {
        ...{ id: 'added', content: entered({ pause: '0' }), properties: { query, queryType } },
      });
    process.env['UNDEPLOYED_WHO'] = 'Robin';
    assert.equal((await search('UNDEPLOYED_WHO', 'env')).count, 2);
    Reflect.deleteProperty(process.env, 'UNDEPLOYED_WHO');
    const trial = await search('who', 'global');
    assert.deepEqual([trial.case, trial.details], ['BAD_INPUT.notDeployed', { source: 'global.who' }]);
    const { case: found, details } = await search('$uppercase($globalContext("who"))', 'jsonata');
    assert.deepEqual([found, details], ['BAD_INPUT.notDeployed', { source: '$globalContext' }]);
  });

  it('but not without the key that is stored for a node which does not run', async () => {
    const stored = { url: stash().url, auth: 'apiKey' };
    await start({ server: { ...stored, d: true }, credentials: { apiKey: KEY } });
    for (const id of ['server1', 'instance-server1']) {
      const { case: found } = await ask('items', { id, content: stored, kind: 'tag', text: '' });
      assert.equal(found, 'UNAUTHORIZED.credentialsKept');
    }
  });

  it('and keep no picture of it', async () => {
    const question = { id: 'added', content: entered(), path: '/scene/2/screenshot' };
    const { headers } = await helper.request().post('/stash-server/picture').send(question).expect(200);
    assert.equal(headers['cache-control'], 'no-store');
  });

  it('with at most fifty requests at a time for one server, whatever their ids are', async () => {
    const silent = await RawServer.open(() => undefined);
    const content = { url: silent.url, auth: 'none' };
    const requests = Array.from({ length: 51 }, (_, index) =>
      helper
        .request()
        .post('/stash-server/items')
        .send({ id: `added${index}`, content, kind: 'tag', text: '' }),
    );
    const waiting = Promise.allSettled(requests);
    const { body } = await Promise.race(requests);
    assert.equal((body as { case?: string }).case, 'QUEUE_FULL.tests');
    requests.forEach(leave);
    await waiting;
    await silent.close();
  });

  describe('with a TLS configuration or a proxy that is not deployed', () => {
    const folder = useFolder();
    let gateway: RawServer;

    beforeEach(async () => {
      gateway = await RawServer.open(async ({ method, path, body, headers }) => {
        const { apikey = '' } = headers;
        const answer = await fetch(stash().url + path, {
          method,
          headers: { 'content-type': 'application/json', apikey: String(apikey) },
          body,
        });
        const type = answer.headers.get('content-type') ?? '';
        return { status: answer.status, headers: { 'content-type': type }, body: await answer.text() };
      }, certificate);
    });
    afterEach(() => gateway.close());

    const tls = { id: 'tls1', certType: 'files', cert: '', key: '', ca: '', verifyservercert: true };

    it('that has its certificates typed, in a file or in the environment', async () => {
      writeFileSync(`${folder()}/ca.pem`, certificate.cert);
      process.env['UNDEPLOYED_CA'] = certificate.cert;
      for (const own of [
        { cadata: certificate.cert },
        { cadata: certificate.cert, certdata: certificate.cert, keydata: certificate.key },
        { ca: `${folder()}/ca.pem` },
        { certType: 'env', caEnv: 'UNDEPLOYED_CA' },
        { verifyservercert: false },
      ]) {
        const content = entered({ url: gateway.url, tls: { ...tls, ...own } });
        assert.equal(await refusal(content), undefined, JSON.stringify(own));
      }
      Reflect.deleteProperty(process.env, 'UNDEPLOYED_CA');
      assert.match(String(await refusal(entered({ url: gateway.url, tls }))), /^TLS\./);
    });

    it('that is disabled, which is an error case', async () => {
      const disabled = { ...tls, verifyservercert: false, d: true };
      assert.equal(await refusal(entered({ url: gateway.url, tls: disabled })), 'NO_SERVER.tlsMissing');
      const proxy = { id: 'proxy1', url: 'http://127.0.0.1:1', noproxy: ['127.0.0.1'], d: true };
      assert.equal(await refusal(entered({ proxy })), 'NO_SERVER.proxyMissing');
    });

    it('that has replaced a deployed one, without the key that is stored for that', async () => {
      const server = { url: gateway.url, auth: 'apiKey', tls: 'tls1' };
      const deployed = { ...tls, type: 'tls-config', credentials: { cadata: certificate.cert } };
      await start({ server, credentials: { apiKey: KEY }, configs: [deployed] });
      const trial = (more: object) =>
        press('studios', { id: 'server1', content: { ...server, name: 'renamed', ...more } });
      assert.equal((await trial({})).count, 6);
      const replaced = { ...tls, cadata: certificate.cert };
      assert.equal((await trial({ tls: replaced })).case, 'UNAUTHORIZED.credentialsKept');
      assert.equal((await trial({ tls: replaced, apiKey: KEY })).count, 6);
      // What is stored completes what was typed.
      assert.equal((await trial({ tls: { ...tls, servername: 'localhost' }, apiKey: KEY })).count, 6);
    });

    it('that is a proxy, whose stored password goes to no other one', async () => {
      const [proxy, other] = [await ForwardProxy.start(), await ForwardProxy.start()];
      proxy.login = 'amy:pr0xy';
      const credentials = { username: 'amy', password: 'pr0xy' };
      const typed = { id: 'proxy1', url: proxy.url, noproxy: [] };
      assert.equal(await refusal(entered({ proxy: { ...typed, ...credentials } })), undefined);
      assert.ok(proxy.requests.length > 0);

      await start({ configs: [{ ...typed, type: 'http proxy', credentials }] });
      assert.equal(
        await refusal(entered({ proxy: { ...typed, username: 'amy', name: 'renamed' } })),
        undefined,
      );
      const moved = { ...typed, url: other.url, username: 'amy' };
      assert.equal(await refusal(entered({ proxy: moved })), 'UNAUTHORIZED.credentialsKept');
      assert.equal(await refusal(entered({ proxy: { ...moved, password: 'typed' } })), undefined);
      assert.ok(!inspect(other.requests).includes(Buffer.from('amy:pr0xy').toString('base64')));
      await proxy.stop();
      await other.stop();
    });
  });

  it('refusing every request that a form on another website can post', async () => {
    const form = `content[url]=${encodeURIComponent(stash().url)}&content[auth]=none&path=/scene/2/screenshot`;
    for (const route of ['capabilities', 'items', 'document', 'picture', 'try/studios']) {
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
        await helper
          .request()
          .post(`/stash-server/${route}`)
          .set('Content-Type', type)
          .send(form)
          .expect(415);
      }
    }
    await helper.request().get(`/stash-server/picture?${form}`).expect(204);
    assert.deepEqual(stash().requests, []);
  });
});
