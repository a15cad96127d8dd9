import type { ClientError, GraphQLClient } from 'graphql-request';
import type { Dispatcher, Pool } from 'undici';
import { StashError } from '../errors';
import type { Access } from './access';
import type { Address } from './address';
import { connectionError, type HttpAnswer, isSignInWanted, judge, judgeStatus, readEnvelope } from './answer';
import { untilAborted } from './call';
import type { SocketWay } from './job-socket';
import { mask } from './mask';
import { type NetworkOptions, openRoute, proxyRefusal, type Route } from './network';
import { Session } from './session';

/** Drops the mark that some servers begin a text with, as JSON must not. */
const UTF_8 = new TextDecoder();

export interface Post {
  document: string;
  variables?: Readonly<Record<string, unknown>> | undefined;
  signal: AbortSignal;
  exchange: Exchange;
}

/** What becomes of one request, written down as it goes. */
export interface Exchange {
  /** Whether it began to go out on a connection: from then on it may have run. */
  sent: boolean;
  /** The HTTP status of the answer. */
  status?: number;
  /** The length of the answer's body. */
  bytes?: number;
}

/** How a request went that began at `start`, for the log. */
export function lineOf({ status, bytes = 0 }: Exchange, start: number): string {
  return `${status ?? 'no answer'}, ${Math.round(performance.now() - start)} ms, ${bytes} bytes`;
}

interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  /** The length of the body. */
  bytes: number;
}

type Json = Readonly<Record<string, unknown>>;

interface Parts {
  route: Route;
  /** A GraphQL client for one request. */
  client: (fetch: typeof globalThis.fetch) => GraphQLClient;
  isClientError: (error: unknown) => error is ClientError;
}

/** A request as it goes out on a route. */
interface Outgoing {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface TransportOptions {
  address: Address;
  access: Access;
  network: NetworkOptions;
  /** The time limit of a sign-in, in seconds. */
  timeout: number;
  /** Is told of each sign-in in one line, without values. */
  log?: ((line: string) => void) | undefined;
}

/**
 * Carries GraphQL over HTTP to one address and turns every answer into data or one `StashError`.
 *
 * graphql-request speaks GraphQL, undici's `dispatch` HTTP: unlike `fetch` it follows no redirect (and so
 * takes credentials nowhere else) and costs a fraction. Both are loaded with the first request, not when Node-RED
 * starts.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #session: Session | undefined;
  /** All of a question but its body. */
  readonly #question: Omit<Outgoing, 'body'>;
  #loading: Promise<Parts> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { address, access } = options;
    const { login } = access;
    this.#session = login && new Session(address, login, (form) => this.#signIn(form));
    this.#question = {
      path: address.graphqlPath,
      // From v0.29.0 on a server answers in another type and with other statuses unless JSON is asked for.
      headers: { accept: 'application/json', 'content-type': 'application/json', ...access.headers },
    };
  }

  /**
   * Sends one document and gives the `data` of the answer.
   * @throws {StashError} for every answer without data or with errors, and for connections that fail.
   * @throws the signal's reason once it is aborted.
   */
  async post({ document, variables, signal, exchange }: Post): Promise<Json> {
    const { route, client, isClientError } = await this.#load();
    const secrets = [...this.#options.access.secrets, ...route.secrets];
    const fetch = (_url: unknown, init?: { body?: unknown }) =>
      this.#exchange(route, String(init?.body), signal, exchange, secrets);
    try {
      const { data } = await client(fetch as typeof globalThis.fetch).rawRequest<Json>(
        document,
        ...(variables === undefined ? [] : [variables]),
      );
      return data;
    } catch (error) {
      throw isClientError(error) ? refusal(error, secrets) : error;
    }
  }

  /**
   * How a WebSocket to the same endpoint is opened; undefined where a proxy stands between.
   * @throws {StashError} where the sign-in fails.
   */
  async socketWay(): Promise<SocketWay | undefined> {
    const { address, access, network } = this.#options;
    const { route } = await this.#load();
    if (!route.isDirect) return undefined;
    const cookie = await this.#session?.cookie();
    const { headers } = withCookie({ path: '', headers: access.headers }, cookie);
    const url = address.origin.replace(/^http/, 'ws') + address.graphqlPath;
    return { url, headers, tls: network.tls ?? {} };
  }

  /** A text of the server, fit to be shown. */
  clean(text: string): string {
    return mask(text, this.#options.access.secrets);
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    // What could not be opened has told so to those who wanted to ask.
    const parts = await this.#loading?.catch(() => undefined);
    await parts?.route.close();
  }

  async #load(): Promise<Parts> {
    this.#loading ??= this.#open();
    return this.#loading;
  }

  async #open(): Promise<Parts> {
    const { address, network } = this.#options;
    const [route, { ClientError, GraphQLClient }] = await Promise.all([
      openRoute(address, network),
      import('graphql-request'),
    ]);
    return {
      route,
      // Without its operation name graphql-request needs not parse a document that we wrote.
      client: (fetch) =>
        new GraphQLClient(address.base, {
          fetch,
          excludeOperationName: true,
          // graphql-request takes much for an answer that is none, lists for instance.
          jsonSerializer: { parse: readEnvelope, stringify: JSON.stringify },
        }),
      isClientError: (error): error is ClientError => error instanceof ClientError,
    };
  }

  /** One question, in the form of the part of `fetch` that graphql-request uses. Adds its cookies to `secrets`. */
  async #exchange(route: Route, body: string, signal: AbortSignal, exchange: Exchange, secrets: string[]) {
    const { address, access } = this.#options;
    const session = this.#session;
    let cookie: string | undefined;
    const ask = async () => {
      cookie = session && (await untilAborted(session.cookie(cookie), signal));
      if (cookie !== undefined) secrets.push(cookie);
      return this.#send(route, { ...withCookie(this.#question, cookie), body }, signal, exchange);
    };
    let answer = await ask();
    if (session && isSignInWanted(answer, address)) {
      // The session is over. That was found out before anything ran, so even a mutation may be sent again.
      exchange.sent = false;
      answer = await ask();
    }
    const error = judge(answer, { address, auth: access.auth });
    if (error) throw error;
    session?.keep(answer);
    return {
      ok: answer.status < 300,
      status: answer.status,
      headers: { get: (name: string) => (name.toLowerCase() === 'content-type' ? answer.contentType : '') },
      text: () => Promise.resolve(answer.text),
    };
  }

  /** Posts a form to the sign-in page, for all that wait for it: it has a time limit of its own. */
  async #signIn(form: string): Promise<HttpAnswer> {
    const { address, access, timeout: seconds, log } = this.#options;
    const { route } = await this.#load();
    const start = performance.now();
    const exchange: Exchange = { sent: false };
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new StashError('TIMEOUT.noAnswer', { details: { seconds }, retry: true }));
    }, seconds * 1000);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...access.headers };
    const { signal } = controller;
    const sending = this.#send(route, { path: address.loginPath, headers, body: form }, signal, exchange);
    return sending.finally(() => {
      clearTimeout(timer);
      log?.(`login ${address.host}: ${lineOf(exchange, start)}`);
    });
  }

  /** One HTTP exchange. Whatever is asked of the server goes through here. */
  async #send(
    route: Route,
    outgoing: Outgoing,
    signal: AbortSignal,
    exchange: Exchange,
  ): Promise<HttpAnswer> {
    const { address } = this.#options;
    const request = {
      method: 'POST',
      path: route.prefix + outgoing.path,
      headers: { ...outgoing.headers, ...route.headers },
      body: outgoing.body,
    } as const;
    const { status, headers, text, bytes } = await dispatch(route.pool, request, signal, exchange).catch(
      (error: unknown) => {
        if (signal.aborted) throw signal.reason as Error;
        // One that broke later is told as such, whoever broke it.
        throw connectionError(error, address, exchange.sent ? undefined : route.proxy);
      },
    );
    exchange.status = status;
    exchange.bytes = bytes;
    if (status === 407 && route.proxy !== undefined) {
      // It went no further than the proxy.
      exchange.sent = false;
      throw proxyRefusal(route.proxy, address, status);
    }
    const header = (name: string) => String(headers[name] ?? '');
    return {
      status,
      contentType: header('content-type'),
      location: header('location'),
      challenge: header('www-authenticate'),
      cookies: [headers['set-cookie'] ?? []].flat(),
      text,
    };
  }
}

