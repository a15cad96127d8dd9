import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** A complete HTTP response, not yet sent. */
export interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: string | Buffer;
}

/** Returns plain text, as Stash sends with 403, 404 and for a form that it cannot read. */
export function text(status: number, body: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status, headers: { 'Content-Type': type }, body };
}

/** Returns a web page: the user interface of Stash, or a page of a proxy. */
export function html(status: number, body: string): Answer {
  return text(status, body, 'text/html; charset=utf-8');
}

/** Returns any value as JSON, whether or not it is a GraphQL response. */
export function json(value: unknown, status = 200, type = 'application/json'): Answer {
  return {
    status,
    headers: {
      'Content-Type': type,
      'Cache-Control': 'no-store',
      Vary: 'Origin',
      'X-Content-Type-Options': 'nosniff',
    },
    body: JSON.stringify(value),
  };
}

/** Returns a redirect, as Stash sends to its `/login` and a proxy to its sign-in page. */
export function redirect(location: string): Answer {
  return { status: 302, headers: { Location: location }, body: '' };
}

/** Returns 401 without a body. */
export function unauthorized(): Answer {
  return { status: 401, headers: { 'WWW-Authenticate': 'FormBased' }, body: '' };
}

/** Sends a response, gzipped where Stash would do that. */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = gzipped(request, answer);
  const length = 'Transfer-Encoding' in headers ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length }).end(body);
}

// Stash leaves application/graphql-response+json uncompressed.
function gzipped(request: IncomingMessage, answer: Answer): Answer {
  const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (!acceptsGzip || answer.headers['Content-Type'] !== 'application/json') return answer;
  return {
    ...answer,
    headers: { ...answer.headers, 'Content-Encoding': 'gzip' },
    body: gzipSync(answer.body),
  };
}
