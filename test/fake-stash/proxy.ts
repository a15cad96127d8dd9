import type { IncomingMessage } from 'node:http';

/** Takes the prefix off an address, as a reverse proxy does; undefined for one that is not below it. */
export function withoutPrefix(url: string, prefix: string): string | undefined {
  if (prefix === '') return url;
  const [path = ''] = url.split('?');
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
  const rest = url.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Path and parameters of a request. */
export function target({ url = '/' }: IncomingMessage): { path: string; parameters: URLSearchParams } {
  const [path = '/', ...query] = url.split('?');
  return { path, parameters: new URLSearchParams(query.join('?')) };
}

/** The path below which the client finds the server, if its proxy tells that. */
export function forwardedPrefix({ headers }: IncomingMessage): string {
  return String(headers['x-forwarded-prefix'] ?? '').replace(/\/+$/, '');
}

/** The address by which the client came: as good as the headers of the proxy in between. */
export function origin(request: IncomingMessage): string {
  const scheme = request.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${request.headers.host ?? ''}${forwardedPrefix(request)}`;
}
