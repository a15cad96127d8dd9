import type { ErrorCase } from '../../errors';
import type { Address } from '../../server';

/** The sub-path that a reverse proxy usually has for Stash. */
const USUAL_PATH = '/stash';
/** The most addresses to try. */
const MOST = 8;

/**
 * Returns the addresses at which Stash may be instead, the likeliest first.
 * @param failure why it is not at the typed one. @param redirect where that redirects to.
 * @param around the hosts outside of the container in which Node-RED may run, and the usual port of Stash.
 */
export function otherAddresses(
  typed: Address,
  failure: ErrorCase,
  around: { hosts: readonly string[]; port: number },
  redirect = '',
): string[] {
  const { hostname, port, path, isSecure } = typed;
  const at = (host: string, to: { secure?: boolean; port?: number; path?: string } = {}) => {
    const { secure = isSecure, port: toPort = port, path: toPath = path } = to;
    const inUrl = host.includes(':') ? `[${host}]` : host;
    const usual = secure ? 443 : 80;
    return `http${secure ? 's' : ''}://${inUrl}${toPort === usual ? '' : `:${toPort}`}${toPath}`;
  };
  const secure = !isSecure;
  const paths = otherPaths(path);
  const usual = [
    at(hostname, { secure: false, port: around.port, path: '' }),
    at(hostname, { secure: true, port: around.port, path: '' }),
  ];
  // A reverse proxy.
  const proxied = [at(hostname, { secure: true, port: 443 }), at(hostname, { secure: false, port: 80 })];
  // Another host may be anything, such as the sign-in page of a proxy.
  const isOfHost = URL.canParse(redirect) && new URL(redirect).hostname === hostname;
  const found = [
    ...(isOfHost ? [redirect] : []),
    ...(isOfScheme(failure)
      ? [at(hostname, { secure }), ...paths.map((one) => at(hostname, { secure, path: one }))]
      : []),
    ...(isOfPage(failure) ? paths.map((one) => at(hostname, { path: one })) : []),
    ...(typed.isLoopback && isOfConnection(failure)
      ? [
          ...around.hosts.map((host) => at(host)),
          ...around.hosts.map((host) => at(host, { port: around.port, path: '' })),
        ]
      : []),
    ...(isOfScheme(failure) || isOfPage(failure) || isOfConnection(failure) ? usual : []),
    ...(isOfConnection(failure) || failure === 'NOT_STASH.redirect' ? proxied : []),
  ];
  return [...new Set(found)].filter((url) => url !== at(hostname)).slice(0, MOST);
}

/** Whether the other of http and https may help: what is there expects it, or understands nothing. */
function isOfScheme(failure: ErrorCase): boolean {
  return ['UNREACHABLE.lost', 'TLS.protocol', 'TIMEOUT.test', 'NOT_STASH.tlsExpected'].includes(failure);
}

/** Whether something else than Stash has answered. */
function isOfPage(failure: ErrorCase): boolean {
  return /^(NOT_STASH|HTTP)\./.test(failure) && failure !== 'NOT_STASH.tlsExpected';
}

/** Whether nothing has answered. */
function isOfConnection(failure: ErrorCase): boolean {
  return /^UNREACHABLE\.(refused|refusedHere|noRoute)$/.test(failure);
}

/** Returns the paths above a path, the longest first; the usual sub-path for the root. */
function otherPaths(path: string): string[] {
  const names = path.split('/').filter(Boolean);
  if (names.length === 0) return [USUAL_PATH];
  return names
    .map((_name, index) => names.slice(0, names.length - 1 - index))
    .map((some) => some.map((name) => `/${name}`).join(''));
}
