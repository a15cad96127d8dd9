import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { buildConnector, Client, Pool } from 'undici';
import { Semaphore } from '../async';
import { StashError } from '../errors';
import { timing } from '../timing';
import type { Address } from './address';
import { connectionError } from './connection-error';
import { load } from './load';
import { proxyFor, type ProxyOptions, proxyRefusal, readProxy } from './proxy';

/**
 * The most connections of each pool. Pools do not share connections, because a backup may hang for an hour, and users may open
 * many dialogs. Backups have a limit, too, because a process can open only so many connections.
 */
const CONNECTIONS = { messages: 16, backups: 16, editor: 2 };

/** Deviations from the default TLS: custom certificate authorities, a client certificate … */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'ALPNProtocols' | 'rejectUnauthorized'
>;

export interface NetworkOptions {
  /** For `https` only. */
  tls?: TlsOptions | undefined;
  /** Replaces the proxy that the environment names. */
  proxy?: ProxyOptions | undefined;
}

/** Time limits belong to the kind of request (`graphql/client.ts`), not to the connection. */
const UNLIMITED = { headersTimeout: 0, bodyTimeout: 0 };

export interface Route extends Hop {
  pools: Readonly<Record<PoolName, RequestPool>>;
  /** Returns a client with one connection outside the pools, which `connect` opens. */
  openClient: (connect: buildConnector.connector) => Client;
  close: () => Promise<unknown>;
}

export type PoolName = keyof typeof CONNECTIONS;

/** The connections of one kind of request, with a permit for each. */
export interface RequestPool {
  pool: Pool;
  semaphore: Semaphore;
}

/** Where connections lead first: to the server, to a proxy that forwards requests, or through a tunnel to the server. */
interface Hop {
  /** That of the server, or of the proxy that forwards requests. */
  origin: string;
  connect: buildConnector.connector;
  /** The prefix of each path: a proxy that forwards requests needs the server's origin. */
  prefix: string;
  headers: Readonly<Record<string, string>>;
  /** The host of the proxy that forwards requests. */
  proxy?: string;
  /** Without a proxy. */
  isDirect: boolean;
  /** The secrets to redact from every text. */
  secrets: readonly string[];
  close?: () => Promise<unknown>;
}

/** @throws {StashError} NO_SERVER for options with which no connection can be made. */
export function checkNetwork({ tls, proxy }: NetworkOptions): void {
  if (proxy) readProxy(proxy);
  try {
    if (tls) createSecureContext(tls);
  } catch {
    throw new StashError('NO_SERVER.tlsUnusable');
  }
}

/** Opens the route to an address. It connects when the first request needs a connection. */
export async function openRoute(address: Address, options: NetworkOptions): Promise<Route> {
  const undici = await load('undici', () => import('undici'));
  const hop = hopTo(undici, address, options);
  const poolOf = (name: PoolName): RequestPool => {
    const connections = CONNECTIONS[name];
    const pool = new undici.Pool(hop.origin, {
      ...UNLIMITED,
      connections,
      keepAliveTimeout: timing.connections.keepAlive,
      connect: hop.connect,
    });
    return { pool, semaphore: new Semaphore(connections) };
  };
  const pools = { messages: poolOf('messages'), backups: poolOf('backups'), editor: poolOf('editor') };
  return {
    ...hop,
    pools,
    openClient: (connect) => new undici.Client(hop.origin, { ...UNLIMITED, connect }),
    close: () => Promise.all([...Object.values(pools).map(({ pool }) => pool.destroy()), hop.close?.()]),
  };
}

function hopTo(
  { buildConnector, Pool }: typeof import('undici'),
  address: Address,
  { tls, proxy: chosen }: NetworkOptions,
): Hop {
  const timeLimit = { timeout: timing.connections.connect };
  const connect = withTlsAlerts(buildConnector({ ...tls, ...timeLimit }));
  const { origin, endpoint } = address;
  const proxy = proxyFor(address, chosen);
  if (!proxy) return { origin, connect, prefix: '', headers: {}, isDirect: true, secrets: [] };
  const { secrets } = proxy;
  if (!address.isSecure) {
    return {
      origin: proxy.origin,
      // No tunnel as below, because many proxies allow one to port 443 only.
      connect: buildConnector(timeLimit),
      prefix: origin,
      headers: { host: address.host, ...proxy.headers },
      proxy: proxy.host,
      isDirect: false,
      secrets,
    };
  }
  const tunnels = new Pool(proxy.origin, { connect: timeLimit, headersTimeout: timing.connections.connect });
  // undici's own ProxyAgent does the same, but says little about why a proxy refuses.
  const tunnel: buildConnector.connector = (options, callback) => {
    tunnels
      .connect({ path: endpoint, headers: { host: endpoint, ...proxy.headers } })
      .then(({ statusCode, socket }) => {
        if (statusCode >= 200 && statusCode < 300) {
          connect({ ...options, httpSocket: socket as never }, callback);
        } else {
          // An error event without a listener would end Node-RED.
          socket.on('error', () => undefined).destroy();
          callback(proxyRefusal(proxy.host, address, statusCode), null);
        }
      })
      .catch((error: unknown) => callback(connectionError(error, address, proxy.host), null));
  };
  return {
    origin,
    connect: tunnel,
    prefix: '',
    headers: {},
    isDirect: false,
    secrets,
    close: () => tunnels.destroy(),
  };
}

/**
 * Makes a TLS alert that arrives after the handshake the error of the socket. With TLS 1.3 a server rejects a client
 * certificate only then, and undici would report a plain "other side closed".
 */
function withTlsAlerts(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      socket.once('error', (reason: Error) => socket.destroy(reason));
      callback(null, socket);
    });
}
