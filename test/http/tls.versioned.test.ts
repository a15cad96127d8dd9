import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import { createServer as createSilentServer } from 'node:net';
import { FakeStash } from '../fake-stash/fake-stash';
import { certificate, expired } from '../support/certificate';
import { TestServer, failure, options, portOf } from '../support/connect';
import { RawServer, GOOD } from '../support/raw-server';
import type { StashError } from '../../src/errors';
import type { TlsOptions } from '../../src/http/route';

describe('Over TLS', () => {
  async function ask(url: string): Promise<StashError> {
    const server = new TestServer(options(url, { auth: 'apiKey', apiKey: 'key' }));
    const error = await failure(server.scan());
    await server.close();
    return error;
  }

  describe('a server with a self-signed certificate', () => {
    let server: HttpsServer;
    let requests: IncomingMessage[];

    beforeEach(async () => {
      requests = [];
      server = createServer(certificate, (request, response) => {
        requests.push(request);
        response.end();
      });
      server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterEach(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });

    for (const host of ['127.0.0.1', 'localhost']) {
      it(`is not trusted and receives no API key, as ${host}`, async () => {
        const error = await ask(`https://${host}:${portOf(server)}/stash`);
        assert.equal(error.case, 'TLS.authority');
        assert.equal(error.retry, false);
        assert.equal(error.status, null);
        assert.deepEqual(error.details, {
          url: `https://${host}:${portOf(server)}/stash`,
          host: `${host}:${portOf(server)}`,
          code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        });
        assert.deepEqual(requests, []);
      });
    }

    it('refuses plain HTTP', async () => {
      const error = await ask(`http://127.0.0.1:${portOf(server)}`);
      assert.equal(error.case, 'UNREACHABLE.lost');
      assert.deepEqual(requests, []);
    });
  });

  describe('a TLS configuration', () => {
    let origin: RawServer | undefined;
    afterEach(async () => {
      await origin?.close();
      origin = undefined;
    });

    async function scan(tls: TlsOptions, url = origin?.url ?? ''): Promise<unknown> {
      const server = new TestServer(options(url, { tls }));
      try {
        return await server.scan();
      } finally {
        await server.close();
      }
    }

    it('supplies the CA of the server', async () => {
      origin = await RawServer.open(() => GOOD, certificate);
      assert.equal(await scan({ ca: certificate.cert }), '1');
      assert.equal((await failure(scan({ ca: expired.cert }))).case, 'TLS.authority');
    });

    it('can turn verification off', async () => {
      origin = await RawServer.open(() => GOOD, expired);
      assert.equal(await scan({ rejectUnauthorized: false }), '1');
    });

    it('does not accept an expired certificate', async () => {
      origin = await RawServer.open(() => GOOD, expired);
      const error = await failure(scan({ ca: expired.cert }));
      assert.deepEqual([error.case, error.retry], ['TLS.expired', false]);
      assert.deepEqual(origin.requests, []);
    });

    it('sets the expected name of the certificate', async () => {
      origin = await RawServer.open(() => GOOD, certificate);
      assert.equal(await scan({ ca: certificate.cert, servername: 'localhost' }), '1');
      const error = await failure(scan({ ca: certificate.cert, servername: 'nas.example' }));
      assert.deepEqual([error.case, error.retry], ['TLS.name', false]);
    });

    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      it(`supplies the client certificate (${maxVersion})`, async () => {
        const gate = { ...certificate, ca: certificate.cert, requestCert: true, maxVersion };
        origin = await RawServer.open(() => GOOD, gate);
        const { cert, key } = certificate;
        assert.equal(await scan({ ca: cert, cert, key }), '1');
        // Node.js closes the connection without a reason; response.test.ts covers what other servers send.
        const error = await failure(scan({ ca: cert }));
        assert.match(error.case, /^(UNREACHABLE.lost|TLS.clientCertificate)$/);
        assert.equal(origin.requests.length, 2);
      });
    }

    it('leads to TLS.clientCertificate if a web page reports a missing certificate', async () => {
      const body = '<center>No required SSL certificate was sent</center>';
      origin = await RawServer.open(
        () => ({ status: 400, headers: { 'content-type': 'text/html' }, body }),
        certificate,
      );
      const error = await failure(scan({ ca: certificate.cert }));
      assert.deepEqual([error.case, error.status], ['TLS.clientCertificate', 400]);
      assert.deepEqual(error.details, { host: origin.host, code: 400 });
    });

    it('is refused at once if it is unusable', () => {
      for (const tls of [
        { ca: certificate.cert, cert: 'no certificate' },
        { cert: certificate.cert, key: expired.key },
      ]) {
        assert.throws(() => new TestServer(options('https://nas', { tls })), {
          case: 'NO_SERVER.tlsUnusable',
        });
      }
    });
  });

  it('a handshake that never finishes times out', async () => {
    const silent = createSilentServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const server = new TestServer(options(`https://127.0.0.1:${portOf(silent)}`, { timeout: 0.1 }));
    assert.equal((await failure(server.query())).case, 'TIMEOUT.noAnswer');
    await server.close();
    silent.close();
  });

  it('a server with plain HTTP leads to TLS.protocol', async () => {
    const stash = await FakeStash.start();
    const error = await ask(stash.url.replace('http:', 'https:'));
    assert.equal(error.case, 'TLS.protocol');
    assert.equal(error.retry, false);
    assert.deepEqual(stash.requests, []);
    await stash.stop();
  });
});
