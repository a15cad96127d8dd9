import type { IncomingMessage } from 'node:http';
import { type Answer, redirect, text, unauthorized } from './answers';
import { target } from './proxy';
import type { Quirks } from './quirks';
import type { Sessions } from './sessions';

/** The state of the server that decides whether a request may pass. */
export interface AuthState {
  readonly quirks: Quirks;
  /** Empty if there is none. */
  readonly apiKey: string;
  readonly hasCredentials: boolean;
  readonly sessions: Sessions;
  /** Whether a server without credentials refuses everybody. */
  readonly exposed: boolean;
}

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
  if (!hasCredentials) return undefined;
  if (path.startsWith('/login') || sessions.has(request)) return undefined;
  // Programs get a status, browsers the login page; "/graphql/" with its slash counts as a browser.
  const extension = /\.[^./]*$/.exec(decodeURIComponent(path))?.[0] ?? '.html';
  if (path === '/graphql' || (quirks.refusesFiles && extension !== '.html')) return unauthorized();
  return redirect(`/login?returnURL=${encodeURIComponent(request.url ?? path)}`);
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
