import type { IncomingMessage } from 'node:http';
import { type Answer, redirect, unauthorized } from './answers';
import { forwardedPrefix, target } from './proxy';

/** How v0.30.1 refuses a request, or undefined when it lets the request pass. */
export function refusal(request: IncomingMessage, apiKey = ''): Answer | undefined {
  const { path } = target(request);
  const given = givenKey(request);
  // A server without credentials has no key, so every key is a wrong one.
  if (given !== '') return given === apiKey ? undefined : unauthorized();
  if (apiKey === '' || path.startsWith('/login')) return undefined;
  // Programs get a status, people the login page; "/graphql/" with its slash is taken for a person.
  const extension = /\.[^./]*$/.exec(path)?.[0] ?? '.html';
  if (path === '/graphql' || extension !== '.html') return unauthorized();
  const prefix = forwardedPrefix(request);
  return redirect(`${prefix}/login?returnURL=${encodeURIComponent(prefix + (request.url ?? path))}`);
}

// The header wins over the parameter, whose name is written in lower case only.
function givenKey(request: IncomingMessage): string {
  const header = String(request.headers['apikey'] ?? '');
  return header || (target(request).parameters.get('apikey') ?? '');
}
