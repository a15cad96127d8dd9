import { withTimeLimit } from '../../async';
import type { Finding } from '../../contract/connection-test';
import { StashError } from '../../errors';
import { redactTo } from '../../redact';
import {
  type Address,
  type FirstHop,
  identify,
  type Identity,
  type NetworkOptions,
  readCertificate,
  resolveHost,
  type Server,
  timeConnection,
} from '../../server';
import { timing } from '../../timing';
import { found } from './check-list';

/** The longest name of an issuer to show, in UTF-16 units. */
const LONGEST_ISSUER = 60;
const MOST_ADDRESSES = 4;
/** A certificate that ends sooner is worth a hint, in days. */
const ENDS_SOON = 14;
const DAY = 24 * 60 * 60 * 1000;

/** Checks that the name of the server resolves, or that of the proxy in front of it. */
export async function checkName(
  hop: FirstHop,
  address: Address,
  signal: AbortSignal,
): Promise<Finding & { ips: readonly string[] }> {
  const { hostname: host, isProxy } = hop;
  const ips = await resolveHost(hop, address, signal);
  if (ips.length === 1 && ips[0] === host) return { ...found('neutral', 'literal'), ips };
  const more = ips.length > MOST_ADDRESSES ? ', …' : '';
  const addresses = ips.slice(0, MOST_ADDRESSES).join(', ') + more;
  return { ...found('ok', isProxy ? 'proxyResolved' : 'resolved', { host, addresses }), ips };
}

/** Checks that something accepts connections there. */
export async function checkPort(
  hop: FirstHop,
  ips: readonly string[],
  address: Address,
  signal: AbortSignal,
): Promise<Finding> {
  const { hostname, port, isProxy } = hop;
  const milliseconds = rounded(await timeConnection(hop, ips, address, signal));
  const endpoint = isProxy ? `${hostname}:${port}` : address.endpoint;
  return found('ok', isProxy ? 'proxyConnected' : 'connected', { endpoint, milliseconds });
}

export async function checkTls(
  address: Address,
  network: NetworkOptions,
  signal: AbortSignal,
): Promise<Finding> {
  if (!address.isSecure) return found('neutral', 'plain');
  const { issuer, end, isVerified } = await readCertificate(address, network, signal);
  if (!isVerified) return found('ok', 'unverified');
  const count = Math.max(0, Math.floor((end - Date.now()) / DAY));
  const details = { issuer: redactTo(issuer, LONGEST_ISSUER) || '–', count };
  return count < ENDS_SOON ? found('hint', 'certificateEnds', details) : found('ok', 'certificate', details);
}

/** Checks that Stash answers, without a sign-in. @param headers those for a reverse proxy in front of it. */
export async function checkStash(
  address: Address,
  network: NetworkOptions,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Finding & { identity: Identity }> {
  const limit = new AbortController();
  const identity = await withTimeLimit(limit, timing.editor / 1000, () =>
    identify({ address, network, headers }, AbortSignal.any([signal, limit.signal])),
  );
  const milliseconds = rounded(identity.milliseconds);
  const finding = identity.isCertain ? found('ok', 'stash', { milliseconds }) : found('hint', 'perhapsStash');
  return { ...finding, identity };
}

/** Checks the credentials. @param server the error of unusable credentials. */
export async function checkSignIn(
  server: Server | StashError,
  auth: string,
  { access }: Pick<Identity, 'access'>,
  signal: AbortSignal,
): Promise<Finding> {
  if (access === 'blocked') throw new StashError('UNAUTHORIZED.exposed');
  const isOpen = access === 'open';
  if (auth === 'none') {
    if (isOpen) return found('ok', 'noSignIn');
    throw new StashError('UNAUTHORIZED.keyNeeded');
  }
  const none: Pick<Finding, 'remedies'> = { remedies: [{ kind: 'auth', auth: 'none' }] };
  if (server instanceof StashError) {
    if (!isOpen) throw server;
    return { state: 'failed', case: server.case, details: {}, ...none };
  }
  try {
    await server.signIn({ signal, waiting: signal });
  } catch (error) {
    // A server without a password rejects every key (all releases).
    const isUnneeded = isOpen && error instanceof StashError && error.case === 'UNAUTHORIZED.keyRefused';
    if (!isUnneeded) throw error;
    return { ...found('failed', 'keyUnneeded'), ...none };
  }
  if (isOpen) return { ...found('hint', 'unneeded'), ...none };
  return found('ok', auth === 'apiKey' ? 'keyAccepted' : 'sessionStarted');
}

/** Rounds a time in milliseconds. None is 0. */
export function rounded(milliseconds: number): number {
  return Math.max(1, Math.round(milliseconds));
}