/** A request with the cookie of a session, beside those that a gate may want. */
function withCookie<Request extends Omit<Outgoing, 'body'>>(request: Request, session?: string): Request {
  if (session === undefined) return request;
  const { cookie: others } = request.headers;
  const cookie = others === undefined ? `session=${session}` : `${others}; session=${session}`;
  return { ...request, headers: { ...request.headers, cookie } };
}

/** What a JSON answer with errors, or with a status that is no success, means. */
function refusal({ response }: ClientError, secrets: readonly string[]): StashError {
  const { status, errors } = response;
  if (!errors || status >= 500) return judgeStatus(status);
  // v0.27.0 and later repeat a body that they cannot decode.
  const messages = errors.map(({ message }) =>
    message.replace(/( could not be decoded: .*?) body:.*/s, '$1'),
  );
  const text = mask(messages.join('; '), secrets);
  // 422, or 400, is how a server refuses a document before running any of it (all releases).
  const refused = status === 422 || status === 400;
  return new StashError(refused ? 'GRAPHQL.refused' : 'GRAPHQL.failed', { status, details: { text } });
}

/**
 * Sends a request and reads the whole answer. With a handler of our own, as undici's `request` makes a stream for each
 * answer and would add a fifth to a half to what a message costs (`npm run bench`).
 */
function dispatch(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  exchange: Exchange,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Answer['headers'] = {};
    const chunks: Buffer[] = [];
    const abort = () => {
      // undici notices this only when the request has a connection, which can take until its own limit for that.
      reject(signal.reason as Error);
      request?.abort(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    pool.dispatch(options, {
      onRequestStart: (started) => {
        request = started;
        if (signal.aborted) abort();
        else exchange.sent = true;
      },
      onResponseStart: (_request, ...[answeredStatus, answeredHeaders]) => {
        status = answeredStatus;
        headers = answeredHeaders;
      },
      onResponseData: (_request, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        signal.removeEventListener('abort', abort);
        const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
        resolve({ status, headers, text: UTF_8.decode(body), bytes: body?.length ?? 0 });
      },
      onResponseError: (_request, error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    });
  });
}
