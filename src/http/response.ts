import { StashError } from '../errors';
import { isRecord } from '../guards';
import type { Address } from './address';
import type { Credentials } from './credentials';

/** An HTTP answer as far as it must be looked at to tell GraphQL from everything else. */
export interface HttpResponse {
  status: number;
  contentType: string;
  location: string;
  /** What `WWW-Authenticate` asks for. */
  challenge: string;
  cookies: readonly string[];
  text: string;
}

/** Where the answer came from and how the question told who asks. */
export interface RequestContext {
  address: Address;
  auth: Credentials['auth'];
}

/** What nginx says where a client certificate is wanted. */
const CLIENT_CERTIFICATE = /No required SSL certificate was sent|The SSL certificate error/;
/** What Go's web server (and so Stash), nginx and Apache say to plain HTTP on their TLS port. */
const PLAIN_TO_TLS =
  /HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|plain HTTP to an SSL/;
/** How much of a page or an error is searched for words; what these servers say is shorter. */
const SEARCHED = 16 * 1024;
const MOST_ERRORS = 10;
const UNDECODED = ' could not be decoded: ';
const JSON_TYPES = /^application\/(graphql-response\+)?json\b/i;

/**
 * Judges an HTTP answer before it is read as GraphQL, as whatever stands between the server and us answers in its own
 * ways.
 * @returns undefined for what can be read as GraphQL, otherwise the error that it means.
 */
export function classifyResponse(
  answer: HttpResponse,
  { address, auth }: RequestContext,
): StashError | undefined {
  const { status, contentType } = answer;
  const text = answer.text.slice(0, SEARCHED);
  if (isSignInWanted(answer, address)) {
    if (auth === 'session') return new StashError('UNAUTHORIZED.sessionRefused', { status });
    return new StashError(auth === 'apiKey' ? 'UNAUTHORIZED.keyRefused' : 'UNAUTHORIZED.keyNeeded', {
      status,
    });
  }
  if (status === 401) return new StashError('UNAUTHORIZED.gate', { status });
  if (status === 403 && /over the internet|to the public internet/.test(text)) {
    return new StashError('UNAUTHORIZED.exposed', { status });
  }
  if (status >= 300 && status < 400) return new StashError('NOT_STASH.redirect', { status });
  if (JSON_TYPES.test(contentType)) return undefined;
  if (status === 400 && PLAIN_TO_TLS.test(text)) {
    return new StashError('NOT_STASH.tlsExpected', { status });
  }
  if (status === 400 && CLIENT_CERTIFICATE.test(text)) {
    return new StashError('TLS.clientCertificate', { status, details: { host: address.host, code: status } });
  }
  return status < 300 ? new StashError('NOT_STASH.page', { status }) : classifyStatus(status);
}

/** Judges the answer to a request for a download that brought none. */
export function classifyDownload(answer: HttpResponse, asked: RequestContext): StashError {
  const { status } = answer;
  if (status === 404) return new StashError('BACKUP_INVALID.gone', { status, details: { got: '0 B' } });
  if (status < 300) return new StashError('BACKUP_INVALID.page', { status });
  // JSON is no answer either: nothing was asked.
  return classifyResponse(answer, asked) ?? classifyStatus(status);
}

/**
 * Whether the server refuses to answer who asks. Releases differ in how they say so (`interface-history`): 401, or 500
 * "unauthorized" from v0.11.0 to v0.25.1, or a redirect to the sign-in page.
 */
export function isSignInWanted(answer: HttpResponse, address: Address): boolean {
  const { status, contentType, location, challenge, text } = answer;
  // The server's own challenge is "FormBased"; Basic, Bearer or Digest is a gate's in front of it.
  if (status === 401) return challenge === '' || /formbased/i.test(challenge);
  if (status >= 300 && status < 400) return address.isLogin(location);
  return (
    status === 500 && /^text\/plain/i.test(contentType) && text.slice(0, SEARCHED).trim() === 'unauthorized'
  );
}

/** What a status means that comes without GraphQL. A server or proxy that is busy or starting may be asked again. */
export function classifyStatus(status: number): StashError {
  if ([404, 405, 410].includes(status)) return new StashError('NOT_STASH.notGraphQL', { status });
  return new StashError('HTTP.status', {
    status,
    details: { status },
    retry: status === 429 || status >= 500,
  });
}

/**
 * Reads an answer that calls itself JSON as GraphQL's envelope.
 * @param redact makes a text of the server fit to be shown.
 * @returns its `data`.
 * @throws {StashError} for a status or a body that is no success, and for everything that is no such envelope.
 */
export function readData(
  { status, text }: Pick<HttpResponse, 'status' | 'text'>,
  redact: (text: string) => string,
): Readonly<Record<string, unknown>> {
  // Of a server or proxy that is busy, starting or broken, the status tells more than its words.
  if (status === 429 || status >= 500) throw classifyStatus(status);
  const { data, errors } = readEnvelope(text);
  if (errors.length > 0) throw refusal(status, errors, redact);
  if (status >= 300) throw classifyStatus(status);
  if (!data) throw new StashError('NOT_STASH.notGraphQL', { status });
  return data;
}

interface Envelope {
  data?: Record<string, unknown>;
  errors: readonly { message: string }[];
}

/** An object with `data`, with a list of `errors` that have a message, or both; of any other text nothing. */
function readEnvelope(text: string): Envelope {
  const value = parse(text);
  const { data, errors } = isRecord(value) ? value : {};
  const list: unknown = errors ?? [];
  if (!Array.isArray(list) || !list.every(hasMessage)) return { errors: [] };
  return { ...(isRecord(data) && { data }), errors: list };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasMessage(error: unknown): error is { message: string } {
  return isRecord(error) && typeof error['message'] === 'string';
}

/** The errors that a server gave. Of very many, only the first are looked at: more would not be shown. */
function refusal(status: number, errors: Envelope['errors'], redact: (text: string) => string): StashError {
  const messages = errors.slice(0, MOST_ERRORS).map(({ message }) => redact(withoutBody(message)));
  const text = redact(messages.join('; '));
  // 422, or 400, is how a server refuses a document before running any of it (all releases).
  const refused = status === 422 || status === 400;
  return new StashError(refused ? 'GRAPHQL.refused' : 'GRAPHQL.failed', { status, details: { text } });
}

/** v0.27.0 and later repeat a body that they cannot decode, soon after the reason, which stands at the beginning. */
function withoutBody(message: string): string {
  const start = message.slice(0, SEARCHED);
  const reason = start.indexOf(UNDECODED);
  if (reason === -1) return message;
  const body = start.indexOf(' body:', reason + UNDECODED.length);
  return body === -1 ? start : start.slice(0, body);
}
