import type { GraphQLClient } from 'graphql-request';
import { untilAborted } from '../async';
import { StashError } from '../errors';
import { redactor } from '../redact';
import type { Address } from './address';
import type { Receive, Receiver } from './body';
import { stream } from './body-stream';
import { connectionError } from './connection-error';
import type { Credentials } from './credentials';
import { formatTrace, post, type RequestTrace } from './dispatch';
import { load } from './load';
import { proxyRefusal } from './proxy';
import { classifyDownload, classifyResponse, type HttpResponse, isSignInWanted, readData } from './response';
import { type LaneName, type NetworkOptions, openRoute, type Route } from './route';
import { Session } from './session';
import type { SocketTarget } from './websocket';

export interface Post {
  document: string;
  variables?: Readonly<Record<string, unknown>> | undefined;
  /** Whose connections it takes. */
  lane: LaneName;
  signal: AbortSignal;
  exchange: RequestTrace;
}

/** A part of something that the server gives away as it is. */
export interface Get {
  /** Without origin. */
  path: string;
  /** The first of its bytes that is wanted. */
  offset: number;
  receive: Receive;
  signal: AbortSignal;
  exchange: RequestTrace;
}

type Json = Readonly<Record<string, unknown>>;

interface Parts {
  route: Route;
  /** A GraphQL client for one request. */
  client: (fetch: typeof globalThis.fetch, parse: (text: string) => object) => GraphQLClient;
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
  access: Credentials;
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
  /** What no text may show, beside the cookies of sessions. */
  #secrets: readonly string[];
  #redaction: { cookie: string | undefined; redact: (text: string) => string } | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { address, access } = options;
    const { login } = access;
    this.#secrets = access.secrets;
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
  async post({ document, variables, lane, signal, exchange }: Post): Promise<Json> {
    const { route, client } = await this.#load();
    const cookies: string[] = [];
    const fetch = (_url: unknown, init?: { body?: unknown }) =>
      this.#exchange(route, String(init?.body), lane, signal, exchange, cookies);
    const redact = (text: string) => redactor([...this.#secrets, ...cookies])(text);
    const parse = (text: string) => ({ data: readData({ status: exchange.status ?? 0, text }, redact) });
    const { data } = await client(fetch as typeof globalThis.fetch, parse).rawRequest<Json>(
      document,
      ...(variables === undefined ? [] : [variables]),
    );
    return data;
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
    if (!receivers.at(-1)) throw classifyDownload(answer, { address, auth: access.auth });
  }

  /**
   * How a WebSocket to the same endpoint is opened; undefined where a proxy stands between.
   * @throws {StashError} where the sign-in fails.
   */
  async socketTarget(): Promise<SocketTarget | undefined> {
    const { address, access, network } = this.#options;
    const { route } = await this.#load();
    if (!route.isDirect) return undefined;
    const cookie = await this.#session?.cookie();
    const { headers } = withCookie({ path: '', headers: access.headers }, cookie);
    const url = address.origin.replace(/^http/, 'ws') + address.graphqlPath;
    return { url, headers, tls: network.tls ?? {} };
  }

  /** A text of the server, fit to be shown. */
  redact(text: string): string {
    const cookie = this.#session?.current;
    if (this.#redaction?.cookie !== cookie || !this.#redaction) {
      this.#redaction = { cookie, redact: redactor([...this.#secrets, cookie ?? '']) };
    }
    return this.#redaction.redact(text);
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    // What could not be opened has told so to those who wanted to ask.
    const parts = await this.#loading?.catch(() => undefined);
    await parts?.route.close();
  }

  /** What fails is not remembered: the next message may find what this one lacked. */
  async #load(): Promise<Parts> {
    this.#loading ??= this.#open().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #open(): Promise<Parts> {
    const { address, access, network } = this.#options;
    const [route, { GraphQLClient }] = await Promise.all([
      openRoute(address, network),
      load('graphql-request', () => import('graphql-request')),
    ]);
    this.#secrets = [...access.secrets, ...route.secrets];
    this.#redaction = undefined;
    return {
      route,
      // Without its operation name graphql-request needs not parse a document that we wrote.
      client: (fetch, parse) =>
        new GraphQLClient(address.base, {
          fetch,
          excludeOperationName: true,
          jsonSerializer: { parse, stringify: JSON.stringify },
        }),
    };
  }

  /** One question, in the form of the part of `fetch` that graphql-request uses. Adds those of its session to `cookies`. */
  async #exchange(
    route: Route,
    body: string,
    lane: LaneName,
    signal: AbortSignal,
    exchange: RequestTrace,
    cookies: string[],
  ) {
    const { address, access } = this.#options;
    const answer = await this.#signedIn(signal, exchange, (cookie) => {
      if (cookie !== undefined) cookies.push(cookie);
      return this.#send(route, { ...withCookie(this.#question, cookie), body }, signal, exchange, lane);
    });
    const error = classifyResponse(answer, { address, auth: access.auth });
    if (error) throw error;
    this.#session?.keep(answer);
    return {
      // Whatever the status: graphql-request would repeat the whole answer in an error of its own.
      ok: true,
      status: answer.status,
      headers: { get: (name: string) => (name.toLowerCase() === 'content-type' ? answer.contentType : '') },
      text: () => Promise.resolve(answer.text),
    };
  }

  /** Sends a request with the cookie of the session, if there is one, and once more if that is over. */
  async #signedIn(
    signal: AbortSignal,
    exchange: RequestTrace,
    send: (cookie: string | undefined) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
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
  async #signIn(form: string): Promise<HttpResponse> {
    const { address, access, timeout: seconds, log } = this.#options;
    const { route } = await this.#load();
    const start = performance.now();
    const exchange: RequestTrace = { sent: false };
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new StashError('TIMEOUT.noAnswer', { details: { seconds }, retry: true }));
    }, seconds * 1000);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...access.headers };
    const { signal } = controller;
    const sending = this.#send(route, { path: address.loginPath, headers, body: form }, signal, exchange);
    return sending.finally(() => {
      clearTimeout(timer);
      log?.(`login ${address.host}: ${formatTrace(exchange, start)}`);
    });
  }

  /** One HTTP exchange. Whatever is asked of the server goes through here. */
  async #send(
    route: Route,
    outgoing: Outgoing,
    signal: AbortSignal,
    exchange: RequestTrace,
    lane: LaneName = 'messages',
  ): Promise<HttpResponse> {
    const { address } = this.#options;
    const { path, headers, body } = outgoing;
    const request = { path: route.prefix + path, headers: { ...headers, ...route.headers } };
    const sending =
      typeof body === 'string'
        ? post(route.lanes[lane], request, body, signal, exchange)
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
