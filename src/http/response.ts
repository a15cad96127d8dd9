import { StashError } from '../errors';
import { arrayOf, hasString, isRecord } from '../guards';
import type { Address } from './address';
import type { Credentials } from './credentials';

export interface HttpResponse {
  status: number;
  contentType: string;
  location: string;
  /** `WWW-Authenticate`. */
  challenge: string;
  /** `Set-Cookie`. */
  cookies: readonly string[];
  text: string;
}

interface RequestContext {
  address: Address;
  auth: Credentials['auth'];
}

/** nginx's response if it requires a client certificate. */
const CLIENT_CERTIFICATE = /No required SSL certificate was sent|The SSL certificate error/;
/** The response of Go's web server (and so Stash), nginx and Apache to plain HTTP on their TLS port. */
const PLAIN_TO_TLS =
  /HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|plain HTTP to an SSL/;
/** How much of a page is searched for words, in UTF-16 units; what these servers say is shorter. */
const SEARCHED = 16 * 1024;
const MOST_ERRORS = 10;
/** What a server answers to a field that the role of the user does not include (stashapp/stash#6503, in no release yet). */
const NOT_ALLOWED = 'unauthorized';
const UNDECODED = ' could not be decoded: ';
const JSON_TYPES = /^application\/(graphql-response\+)?json\b/i;

/**
 * Classifies a response before it is read as GraphQL, because a reverse proxy in front of the server may send its own
 * responses.
 * @returns the error that it means; undefined for a response that can be read as GraphQL.
 */
export function classifyResponse(
  response: HttpResponse,
  { address, auth }: RequestContext,
): StashError | undefined {
  const { status, contentType } = response;
  const text = response.text.slice(0, SEARCHED);
  if (isSignInWanted(response, address)) {
    if (auth === 'session') return new StashError('UNAUTHORIZED.sessionRefused', { status });
    return new StashError(auth === 'apiKey' ? 'UNAUTHORIZED.keyRefused' : 'UNAUTHORIZED.keyNeeded', {
      status,
    });
  }
  if (status === 401) return new StashError('UNAUTHORIZED.gate', { status });
  if (status === 403 && /over the internet|to the public internet/.test(text)) {
    return new StashError('UNAUTHORIZED.exposed', { status });
  }
  if (status >= 300 && status < 400) return redirectError(response, address);
  if (JSON_TYPES.test(contentType)) return undefined;
  if (status === 400 && PLAIN_TO_TLS.test(text)) {
    return new StashError('NOT_STASH.tlsExpected', { status });
  }
  if (status === 400 && CLIENT_CERTIFICATE.test(text)) {
    return new StashError('TLS.clientCertificate', { status, details: { host: address.host, code: status } });
  }
  return status < 300 ? new StashError('NOT_STASH.page', { status }) : classifyStatus(status);
}

/** Returns the error for a redirect, which is not followed: its target must not get the credentials. */
export function redirectError({ status, location }: HttpResponse, address: Address): StashError {
  const to = address.redirectTo(location);
  if (to === undefined) return new StashError('NOT_STASH.notGraphQL', { status });
  return new StashError('NOT_STASH.redirect', { status, details: { to } });
}

export function classifyDownload(response: HttpResponse, context: RequestContext): StashError {
  const { status } = response;
  if (status === 404) return new StashError('BACKUP_INVALID.gone', { status, details: { got: '0 B' } });
  if (status < 300) return new StashError('BACKUP_INVALID.page', { status });
  // JSON is not a backup either.
  return classifyResponse(response, context) ?? classifyStatus(status);
}

/**
 * Whether the server itself rejects the credentials. Releases do so with 401, with 500 "unauthorized" (v0.11.0 to v0.25.1), or
 * with a redirect to the sign-in page.
 */
export function isSignInWanted(response: HttpResponse, address: Address): boolean {
  const { status, contentType, location, challenge, text } = response;
  // The server's own challenge is "FormBased"; Basic, Bearer or Digest comes from a reverse proxy in front of it.
  if (status === 401) return challenge === '' || /formbased/i.test(challenge);
  if (status >= 300 && status < 400) return address.isLogin(location);
  return (
    status === 500 && /^text\/plain/i.test(contentType) && text.slice(0, SEARCHED).trim() === 'unauthorized'
  );
}

/** Returns the error for the status of a response without GraphQL; retryable where a server or proxy is busy or starting. */
function classifyStatus(status: number): StashError {
  if ([404, 405, 410].includes(status)) return new StashError('NOT_STASH.notGraphQL', { status });
  return new StashError('HTTP.status', {
    status,
    details: { status },
    retry: status === 429 || status >= 500,
  });
}

export interface Reading {
  /** Removes secrets and control characters. */
  redact: (text: string) => string;
  /** Default: as any JSON. */
  parse?: (text: string) => unknown;
  /** Receives the texts of errors beside data. Without it, they are thrown. */
  onErrors?: ((texts: readonly string[]) => void) | undefined;
}

/**
 * Reads a response of a JSON type as GraphQL.
 * @returns its `data`.
 * @throws {StashError} for a status or a body that reports a failure, and for everything that is not GraphQL.
 */
export function readData(
  { status, text }: Pick<HttpResponse, 'status' | 'text'>,
  { redact, parse = JSON.parse, onErrors }: Reading,
): Readonly<Record<string, unknown>> {
  // Where a server or proxy is busy, starting or broken, the status says more than the text.
  if (status === 429 || status >= 500) throw classifyStatus(status);
  const { data, errors } = readEnvelope(text, parse);
  if (errors.length > 0) {
    if (!(onErrors && data && status < 300)) throw graphQLError(status, errors, redact);
    onErrors(errorTexts(errors, redact));
  }
  if (status >= 300) throw classifyStatus(status);
  if (!data) throw new StashError('NOT_STASH.notGraphQL', { status });
  return data;
}

interface Envelope {
  data?: Record<string, unknown>;
  errors: readonly { message: string }[];
}

/** Reads an object with `data`, with a list of `errors` that have a message, or with both; any other text gives neither. */
function readEnvelope(text: string, parse: (text: string) => unknown): Envelope {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return { errors: [] };
  }
  const { data, errors } = isRecord(value) ? value : {};
  const list: unknown = errors ?? [];
  if (!isErrorList(list)) return { errors: [] };
  return { ...(isRecord(data) && { data }), errors: list };
}

const isErrorList = arrayOf(hasString('message'));

/** Returns one error for all that a server reported. It reads only the first ten, because more would not be shown. */
function graphQLError(
  status: number,
  errors: Envelope['errors'],
  redact: (text: string) => string,
): StashError {
  if (status < 300 && errors.every(({ message }) => message === NOT_ALLOWED)) {
    return new StashError('UNAUTHORIZED.notAllowed', { status });
  }
  const text = redact(errorTexts(errors, redact).join('; '));
  // A server rejects a document with 422, or 400, before it runs any of it (all releases).
  const refused = status === 422 || status === 400;
  return new StashError(refused ? 'GRAPHQL.refused' : 'GRAPHQL.failed', { status, details: { text } });
}

function errorTexts(errors: Envelope['errors'], redact: (text: string) => string): string[] {
  return errors.slice(0, MOST_ERRORS).map(({ message }) => redact(withoutBody(message)));
}

/** Removes the body of a request. v0.27.0 and later repeat it after the reason why they cannot decode it. */
function withoutBody(message: string): string {
  const reason = message.indexOf(UNDECODED);
  const body = message.indexOf(' body:', reason);
  return reason === -1 || body === -1 ? message : message.slice(0, body);
}
