import type { GraphQLClient } from 'graphql-request';
import { untilAborted, withTimeLimit } from '../async';
import { StashError } from '../errors';
import { Mask } from '../redact';
import { timing } from '../timing';
import type { Address } from './address';
import type { Credentials } from './credentials';
import type { Receive } from './dispatch';
import { load } from './load';
import { type GraphQLDocument, requestData } from './request-data';
import type { RequestLog, RequestTrace } from './request-log';
import { classifyDownload, classifyResponse, type HttpResponse, isSignInWanted } from './response';
import { type PoolName, type NetworkOptions, openRoute, type Route } from './route';
import { send } from './send';
import { checkPause, Session, withCookie } from './session';
import { openSocket, type Socket, type Subscriptions } from './websocket';

export interface Post extends GraphQLDocument {
  pool: PoolName;
  signal: AbortSignal;
  trace: RequestTrace;
  /** Receives the texts of errors beside data; without it, they are an error. */
  onErrors?: ((texts: readonly string[]) => void) | undefined;
}

export interface Get {
  /** Without origin. */
  path: string;
  offset: number;
  /** The server sends the whole file instead of the rest if its ETag or time is another one. */
  version?: string | undefined;
  /** How many bytes to request, and not from a cache; all by default. */
  length?: number;
  receive: Receive;
  signal: AbortSignal;
  trace: RequestTrace;
}

interface Channel {
  route: Route;
  Client: typeof GraphQLClient;
}

export interface TransportOptions {
  address: Address;
  credentials: Credentials;
  network: NetworkOptions;
  /** The time limit of a sign-in, in seconds. */
  timeout: number;
  log: RequestLog;
}

