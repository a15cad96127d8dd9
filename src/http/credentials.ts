import { createHmac, randomBytes } from 'node:crypto';
import { headersIn } from '../contract/server';
import { unquoted } from '../contract/values';
import { StashError } from '../errors';

export interface CredentialOptions {
  /** `none`, `apiKey` or `session`. */
  auth: string;
  apiKey?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  /** The text of a JSON object whose values are texts. */
  headers?: string | undefined;
}

export interface Login {
  username: string;
  password: string;
}

/** `CredentialOptions`, checked. */
export interface Credentials {
  auth: 'none' | 'apiKey' | 'session';
  /** For every request to the configured origin, and to no other. */
  headers: Readonly<Record<string, string>>;
  login?: Login;
  /** The secrets to redact from every text. */
  secrets: readonly string[];
}

/**
 * Headers that must not be configured: those of the request itself, those with their own setting, and the one that may lock a
 * server without credentials (since v0.10).
 */
const OWN_HEADERS = [
  ...['host', 'content-length', 'content-type', 'content-encoding', 'accept', 'accept-encoding', 'expect'],
  ...['connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade'],
  ...['apikey', 'proxy-authorization', 'x-forwarded-for'],
];

/** @throws {StashError} NO_SERVER or UNAUTHORIZED for credentials with which no request can succeed. */
export function readCredentials({
  auth,
  apiKey,
  username,
  password,
  headers,
}: CredentialOptions): Credentials {
  const further = readHeaders(headers ?? '');
  const secrets = Object.entries(further).flatMap(([name, value]) => secretsIn(name, value));
  if (auth === 'none') return { auth, headers: further, secrets };
  if (auth === 'apiKey') {
    const key = readKey(apiKey ?? '');
    return { auth, headers: { ...further, ApiKey: key }, secrets: [...secrets, key] };
  }
  if (auth === 'session') {
    if (!username || !password) throw new StashError('UNAUTHORIZED.loginMissing');
    return { auth, headers: further, login: { username, password }, secrets: [...secrets, password] };
  }
  throw new StashError('UNAUTHORIZED.unknownMethod');
}

function readKey(text: string): string {
  const key = unquoted(text);
  if (key === '') throw new StashError('UNAUTHORIZED.keyMissing');
  if (key.includes('${')) throw new StashError('UNAUTHORIZED.variableInKey');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new StashError('UNAUTHORIZED.keyUnusable');
  return key;
}

/** Their names become lower case. */
function readHeaders(text: string): Record<string, string> {
  if (text.trim() === '') return {};
  const headers = headersIn(text);
  if (!headers || text.includes('${')) throw new StashError('NO_SERVER.badHeaders');
  const name = Object.keys(headers).find((one) => OWN_HEADERS.includes(one));
  if (name !== undefined) throw new StashError('NO_SERVER.headerNotAllowed', { details: { name } });
  return headers;
}

/** Headers whose values are no secrets. They often are parts of addresses, which the library also contains. */
const PUBLIC_HEADERS = /^(accept|forwarded|origin|referer|user-agent|x-forwarded)\b/;

/** Returns a header's value, and each part of it that is secret. */
function secretsIn(name: string, value: string): string[] {
  if (PUBLIC_HEADERS.test(name)) return [];
  if (name === 'cookie') {
    return [value, ...value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())];
  }
  const [, scheme = '', credentials] = /^(\w+) +(\S+)$/.exec(value) ?? [];
  if (credentials === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials];
  const login = Buffer.from(credentials, 'base64').toString();
  return [value, credentials, login, login.slice(login.indexOf(':') + 1)];
}

/**
 * Identifies an address with its credentials and the way to it: the same for all config nodes that share these, also after a redeploy.
 * It reveals nothing of them.
 */
export function identityOf(address: string, { auth, headers, login }: Credentials, network: object): string {
  return keyedHash(address, auth, Object.entries(headers).sort(), login, network);
}

const key = randomBytes(32);

/** Hashes values that may contain secrets. The key ends with the process, so a hash reveals nothing later. */
export function keyedHash(...values: unknown[]): string {
  return createHmac('sha256', key).update(JSON.stringify(values)).digest('base64');
}
