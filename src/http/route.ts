import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { buildConnector, Pool } from 'undici';
import { Semaphore } from '../async';
import { StashError } from '../errors';
import type { Address } from './address';
import { connectionError } from './connection-error';
import { load } from './load';
import { proxyFor, type ProxyOptions, proxyRefusal, readProxy } from './proxy';

/** Shorter than any idle limit seen in front of a server, so that no request meets a connection being closed. */
const KEEP_ALIVE_MILLISECONDS = 4_000;
const CONNECT_MILLISECONDS = 10_000;
/**
 * How many connections each kind of request has at most. None takes those of another: backups may hang for an hour, and
 * whoever opens dialogs may do so as often as they like. Backups have a limit, too, as each of them keeps its connection that
 * long, and a process has only so many.
 */
const CONNECTIONS = { messages: 16, backups: 16, editor: 2 };

/** What goes beyond the strict usual: own authorities, a client certificate … */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>;

/** How connections are made. */
export interface NetworkOptions {
  /** For `https` only. */
  tls?: TlsOptions | undefined;
  /** In the place of what the environment names. */
  proxy?: ProxyOptions | undefined;
}

/** Time limits belong to the kind of request (server.ts), not to the connection. */
export const UNLIMITED = { headersTimeout: 0, bodyTimeout: 0 };

/** The way to one origin. */
export interface Route extends Way {
  lanes: Readonly<Record<LaneName, Lane>>;
  close: () => Promise<unknown>;
}

export type LaneName = keyof typeof CONNECTIONS;

/** Connections of one kind of request, and who waits for one. */
export interface Lane {
  pool: Pool;
  places: Semaphore;
}

/** How connections lead to one origin. */
interface Way {
  /** Of the server, or of the forward proxy. */
  origin: string;
  connect: buildConnector.connector;
  /** What precedes the path of each request, and its headers: a forward proxy is told all of the address. */
  prefix: string;
  headers: Readonly<Record<string, string>>;
  /** The forward proxy that the connections lead to. */
  proxy?: string;
  /** No proxy stands between. */
  isDirect: boolean;
  /** What no text may show. */
  secrets: readonly string[];
  /** Ends what the connections lead through. */
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

/** Opens the way to an address; connections are made as requests need them. */
export async function openRoute(address: Address, options: NetworkOptions): Promise<Route> {
  const undici = await load('undici', () => import('undici'));
  const way = findWay(undici, address, options);
  const laneOf = (name: LaneName): Lane => {
    const connections = CONNECTIONS[name];
    const pool = new undici.Pool(way.origin, {
      ...UNLIMITED,
      connections,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      connect: way.connect,
    });
    return { pool, places: new Semaphore(connections) };
  };
  const lanes = { messages: laneOf('messages'), backups: laneOf('backups'), editor: laneOf('editor') };
  const pools = Object.values(lanes).map(({ pool }) => pool);
  return {
    ...way,
    lanes,
    close: () => Promise.all([...pools.map((pool) => pool.destroy()), way.close?.()]),
  };
}

function findWay(
  { buildConnector, Pool }: typeof import('undici'),
  address: Address,
  { tls, proxy: chosen }: NetworkOptions,
): Way {
  const plain = { timeout: CONNECT_MILLISECONDS };
  const connect = withTlsAlerts(buildConnector({ ...tls, ...plain }));
  const { origin, endpoint } = address;
  const proxy = proxyFor(address, chosen);
  if (!proxy) return { origin, connect, prefix: '', headers: {}, isDirect: true, secrets: [] };
  const { secrets } = proxy;
  if (!address.isSecure) {
    return {
      origin: proxy.origin,
      // Not through a tunnel as below: many proxies allow one to port 443 only.
      connect: buildConnector(plain),
      prefix: origin,
      headers: { host: address.host, ...proxy.headers },
      proxy: proxy.host,
      isDirect: false,
      secrets,
    };
  }
  const proxies = new Pool(proxy.origin, { connect: plain, headersTimeout: CONNECT_MILLISECONDS });
  // undici's own ProxyAgent does the same, but tells little of why a proxy refuses.
  const tunnel: buildConnector.connector = (options, callback) => {
    proxies
      .connect({ path: endpoint, headers: { host: endpoint, ...proxy.headers } })
      .then(({ statusCode, socket }) => {
        if (statusCode >= 200 && statusCode < 300) {
          connect({ ...options, httpSocket: socket as never }, callback);
        } else {
          // Nobody else listens, and an error that nobody hears would end Node-RED.
          socket.on('error', () => undefined).destroy();
          callback(proxyRefusal(proxy.host, address, statusCode), null);
        }
      })
      .catch((error: unknown) => {
        callback(connectionError(error, address, proxy.host), null);
      });
  };
  return {
    origin,
    connect: tunnel,
    prefix: '',
    headers: {},
    isDirect: false,
    secrets,
    close: () => proxies.destroy(),
  };
}

/**
 * A connector whose connections end with the reason that the other side gives. With TLS 1.3 it tells only after the
 * handshake that it wants another client certificate, and undici takes the end that follows for the reason.
 */
function withTlsAlerts(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error) {
        callback(error, null);
        return;
      }
      socket.once('error', (reason: Error) => socket.destroy(reason));
      callback(null, socket);
    });
  };
}
