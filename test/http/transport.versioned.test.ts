import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { portOf } from '../support/connect';
import { until } from '../support/waiting';
import { Address } from '../../src/http/address';
import { readCredentials } from '../../src/http/credentials';
import type { Receiver } from '../../src/http/dispatch';
import { RequestLog } from '../../src/http/request-log';
import { Transport } from '../../src/http/transport';

const LENGTH = 32 * 2 ** 20;

describe('A file from a server', () => {
  let origin: Server;
  let connection: Socket | undefined;
  let headers: IncomingHttpHeaders | undefined;
  let transport: Transport;

  beforeEach(async () => {
    origin = createServer((request, response) => {
      headers = request.headers;
      response.end(Buffer.alloc(LENGTH));
    }).listen(0, '127.0.0.1');
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

  const get = (receiver: Receiver, part: { offset: number; length?: number } = { offset: 0 }) =>
    transport.get({
      path: '/file',
      ...part,
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

  const parts: [what: string, part: { offset: number; length?: number }, range?: string, cache?: string][] = [
    ['all of it', { offset: 0 }],
    ['the rest', { offset: 300 }, 'bytes=300-'],
    ['its start, not from a cache', { offset: 0, length: 100 }, 'bytes=0-99', 'no-cache'],
    ['a part, not from a cache', { offset: 300, length: 100 }, 'bytes=300-399', 'no-cache'],
  ];
  for (const [what, part, range, cache] of parts) {
    it(`can be requested uncompressed: ${what}`, async () => {
      await get({ ready: undefined, take: () => undefined }, part);
      assert.equal(headers?.range, range);
      assert.equal(headers?.['cache-control'], cache);
      assert.equal(headers?.['accept-encoding'], 'identity');
    });
  }

  it('leaves no connection behind', async () => {
    await get({ ready: undefined, take: () => undefined });
    assert.ok(connection);
    // Otherwise it would be kept for some seconds.
    if (!connection.closed) await once(connection, 'close', { signal: AbortSignal.timeout(1000) });
  });
});
