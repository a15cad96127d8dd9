import assert from 'node:assert/strict';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { restore, stub } from 'sinon';
import { FakeStash } from '../fake-stash/fake-stash';
import { failure, freePort, portOf } from '../support/connect';
import { Address } from '../../src/http/address';
import { firstHop, readCertificate, resolveHost, timeConnection } from '../../src/http/connection-check';
import { identify } from '../../src/http/identify';
import { timing } from '../../src/timing';

describe('A check of a connection', () => {
  const { signal } = new AbortController();
  const usual = timing.diagnosis.connection;
  const direct = { proxy: { url: '', except: [] } };
  const by = (url: string) => ({ proxy: { url, except: [] } });
  let silent: Server | undefined;

  afterEach(() => {
    restore();
    timing.diagnosis.connection = usual;
    silent?.close();
    silent = undefined;
  });

  for (const [url, network, hostname, port, isProxy] of [
    ['http://nas', direct, 'nas', 80, false],
    ['https://nas', direct, 'nas', 443, false],
    ['http://nas:9999/stash', direct, 'nas', 9999, false],
    ['http://[::1]:9999', direct, '::1', 9999, false],
    ['http://nas', by('http://proxy'), 'proxy', 80, true],
    ['http://nas', by('https://proxy'), 'proxy', 443, true],
    ['https://nas', by('http://proxy:3128'), 'proxy', 3128, true],
    ['http://nas', by('http://[::1]:3128'), '::1', 3128, true],
    // The address of a server may not have it.
    ['http://nas', by('http://my~proxy:3128'), 'my~proxy', 3128, true],
  ] as const) {
    const proxy = network.proxy.url === '' ? '' : ` by way of ${network.proxy.url}`;
    it(`of ${url}${proxy} begins at port ${port} of ${hostname}`, () => {
      assert.deepEqual(firstHop(new Address(url), network), { hostname, port, isProxy });
    });
  }

  it('looks no IP address up', async () => {
    stub(dns, 'lookup').callsFake(() => assert.fail('It was looked up.'));
    for (const hostname of ['192.168.1.20', '::1']) {
      const address = new Address('http://nas');
      assert.deepEqual(await resolveHost({ hostname, port: 80, isProxy: false }, address, signal), [
        hostname,
      ]);
    }
  });

  for (const [isProxy, host] of [
    [false, 'nas:9999'],
    [true, 'proxy:3128'],
  ] as const) {
    it(`names ${host} if its name is not resolved in time`, async () => {
      timing.diagnosis.connection = 20;
      stub(dns, 'lookup').callsFake((() => new Promise(() => undefined)) as never);
      const stop = { hostname: 'proxy', port: 3128, isProxy };
      const error = await failure(resolveHost(stop, new Address('http://nas:9999'), signal));
      assert.equal(error.code, 'UNREACHABLE');
      assert.deepEqual([error.details['host'], error.details['code']], [host, 'EAI_AGAIN']);
    });
  }

  it('names the proxy that refuses a connection', async () => {
    const stop = { hostname: '127.0.0.1', port: await freePort(), isProxy: true };
    const error = await failure(timeConnection(stop, ['127.0.0.1'], new Address('http://nas'), signal));
    assert.deepEqual([error.code, error.details['host']], ['UNREACHABLE', `127.0.0.1:${stop.port}`]);
  });

  it('connects to the address that was found, and tells how long that took', async () => {
    const begun = performance.now();
    silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const stop = { hostname: 'no-such-host.example', port: portOf(silent), isProxy: false };
    const milliseconds = await timeConnection(stop, ['127.0.0.1'], new Address('http://nas'), signal);
    assert.ok(milliseconds > 0 && milliseconds <= performance.now() - begun, String(milliseconds));
  });

  it('ends with TIMEOUT if the server does not show its certificate', async () => {
    timing.diagnosis.connection = 50;
    let peer: Socket | undefined;
    silent = createServer((socket) => {
      peer = socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = new Address(`https://127.0.0.1:${portOf(silent)}`);
    const error = await failure(readCertificate(address, direct, signal));
    assert.deepEqual([error.case, error.details], ['TIMEOUT.noAnswer', { seconds: 0.05 }]);
    peer?.destroy();
  });

  it('tells how long Stash took to answer', async () => {
    const stash = await FakeStash.start({ release: 'v0.30.1' });
    try {
      const begun = performance.now();
      const place = { address: new Address(stash.url), network: direct };
      const { milliseconds } = await identify(place, signal);
      assert.ok(milliseconds > 0 && milliseconds <= performance.now() - begun, String(milliseconds));
    } finally {
      await stash.stop();
    }
  });
});
