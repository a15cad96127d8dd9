import { StashError } from '../errors';

/** How a server, and a gate in front of it, are told who asks. */
export interface CredentialOptions {
  /** `none`, `apiKey` or `session`. */
  auth: string;
  apiKey?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  /** Further headers, as the text of a JSON object of texts. */
  headers?: string | undefined;
}

export interface Login {
  username: string;
  password: string;
}

/** The same, checked. */
export interface Credentials {
  auth: 'none' | 'apiKey' | 'session';
  /** They go with every request to the configured origin, and to no other. */
  headers: Readonly<Record<string, string>>;
  /** What a session begins with. */
  login?: Login;
  /** What no text may show. */
  secrets: readonly string[];
}

/**
 * Headers that are not for a gate: those that make up the request itself, those with a place of their own in the
 * settings, and the one with which a server without credentials may lock itself up (v0.10 and later).
 */
const OWN_HEADERS = [
  ...['host', 'content-length', 'content-type', 'content-encoding', 'accept', 'accept-encoding', 'expect'],
  ...['connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade'],
  ...['apikey', 'proxy-authorization', 'x-forwarded-for'],
];

/** @throws {StashError} for options with which no server can be asked. */
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
  // A key that was pasted may bring blanks along.
  const key = text.trim();
  if (key === '') throw new StashError('UNAUTHORIZED.keyMissing');
  if (!/^[\x21-\x7e]+$/.test(key)) throw new StashError('UNAUTHORIZED.keyUnusable');
  return key;
}

/** The headers in a text, their names in lower case. */
function readHeaders(text: string): Record<string, string> {
  if (text.trim() === '') return {};
  const headers = Object.entries(parse(text)).map(([given, value]): [string, string] => {
    const name = given.toLowerCase();
    if (OWN_HEADERS.includes(name)) {
      throw new StashError('NO_SERVER.headerNotAllowed', { details: { name } });
    }
    const usable = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof value === 'string';
    if (!usable || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new StashError('NO_SERVER.badHeaders');
    return [name, value];
  });
  return Object.fromEntries(headers);
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // What JSON.parse tells would repeat a part of the text.
  }
  throw new StashError('NO_SERVER.badHeaders');
}

/** A header's value, and what is secret in it where it has parts. */
function secretsIn(name: string, value: string): string[] {
  if (name === 'cookie') {
    return [value, ...value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())];
  }
  const [, scheme = '', credentials] = /^(\w+) +(\S+)$/.exec(value) ?? [];
  if (credentials === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials];
  const login = Buffer.from(credentials, 'base64').toString();
  return [value, credentials, login, login.slice(login.indexOf(':') + 1)];
}
