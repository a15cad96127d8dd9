import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { TestServer, failure, options, SEARCH, STATUS, timeLimits } from '../support/connect';
import type { ServerOptions } from '../../src/server/options';
import { Server } from '../../src/server/server';

const KEY = 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk';

describe('A server', () => {
  it('has the given name, or its host as the name', async () => {
    for (const [name, expected] of [
      ['  Living room ', 'Living room'],
      ['', 'nas:9999'],
      ['  ', 'nas:9999'],
      [undefined, 'nas:9999'],
    ]) {
      const server = new Server(options('http://NAS:9999/stash/', { name }));
      assert.equal(server.name, expected);
      assert.equal(server.url, 'http://nas:9999/stash');
      await server.close();
    }
  });
});

describe('A request', () => {
  let stash: FakeStash;
  const servers: TestServer[] = [];

  function connect(changes: Partial<ServerOptions> = {}): TestServer {
    const server = new TestServer(options(stash.url, changes));
    servers.push(server);
    return server;
  }

  async function restart(settings: Parameters<typeof FakeStash.start>[0]): Promise<void> {
    await stash.stop();
    stash = await FakeStash.start(settings);
  }

  beforeEach(async () => {
    stash = await FakeStash.start();
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await stash.stop();
  });

  it('returns the data of the response', async () => {
    assert.deepEqual(await connect().query(STATUS), { status: 'OK' });
  });

  it('is a POST with nothing but the document if there are no variables', async () => {
    await connect().query(STATUS);
    assert.deepEqual(
      stash.requests.map(({ method, path, body }) => ({ method, path, body })),
      [{ method: 'POST', path: '/graphql', body: { query: STATUS } }],
    );
  });

  it('sends values as variables, never inside the document', async () => {
    await connect().search('Robin "Vale"\n}');
    assert.deepEqual(stash.requests[0]?.body, { query: SEARCH, variables: { query: 'Robin "Vale"\n}' } });
  });

  it('sends values in any script', async () => {
    await connect().search('Zoë 岡 😀');
    assert.equal(stash.site.calls[0]?.name, 'Zoë 岡 😀');
  });

  it('uses the sub-path of the address', async () => {
    await restart({ basePath: '/media/stash' });
    await connect({ url: `${stash.url}/` }).query();
    assert.equal(stash.requests[0]?.path, '/media/stash/graphql');
  });

  const plain = {
    host: '',
    connection: 'keep-alive',
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(JSON.stringify({ query: STATUS }))),
  };

  it('has only the necessary headers', async () => {
    await connect().query(STATUS);
    assert.deepEqual(stash.requests[0]?.headers, { ...plain, host: new URL(stash.url).host });
  });

  it('sends the API key', async () => {
    await restart({ apiKey: KEY });
    await connect({ auth: 'apiKey', apiKey: KEY }).query(STATUS);
    assert.deepEqual(stash.requests[0]?.headers, { ...plain, host: new URL(stash.url).host, apikey: KEY });
  });

  it('sends no stored API key if no sign-in is chosen', async () => {
    await connect({ auth: 'none', apiKey: KEY }).query();
    assert.equal(stash.requests[0]?.headers['apikey'], undefined);
  });

  describe('with shared connections', () => {
    let sockets: Set<Socket>;

    beforeEach(() => {
      sockets = new Set();
      stash.answerWith(async (request, response, _body, execute) => {
        sockets.add(request.socket);
        await sleep(2);
        send(request, response, await execute());
      });
    });

    it('reuses them', async () => {
      const server = connect();
      for (let count = 0; count < 10; count++) await server.query();
      await server.scan();
      assert.equal(stash.requests.length, 12);
      assert.ok(sockets.size <= 2, `${sockets.size} connections`);
    });

    it('uses at most sixteen, however many requests run at the same time', async () => {
      const server = connect();
      await Promise.all(Array.from({ length: 60 }, () => server.query()));
      assert.equal(stash.requests.length, 60);
      assert.ok(sockets.size > 1 && sockets.size <= 16, `${sockets.size} connections`);
    });
  });

  describe('to the external site', () => {
    it('waits for requests of other config nodes for the same address, and keeps the longer pause', async () => {
      const one = connect({ pause: 0 });
      const other = connect({ url: `${stash.url}/`, pause: 0.05 });
      await Promise.all([one.search('a'), other.search('b'), one.search('c')]);
      const { calls } = stash.site;
      for (const [index, { startedAt }] of calls.slice(1).entries()) {
        assert.ok(startedAt - (calls[index]?.endedAt ?? NaN) >= 50);
      }
    });

    it('does not delay other requests', async () => {
      const server = connect({ pause: 2 });
      await server.search('a');
      const waiting = failure(server.search('b'));
      await server.query();
      await server.scan();
      assert.deepEqual(
        stash.requests.map(({ operation }) => operation),
        ['scrapeSitePerformerList', 'systemStatus', 'systemStatus', 'metadataScan'],
      );
      await server.close();
      assert.equal((await waiting).code, 'CLOSED');
    });

    it('may wait longer than its time limit', async () => {
      const server = connect({ pause: 1.6, lookupTimeout: 1.5 });
      await server.search('a');
      await server.search('b');
      assert.equal(stash.site.calls.length, 2);
    });

    it('has the time limit of look-ups, and not that of queries', async () => {
      stash.site.delay = 60;
      await connect({ timeout: 0.02 }).search('a');
    });
  });

  it('for a backup has the time limit of backups, and not that of queries', async () => {
    await restart({});
    const server = connect({ timeout: 4321, backupTimeout: 1234 });
    const limits = timeLimits();
    assert.deepEqual(await server.backup(), null);
    assert.equal(limits().filter((seconds) => seconds === 1234).length, 1);
  });
});
