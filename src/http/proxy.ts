import { isIPv6 } from 'node:net';
import { StashError } from '../errors';
import type { Address } from './address';

/** A forward proxy. */
export interface ProxyOptions {
  url: string;
  /** Hosts that are reached without it, as in `no_proxy`. */
  except: readonly string[];
  username?: string | undefined;
  password?: string | undefined;
}

/** A forward proxy, checked. */
export interface Proxy {
  origin: string;
  host: string;
  /** How it is told who asks. */
  headers: Record<string, string>;
  secrets: string[];
}

/** What it means that a proxy does not do what it is there for. */
export function proxyRefusal(proxy: string, address: Address, status: number): StashError {
  const details = { url: address.base, host: proxy, code: status };
  if (status === 407) return new StashError('UNREACHABLE.proxySignIn', { status, details });
  return new StashError('UNREACHABLE.proxyRefused', { status, details, retry: status >= 500 });
}

/** The proxy for an address: the chosen one, or that of the environment as it is now. */
export function proxyFor(address: Address, chosen: ProxyOptions | undefined): Proxy | undefined {
  const url = chosen?.url ?? variable(address.isSecure ? 'https_proxy' : 'http_proxy');
  const except = chosen?.except ?? variable('no_proxy').split(/[\s,]+/);
  if (url === '' || except.some((entry) => isExcepted(address, entry))) return undefined;
  return readProxy({ ...chosen, url, except });
}

function variable(name: string): string {
  return process.env[name] ?? process.env[name.toUpperCase()] ?? '';
}

/** Whether an entry of `no_proxy` is meant for an address: a name and all below it, perhaps with a port. */
function isExcepted({ endpoint }: Address, entry: string): boolean {
  const text = entry.trim().toLowerCase();
  if (text === '*') return true;
  const [, name = '', port] = isIPv6(text) ? [text, `[${text}]`] : (/^(.*?)(?::(\d+))?$/.exec(text) ?? []);
  const [, host = '', ownPort] = /^(.*):(\d+)$/.exec(endpoint) ?? [];
  const bare = name.replace(/^\*?\./, '');
  if (bare === '' || (port !== undefined && port !== ownPort)) return false;
  return host === bare || host.endsWith(`.${bare}`);
}

/** @throws {StashError} NO_SERVER where the address is none. */
export function readProxy({ url: text, username, password }: ProxyOptions): Proxy {
  // In the environment it may stand without a scheme.
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
