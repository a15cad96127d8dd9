import { type Case, StashError } from '../errors';
import type { Address } from './address';

const TLS_CODES: [Case<'TLS'>, RegExp][] = [
  ['expired', /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/],
  ['name', /ALTNAME|HOSTNAME_MISMATCH/],
  // The server got no client certificate, or none that it accepts.
  ['clientCertificate', /ALERT_(CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED)/],
  ['authority', /SELF_SIGNED|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY|CERT_UNTRUSTED|INVALID_CA$/],
  ['protocol', /^EPROTO$|^ERR_SSL/],
  ['certificate', /CERT|SIGNATURE|CRL|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED/],
];

/**
 * Returns the error for a connection that failed or broke, by the codes of Node.js and undici.
 * @param proxy the host of the proxy, if the connection led to one.
 */
export function connectionError(error: unknown, address: Address, proxy?: string): StashError {
  if (error instanceof StashError) return error;
  const code = innermostCode(error);
  const details = { url: address.base, host: proxy ?? address.host, code };
  const unreachable = (direct: 'refused' | 'refusedHere' | 'unknownHost' | 'noRoute' | 'lost') => {
    const which = proxy === undefined ? direct : 'proxy';
    return new StashError(`UNREACHABLE.${which}`, { details, retry: true });
  };

  if (code === 'ECONNREFUSED') return unreachable(address.isLoopback ? 'refusedHere' : 'refused');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unreachable('unknownHost');
  if (['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'].includes(code)) {
    return unreachable('noRoute');
  }
  const [tls] = TLS_CODES.find(([, codes]) => codes.test(code)) ?? [];
  return tls === undefined ? unreachable('lost') : new StashError(`TLS.${tls}`, { details });
}

/** Returns the innermost code, because undici, and Node.js where a host has several addresses, wrap the error that matters. */
export function innermostCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error instanceof AggregateError) return innermostCode(error.errors[0]);
  const inner = innermostCode(error.cause);
  if (inner !== '') return inner;
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
