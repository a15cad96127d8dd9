import { type Case, StashError } from '../errors';
import type { Address } from './address';
import { isRecord } from './shape';

/** An HTTP answer as far as it must be looked at to tell GraphQL from everything else. */
export interface HttpAnswer {
  status: number;
  contentType: string;
  location: string;
  text: string;
}

/** Where the answer came from and whether a key went with the question. */
export interface Asked {
  address: Address;
  withKey: boolean;
}

/** Codes of OpenSSL, as Node.js passes them on, and Node.js' own. */
const CERTIFICATE_CODES =
  /CERT|SIGNATURE|CRL|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH/;
/** What Go's web server (and so Stash), nginx and Apache say to plain HTTP on their TLS port. */
const PLAIN_TO_TLS =
  /HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|plain HTTP to an SSL/;
const JSON_TYPES = /^application\/(graphql-response\+)?json\b/i;

/**
 * Judges an HTTP answer before it is read as GraphQL. Releases differ in how they refuse (`interface-history`: 401,
 * or 500 "unauthorized" from v0.11.0 to v0.25.1, or a redirect to the login page), and whatever stands between the
 * server and us answers in its own ways.
 * @returns undefined for what can be read as GraphQL, otherwise the error that it means.
 */
export function judge(answer: HttpAnswer, { address, withKey }: Asked): StashError | undefined {
  const { status, contentType, location, text } = answer;
  const refused = () =>
    new StashError(withKey ? 'UNAUTHORIZED.keyRefused' : 'UNAUTHORIZED.keyNeeded', { status });

  if (status === 401) return refused();
  if (status === 500 && /^text\/plain/i.test(contentType) && text.trim() === 'unauthorized') return refused();
  if (status === 403 && /over the internet|to the public internet/.test(text)) {
    return new StashError('UNAUTHORIZED.exposed', { status });
  }
  if (status >= 300 && status < 400) {
    return address.isLogin(location) ? refused() : new StashError('NOT_STASH.redirect', { status });
  }
  if (JSON_TYPES.test(contentType)) return undefined;
  if (status === 400 && PLAIN_TO_TLS.test(text)) {
    return new StashError('NOT_STASH.tlsExpected', { status });
  }
  return status < 300 ? new StashError('NOT_STASH.page', { status }) : judgeStatus(status);
}

/** What a status means that comes without GraphQL. A server or proxy that is busy or starting may be asked again. */
export function judgeStatus(status: number): StashError {
  if ([404, 405, 410].includes(status)) return new StashError('NOT_STASH.notGraphQL', { status });
  return new StashError('HTTP.status', {
    status,
    details: { status },
    retry: status === 429 || status >= 500,
  });
}

/**
 * Reads a body as GraphQL's envelope: an object with `data`, with a list of `errors` that have a message, or both.
 * @throws {StashError} NOT_STASH for any other text.
 */
export function readEnvelope(text: string): object {
  const value = parse(text);
  if (isRecord(value)) {
    const { data, errors } = value;
    const list = errors ?? [];
    const readable = Array.isArray(list) && list.every(hasMessage);
    if (readable && (list.length > 0 || isRecord(data))) return value;
  }
  throw new StashError('NOT_STASH.notGraphQL');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasMessage(error: unknown): boolean {
  return isRecord(error) && typeof error['message'] === 'string';
}

/** What a connection that failed or broke means, told by the codes of Node.js and undici. */
export function connectionError(error: unknown, address: Address): StashError {
  const code = codeOf(error);
  const details = { url: address.base, host: address.host, code };
  const unreachable = (which: Case<'UNREACHABLE'>) =>
    new StashError(`UNREACHABLE.${which}`, { details, retry: true });

  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new StashError('TOO_LARGE.answer');
  if (code === 'ECONNREFUSED') return unreachable(address.isLoopback ? 'refusedHere' : 'refused');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unreachable('unknownHost');
  if (['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'].includes(code)) {
    return unreachable('noRoute');
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return new StashError('TLS.protocol', { details });
  if (CERTIFICATE_CODES.test(code)) return new StashError('TLS.certificate', { details });
  return unreachable('lost');
}

/** The innermost code: undici and `Promise.any`-like connects wrap the one that tells what happened. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const inner = codeOf(error.cause);
  if (inner !== '') return inner;
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
