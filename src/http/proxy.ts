import { BlockList, isIP, isIPv6 } from 'node:net';
import { decoded } from '../contract/server';
import { StashError } from '../errors';
import type { Address } from './address';

export interface ProxyOptions {
  url: string;
  /** Hosts that are reached without the proxy, as in `no_proxy`. */
  except: readonly string[];
  username?: string | undefined;
  password?: string | undefined;
}

/** `ProxyOptions`, checked. */
export interface Proxy {
  origin: string;
  host: string;
  headers: Record<string, string>;
  /** The secrets to redact from every text. */
  secrets: string[];
}

/**
 * Returns the error for a proxy that neither forwards nor tunnels.
 * @param proxy its host.
 * @param status its HTTP status.
 */
export function proxyRefusal(proxy: string, address: Address, status: number): StashError {
  const details = { url: address.base, host: proxy, code: status };
  if (status === 407) return new StashError('UNREACHABLE.proxySignIn', { status, details });
  return new StashError('UNREACHABLE.proxyRefused', { status, details, retry: status >= 500 });
}

/**
 * Returns the configured proxy, or that of the environment as it is now; undefined for a direct connection.
 * @throws {StashError} NO_SERVER for a proxy whose address cannot be used.
 */
export function proxyFor(address: Address, configured: ProxyOptions | undefined): Proxy | undefined {
  const url = configured?.url ?? environmentVariable(address.isSecure ? 'https_proxy' : 'http_proxy');
  const except = configured?.except ?? environmentVariable('no_proxy').split(/[\s,]+/);
  if (url === '' || except.some((entry) => isBypassed(address, entry))) return undefined;
  return readProxy({ ...configured, url, except });
}

function environmentVariable(name: string): string {
  return process.env[name] ?? process.env[name.toUpperCase()] ?? '';
}

/**
 * Whether an entry of `no_proxy` covers an address: a host with all of its subdomains, perhaps with a port, or a range of
 * addresses such as `192.168.0.0/16`, which Stash has in its own setting.
 */
function isBypassed({ hostname, port: ownPort }: Address, entry: string): boolean {
  const text = entry.trim().toLowerCase();
  if (text === '*' || isInRange(hostname, text)) return true;
  const [, name = '', port] = isIPv6(text) ? [text, text] : (/^(.*?)(?::(\d+))?$/.exec(text) ?? []);
  const bare = name.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  if (bare === '' || (port !== undefined && port !== String(ownPort))) return false;
  return hostname === bare || hostname.endsWith(`.${bare}`);
}

function isInRange(host: string, range: string): boolean {
  const [, network = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(range) ?? [];
  const version = isIP(network);
  if (version === 0 || version !== isIP(host) || Number(bits) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, family);
}

/** @throws {StashError} NO_SERVER for an address that cannot be used. */
export function readProxy({ url: text, username, password }: ProxyOptions): Proxy {
  // The environment may name a proxy without a scheme.
  const trimmed = text.trim();
  const full = /^[a-z][\w+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new StashError('NO_SERVER.badProxy');
  const user = username || decoded(url.username);
  const secret = password || decoded(url.password);
  const login = Buffer.from(`${user}:${secret}`).toString('base64');
  return {
    origin: url.origin,
    host: url.host,
    headers: user === '' && secret === '' ? {} : { 'proxy-authorization': `Basic ${login}` },
    secrets: [secret, url.password, login],
  };
}
