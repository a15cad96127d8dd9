import type { IncomingMessage } from 'node:http';

/** Strips the prefix from a path, like a reverse proxy; returns undefined if the path is not below it. */
export function withoutPrefix(url: string, prefix: string): string | undefined {
  if (prefix === '') return url;
  const [path = ''] = url.split('?');
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
  const rest = url.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Returns the path and the parameters of a request. */
export function target({ url = '/' }: IncomingMessage): { path: string; parameters: URLSearchParams } {
  const [path = '/', ...query] = url.split('?');
  return { path, parameters: new URLSearchParams(query.join('?')) };
}

/** Returns the path prefix that the client uses, if the proxy sends it. */
export function forwardedPrefix({ headers }: IncomingMessage): string {
  return String(headers['x-forwarded-prefix'] ?? '').replace(/\/+$/, '');
}

/** Returns the address that the client used. It is wrong if the proxy's headers are wrong. */
export function origin(request: IncomingMessage): string {
  const scheme = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${request.headers.host ?? ''}${forwardedPrefix(request)}`;
}
