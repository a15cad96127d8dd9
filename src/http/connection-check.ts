import { lookup } from 'node:dns/promises';
import { connect, isIP, type LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { answeredWithin } from '../async';
import { StashError } from '../errors';
import { timing } from '../timing';
import type { Address } from './address';
import { connectionError } from './connection-error';
import { proxyFor } from './proxy';
import { type NetworkOptions, openRoute } from './route';

/** The first hop of all connections to an address: the server itself, or a proxy. */
export interface FirstHop {
  hostname: string;
  port: number;
  isProxy: boolean;
}

export interface Certificate {
  /** As the certificate has it; empty if it has none. */
  issuer: string;
  /** In milliseconds since 1970. */
  end: number;
  isVerified: boolean;
}

/** @throws {StashError} NO_SERVER for an unusable proxy. */
export function firstHop(address: Address, { proxy: chosen }: NetworkOptions): FirstHop {
  const proxy = proxyFor(address, chosen);
  if (!proxy) return { hostname: address.hostname, port: address.port, isProxy: false };
  // The address of a proxy may be one that that of a server may not.
  const { hostname, port, protocol } = new URL(proxy.origin);
  return {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
    isProxy: true,
  };
}

/**
 * Returns the IP addresses of a host; the host itself if it is one.
 * @param address the destination, which errors name.
 * @throws {StashError} UNREACHABLE if there are none.
 */
export async function resolveHost(
  { hostname, port, isProxy }: FirstHop,
  address: Address,
  signal: AbortSignal,
): Promise<string[]> {
  if (isIP(hostname) !== 0) return [hostname];
  try {
    const found = await inTime(lookup(hostname, { all: true }), withCode('EAI_AGAIN'), signal);
    return found.map(({ address: ip }) => ip);
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error, address, isProxy ? `${hostname}:${port}` : undefined);
  }
}

/**
 * Opens a connection and closes it.
 * @param ips the IP addresses of the host, so that the time does not contain the look-up.
 * @param address the destination, which errors name.
 * @returns the time in milliseconds.
 * @throws {StashError} UNREACHABLE if nothing accepts it.
 */
export async function timeConnection(
  { hostname, port, isProxy }: FirstHop,
  ips: readonly string[],
  address: Address,
  signal: AbortSignal,
): Promise<number> {
  const known = ips.map((ip) => ({ address: ip, family: isIP(ip) }));
  const [first = { address: hostname, family: 0 }] = known;
  const lookUp: LookupFunction = (_host, { all }, callback) => {
    if (all) callback(null, known);
    else callback(null, first.address, first.family);
  };
  const start = performance.now();
  const socket = connect({ host: hostname, port, lookup: lookUp });
  try {
    const opening = new Promise<void>((resolve, reject) =>
      socket.once('connect', resolve).once('error', reject),
    );
    await inTime(opening, withCode('ETIMEDOUT'), signal);
    return performance.now() - start;
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error, address, isProxy ? `${hostname}:${port}` : undefined);
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

/**
 * Opens a TLS connection, through a tunnel if there is a proxy, and closes it.
 * @throws {StashError} TLS or UNREACHABLE for a connection that fails, TIMEOUT.
 */
export async function readCertificate(
  address: Address,
  network: NetworkOptions,
  signal: AbortSignal,
): Promise<Certificate> {
  const route = await openRoute(address, network);
  const { host, hostname, port } = address;
  const reading = new Promise<TLSSocket>((resolve, reject) =>
    route.connect({ host, hostname, port: String(port), protocol: 'https:' }, (...[error, socket]) => {
      if (error) reject(error);
      else resolve(socket as TLSSocket);
    }),
  ).then(certificateOf);
  // The caller may not wait so long.
  void reading.catch(() => undefined).then(() => route.close());
  try {
    const seconds = timing.diagnosis.connection / 1000;
    return await inTime(reading, new StashError('TIMEOUT.noAnswer', { details: { seconds } }), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error, address);
  }
}

function certificateOf(socket: TLSSocket): Certificate {
  const found = socket.getPeerX509Certificate();
  const isVerified = socket.authorized;
  // An error event without a listener would end Node-RED.
  socket.on('error', () => undefined).destroy();
  // The server has closed the connection by now.
  if (!found) throw withCode('ECONNRESET');
  const [, issuer = ''] = /^(?:CN|O)=(.*)$/m.exec(found.issuer) ?? [];
  return { issuer, end: Date.parse(found.validTo), isVerified };
}

/** @throws `late` if the part takes too long; the signal's reason once it is aborted. */
async function inTime<T>(part: Promise<T>, late: Error, signal: AbortSignal): Promise<T> {
  return await answeredWithin(timing.diagnosis.connection, part, () => late, signal);
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}
