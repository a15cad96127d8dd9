import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** A whole HTTP answer, before it is sent. */
export interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: string | Buffer;
}

/** Plain text, as the real server gives for 403, 404 and a form that it cannot read. */
export function text(status: number, body: string, type = 'text/plain; charset=utf-8'): Answer {
  return { status, headers: { 'Content-Type': type }, body };
}

/** A web page: the server's own user interface, or what a proxy puts in its place. */
export function html(status: number, body: string): Answer {
  return text(status, body, 'text/html; charset=utf-8');
}

/** Any value as JSON; what it holds is not checked, so it may be no GraphQL answer at all. */
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

/** A redirect, as the real server gives to its own `/login` and as a proxy gives to its sign-in page. */
export function redirect(location: string): Answer {
  return { status: 302, headers: { Location: location }, body: '' };
}

/** The refusal of v0.26 and later: no body. */
export function unauthorized(): Answer {
  return { status: 401, headers: { 'WWW-Authenticate': 'FormBased' }, body: '' };
}

/** Sends an answer, gzipped where the real server would do that. */
export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers, body } = gzipped(request, answer);
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

// The real server leaves application/graphql-response+json uncompressed.
function gzipped(request: IncomingMessage, answer: Answer): Answer {
  const asked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (!asked || answer.headers['Content-Type'] !== 'application/json') return answer;
  return {
    ...answer,
    headers: { ...answer.headers, 'Content-Encoding': 'gzip' },
    body: gzipSync(answer.body),
  };
}
