import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { type Answer, redirect, text, unauthorized } from './answers';
import { forwardedPrefix, target } from './proxy';
import type { Quirks } from './quirks';
import type { Sessions } from './sessions';

/** The state of the server that decides whether a request may pass. */
export interface AuthState {
  readonly quirks: Quirks;
  /** Empty if there is none. */
  readonly apiKey: string;
  readonly hasCredentials: boolean;
  readonly sessions: Sessions;
  /** Set by the first request from the internet to a server without credentials. */
  exposed: boolean;
}

const WARNING = 'You have attempted to access Stash over the internet, and authentication is not enabled.';
const SHUT =
  'Stash is exposed to the public internet without authentication, and is not serving any more content to protect your privacy.';

/** Returns the response that refuses a request, or undefined if the request may pass. */
export function refusal(request: IncomingMessage, server: AuthState): Answer | undefined {
  const { quirks, apiKey, hasCredentials, sessions } = server;
  if (server.exposed && !hasCredentials) return text(403, SHUT);
  const { path } = target(request);
  const given = givenKey(request);
  // Without credentials every key is wrong. A key beats a cookie.
  if (given !== '') return given === apiKey ? undefined : wrongKey(quirks);
  if (!hasCredentials) {
    if (!quirks.tripwire || isLocal(request)) return undefined;
    server.exposed = true;
    return text(403, WARNING);
  }
  if (path.startsWith('/login') || sessions.has(request)) return undefined;
  // Programs get a status, browsers the login page; "/graphql/" with its slash counts as a browser.
  const extension = /\.[^./]*$/.exec(decodeURIComponent(path))?.[0] ?? '.html';
  if (path === '/graphql' || (quirks.refusesFiles && extension !== '.html')) return unauthorized();
  const prefix = quirks.forwardedPrefix ? forwardedPrefix(request) : '';
  return redirect(`${prefix}/login?returnURL=${encodeURIComponent(prefix + (request.url ?? path))}`);
}

/** Returns whether the request passes by its cookie, which the response renews. */
export function hasSession(request: IncomingMessage, { hasCredentials, sessions }: AuthState): boolean {
  return hasCredentials && !givenKey(request) && sessions.has(request);
}

function wrongKey({ wrongKey: status }: Quirks): Answer {
  return status === 500 ? text(500, 'unauthorized') : unauthorized();
}

// The header beats the parameter, whose name must be in lower case.
function givenKey(request: IncomingMessage): string {
  const header = String(request.headers['apikey'] ?? '');
  return header || (target(request).parameters.get('apikey') ?? '');
}

const LOCAL = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  LOCAL.addSubnet(net, bits, isIPv6(net) ? 'ipv6' : 'ipv4');
}

// Every hop counts. Anything that is not an address counts as public.
function isLocal({ headers }: IncomingMessage): boolean {
  const hops = String(headers['x-forwarded-for'] ?? '127.0.0.1').split(',');
  return hops
    .map((hop) => hop.trim())
    .every((hop) => isIP(hop) !== 0 && LOCAL.check(hop, isIPv6(hop) ? 'ipv6' : 'ipv4'));
}
