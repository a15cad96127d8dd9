import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import { createServer as createSilentServer } from 'node:net';
import type { StashError } from '../../src/errors';
import { StandIn } from '../stand-in/stand-in';
import { certificate } from './certificate';
import { Asked, failure, options, portOf } from './connect';

describe('Over TLS', () => {
  async function ask(url: string): Promise<StashError> {
    const server = new Asked(options(url, { auth: 'apiKey', apiKey: 'key' }));
    const error = await failure(server.scan());
    await server.close();
    return error;
  }

  describe('a server with a certificate of its own', () => {
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
      it(`is not trusted and not told the key, as ${host}`, async () => {
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

    it('is not spoken to without it', async () => {
      const error = await ask(`http://127.0.0.1:${portOf(server)}`);
      assert.equal(error.case, 'UNREACHABLE.lost');
      assert.deepEqual(requests, []);
    });
  });

  it('a server that never finishes the handshake is given up when the time has passed', async () => {
    const silent = createSilentServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const server = new Asked(options(`https://127.0.0.1:${portOf(silent)}`, { timeout: 0.1 }));
    const start = performance.now();
    assert.equal((await failure(server.query())).case, 'TIMEOUT.noAnswer');
    assert.ok(performance.now() - start < 1000);
    await server.close();
    silent.close();
  });

  it('a server that speaks plain HTTP says nothing that can be understood', async () => {
    const stash = await StandIn.start();
    const error = await ask(stash.url.replace('http:', 'https:'));
    assert.equal(error.case, 'TLS.protocol');
    assert.equal(error.retry, false);
    assert.deepEqual(stash.requests, []);
    await stash.stop();
  });
});
