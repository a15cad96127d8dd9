import type { ClientError, GraphQLClient } from 'graphql-request';
import { StashError } from '../errors';
import type { Access } from './access';
import type { Address } from './address';
import {
  connectionError,
  type HttpAnswer,
  isSignInWanted,
  judge,
  judgeDownload,
  judgeStatus,
  readEnvelope,
} from './answer';
import { untilAborted } from './call';
import type { Receive, Receiver } from './download';
import { dispatch, type Exchange, lineOf, stream } from './exchange';
import type { SocketWay } from './job-socket';
import { mask } from './mask';
import { type NetworkOptions, openRoute, proxyRefusal, type Route } from './network';
import { Session } from './session';

export interface Post {
  document: string;
  variables?: Readonly<Record<string, unknown>> | undefined;
  signal: AbortSignal;
  exchange: Exchange;
}

/** A part of something that the server gives away as it is. */
export interface Get {
  /** Without origin. */
  path: string;
  /** The first of its bytes that is wanted. */
  offset: number;
  receive: Receive;
  signal: AbortSignal;
  exchange: Exchange;
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
  /** What is posted, or where what is got goes. */
  body: string | Receive;
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
   * Fetches bytes that the server gives away, with the same credentials as questions.
   * @throws {StashError} for every answer without them, and for connections that fail.
   * @throws the signal's reason once it is aborted, and what `receive` or the receiver throws.
   */
  async get({ path, offset, receive, signal, exchange }: Get): Promise<void> {
    const { address, access } = this.#options;
    const { route } = await this.#load();
    const headers = {
      host: address.host,
      accept: '*/*',
      // A packed body would have neither the length nor the ranges of the file.
      'accept-encoding': 'identity',
      ...(offset > 0 && { range: `bytes=${offset}-` }),
      ...access.headers,
    };
    const receivers: (Receiver | undefined)[] = [];
    const body: Receive = (answer) => {
      const receiver = receive(answer);
      receivers.push(receiver);
      return receiver;
    };
    const answer = await this.#signedIn(signal, exchange, (cookie) =>
      this.#send(route, withCookie({ path, headers, body }, cookie), signal, exchange),
    );
    if (!receivers.at(-1)) throw judgeDownload(answer, { address, auth: access.auth });
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
    const answer = await this.#signedIn(signal, exchange, (cookie) => {
      if (cookie !== undefined) secrets.push(cookie);
      return this.#send(route, { ...withCookie(this.#question, cookie), body }, signal, exchange);
    });
    const error = judge(answer, { address, auth: access.auth });
    if (error) throw error;
    this.#session?.keep(answer);
    return {
      ok: answer.status < 300,
      status: answer.status,
      headers: { get: (name: string) => (name.toLowerCase() === 'content-type' ? answer.contentType : '') },
      text: () => Promise.resolve(answer.text),
    };
  }

  /** Sends a request with the cookie of the session, if there is one, and once more if that is over. */
  async #signedIn(
    signal: AbortSignal,
    exchange: Exchange,
    send: (cookie: string | undefined) => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    const session = this.#session;
    let cookie: string | undefined;
    const ask = async () => {
      cookie = session && (await untilAborted(session.cookie(cookie), signal));
      return send(cookie);
    };
    const answer = await ask();
    if (!session || !isSignInWanted(answer, this.#options.address)) return answer;
    // That was found out before anything ran, so even a mutation may be sent again.
    exchange.sent = false;
    return ask();
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
    const { path, headers, body } = outgoing;
    const request = { path: route.prefix + path, headers: { ...headers, ...route.headers } };
    const sending =
      typeof body === 'string'
        ? dispatch(route.pool, { method: 'POST', ...request, body }, signal, exchange)
        : stream(route, request, body, signal, exchange);
    const answer = await sending.catch((error: unknown) => {
      if (signal.aborted) throw signal.reason as Error;
      // One that broke later is told as such, whoever broke it.
      throw connectionError(error, address, exchange.sent ? undefined : route.proxy);
    });
    const { status, text } = answer;
    if (status === 407 && route.proxy !== undefined) {
      // It went no further than the proxy.
      exchange.sent = false;
      throw proxyRefusal(route.proxy, address, status);
    }
    const header = (name: string) => String(answer.headers[name] ?? '');
    return {
      status,
      contentType: header('content-type'),
      location: header('location'),
      challenge: header('www-authenticate'),
      cookies: [answer.headers['set-cookie'] ?? []].flat(),
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