/**
 * Carries GraphQL over HTTP to one address and turns every response into data or one `StashError`. graphql-request only makes
 * the body of a request; `readData` reads the response. undici's `dispatch` carries both: unlike `fetch` it follows no
 * redirect, so credentials stay with the configured address, and it costs a fraction. Both libraries are loaded with the first
 * request, not when Node-RED starts.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #session: Session | undefined;
  readonly #graphQLPath: string;
  readonly #graphQLHeaders: Readonly<Record<string, string>>;
  /** When an API key that was rejected may be sent again: a server may lock out who repeats it. */
  #keyPausedUntil = 0;
  #opening: Promise<Channel> | undefined;
  #channel: Channel | undefined;
  /** Without the cookies of sessions. */
  #secrets: readonly string[];
  /** That of the last cookies. */
  #mask: { cookies: string; mask: Mask } | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { address, credentials } = options;
    const { login, headers, secrets } = credentials;
    this.#secrets = secrets;
    this.#session = login && new Session(address, login, (form) => this.#signIn(form));
    this.#graphQLPath = address.graphqlPath;
    // Since v0.29.0, a server responds with another content type and other statuses unless the request accepts JSON.
    this.#graphQLHeaders = { accept: 'application/json', 'content-type': 'application/json', ...headers };
  }

  /** @throws {StashError} for every response without data or with errors, and for connections that fail. */
  async post(request: Post): Promise<Readonly<Record<string, unknown>>> {
    checkPause(this.#keyPausedUntil);
    const { route, Client } = this.#channel ?? (await this.#open());
    const cookies: string[] = [];
    return await requestData(Client, request, (body) => this.#exchange(route, request, body, cookies), {
      redact: (text) => this.#maskFor(cookies).redact(text),
      parse: (text) => this.#maskFor(cookies).parse(text),
      onErrors: request.onErrors,
    });
  }

  /**
   * Fetches a file, with the same credentials as GraphQL.
   * @throws {StashError} for every response without the file, and for connections that fail.
   * @throws the signal's reason once it is aborted, and what `receive` or the receiver throws.
   */
  async get({ path, offset, version, length, receive, signal, trace }: Get): Promise<void> {
    const { address, credentials } = this.#options;
    const { route } = await this.#open();
    const headers = {
      accept: '*/*',
      // A compressed body would have neither the length nor the ranges of the file.
      'accept-encoding': 'identity',
      ...((offset > 0 || length !== undefined) && {
        range: `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`,
      }),
      ...(offset > 0 && version !== undefined && { 'if-range': version }),
      ...(length !== undefined && { 'cache-control': 'no-cache' }),
      ...credentials.headers,
    };
    let isReceived = false as boolean;
    const body: Receive = (head) => {
      const receiver = receive(head);
      isReceived = receiver !== undefined;
      return receiver;
    };
    const response = await this.#withSession(signal, trace, (cookie) =>
      send(route, address, { path, headers: withCookie(headers, cookie), signal, trace }, body),
    );
    if (!isReceived) throw classifyDownload(response, { address, auth: credentials.auth });
  }

  /**
   * Opens a WebSocket to the GraphQL endpoint; undefined behind a configured proxy.
   * @throws {StashError} if the sign-in fails; UNREACHABLE if the server offers no WebSocket.
   * @throws the signal's reason once it is aborted during the sign-in.
   */
  async openSocket(subscriptions: Subscriptions, signal: AbortSignal): Promise<Socket | undefined> {
    const { address, credentials, network } = this.#options;
    const { route } = await this.#open();
    if (!route.isDirect) return undefined;
    const cookie = this.#session && (await untilAborted(this.#session.cookie(), signal));
    const headers = withCookie(credentials.headers, cookie);
    const url = address.origin.replace(/^http/, 'ws') + address.graphqlPath;
    return await openSocket({ url, headers, tls: network.tls ?? {} }, subscriptions, signal);
  }

  redact(text: string): string {
    const cookie = this.#session?.current;
    return this.#maskFor(cookie === undefined ? [] : [cookie]).redact(text);
  }

  /** Returns the mask for all secrets and these cookies, and caches it for the next response. */
  #maskFor(sent: readonly string[]): Mask {
    const cookies = sent.join('\n');
    if (this.#mask?.cookies !== cookies) {
      this.#mask = { cookies, mask: new Mask([...this.#secrets, ...sent]) };
    }
    return this.#mask.mask;
  }

  async close(): Promise<void> {
    // A failure to open it has reached the messages that needed it.
    const channel = await this.#opening?.catch(() => undefined);
    await channel?.route.close();
  }

  /** Does not cache a failure: the next message may succeed. */
  async #open(): Promise<Channel> {
    this.#opening ??= this.#openChannel().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return (this.#channel = await this.#opening);
  }

  async #openChannel(): Promise<Channel> {
    const { address, credentials, network } = this.#options;
    const [route, { GraphQLClient: Client }] = await Promise.all([
      openRoute(address, network),
      load('graphql-request', () => import('graphql-request')),
    ]);
    this.#secrets = [...credentials.secrets, ...route.secrets];
    this.#mask = undefined;
    return { route, Client };
  }

  /**
   * Posts the body of a GraphQL request. Adds the cookies that were sent to `cookies`. A response that has arrived is returned
   * although the signal is aborted.
   * @throws {StashError} for a response that is not JSON.
   */
  async #exchange(
    route: Route,
    { pool, signal, trace }: Post,
    body: string,
    cookies: string[],
  ): Promise<HttpResponse> {
    const { address, credentials } = this.#options;
    const response = await this.#withSession(signal, trace, (cookie) => {
      if (cookie !== undefined) cookies.push(cookie);
      const headers = withCookie(this.#graphQLHeaders, cookie);
      return send(route, address, { path: this.#graphQLPath, headers, signal, trace }, body, pool);
    });
    const error = classifyResponse(response, { address, auth: credentials.auth });
    if (error?.case === 'UNAUTHORIZED.keyRefused') {
      this.#keyPausedUntil = performance.now() + timing.rejectedCredentials;
    }
    if (error?.case === 'HTTP.status' && response.status === 403 && route.proxy !== undefined) {
      // Either of them may have refused.
      const details = { host: route.proxy, status: response.status };
      throw new StashError('HTTP.proxied', { status: response.status, details });
    }
    if (error) throw error;
    this.#session?.keep(response);
    return response;
  }

  /** Sends a request with the session's cookie, if there is a session, and once more if the session has expired. */
  async #withSession(
    signal: AbortSignal,
    trace: RequestTrace,
    send: (cookie: string | undefined) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    signal.throwIfAborted();
    const session = this.#session;
    if (!session) return await send(undefined);
    const cookie = await untilAborted(session.cookie(), signal);
    const response = await send(cookie);
    if (!isSignInWanted(response, this.#options.address)) return response;
    // The server rejected the session before it ran anything, so even a mutation may be sent again.
    trace.sent = false;
    signal.throwIfAborted();
    return await send(await untilAborted(session.cookie(cookie), signal));
  }

  /** Several calls share a sign-in, so it has its own time limit. */
  async #signIn(form: string): Promise<HttpResponse> {
    const { address, credentials, timeout, log } = this.#options;
    const { route } = await this.#open();
    const start = performance.now();
    const trace: RequestTrace = { sent: false };
    const limit = new AbortController();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...credentials.headers };
    const request = { path: address.loginPath, headers, signal: limit.signal, trace };
    return await withTimeLimit(limit, timeout, () => send(route, address, request, form)).finally(() =>
      log.write('login', trace, start),
    );
  }
}
