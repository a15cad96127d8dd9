import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { portOf } from '../support/connect';
import { until } from '../support/waiting';
import { Address } from '../../src/http/address';
import { readCredentials } from '../../src/http/credentials';
import type { Receiver } from '../../src/http/receiver';
import { RequestLog } from '../../src/http/request-log';
import { Transport } from '../../src/http/transport';

const LENGTH = 32 * 2 ** 20;

describe('A file from a server', () => {
  let origin: Server;
  let connection: Socket | undefined;
  let transport: Transport;

  beforeEach(async () => {
    origin = createServer((_request, response) => response.end(Buffer.alloc(LENGTH))).listen(0, '127.0.0.1');
    origin.on('connection', (socket: Socket) => (connection = socket));
    await once(origin, 'listening');
    transport = new Transport({
      address: new Address(`http://127.0.0.1:${portOf(origin)}`),
      credentials: readCredentials({ auth: 'none' }),
      network: {},
      timeout: 5,
      log: new RequestLog('nas', undefined),
    });
  });
  afterEach(async () => {
    await transport.close();
    origin.close();
    origin.closeAllConnections();
  });

  const get = (receiver: Receiver) =>
    transport.get({
      path: '/file',
      offset: 0,
      receive: () => receiver,
      signal: new AbortController().signal,
      trace: { sent: false },
    });

  for (const [when, isReady] of [
    ['has begun', false],
    ['has taken a chunk', true],
  ] as const) {
    it(`is read no further until its receiver ${when}`, async () => {
      let bytes = 0;
      let free: (() => void) | undefined;
      const busy = new Promise<void>((resolve) => (free = resolve));
      const getting = get({
        ready: isReady ? undefined : busy,
        take: (chunk) => {
          bytes += chunk.length;
          return isReady ? busy : undefined;
        },
      });
      await until(() => bytes > 0 || (connection?.bytesWritten ?? 0) > 0);
      await setTimeout(100);
      assert.ok(bytes < LENGTH / 8, `${bytes} bytes`);
      free?.();
      await getting;
      assert.equal(bytes, LENGTH);
    });
  }

  it('leaves no connection behind', async () => {
    await get({ ready: undefined, take: () => undefined });
    assert.ok(connection);
    // Otherwise it would be kept for some seconds.
    if (!connection.closed) await once(connection, 'close', { signal: AbortSignal.timeout(1000) });
  });
});
