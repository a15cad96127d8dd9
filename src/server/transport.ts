import type { ClientError, GraphQLClient } from 'graphql-request';
import type { Agent, Dispatcher } from 'undici';
import { StashError } from '../errors';
import type { Address } from './address';
import { connectionError, judge, judgeStatus, readEnvelope } from './answer';
import { untilAborted } from './call';
import { mask } from './mask';

/** The largest JSON answer that is read, in bytes. */
const LARGEST_ANSWER = 64 * 1024 * 1024;
/** Shorter than any idle limit seen in front of a server, so that no request meets a connection being closed. */
const KEEP_ALIVE_MILLISECONDS = 4_000;
const CONNECT_MILLISECONDS = 10_000;
const CONNECTIONS = 16;

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

type Json = Readonly<Record<string, unknown>>;

interface Parts {
  agent: Agent;
  /** A GraphQL client for one request. */
  client: (fetch: typeof globalThis.fetch) => GraphQLClient;
  isClientError: (error: unknown) => error is ClientError;
}

/**
 * Carries GraphQL over HTTP to one address and turns every answer into data or one `StashError`.
 *
 * graphql-request speaks GraphQL, undici's `request` speaks HTTP: unlike `fetch` it follows no redirect (and so
 * takes the key nowhere else) and costs a fraction. Both are loaded with the first request, not when Node-RED starts.
 */
export class Transport {
  readonly #address: Address;
  readonly #apiKey: string | undefined;
  #loading: Promise<Parts> | undefined;

  constructor(address: Address, apiKey: string | undefined) {
    this.#address = address;
    this.#apiKey = apiKey;
  }

  /**
   * Sends one document and gives the `data` of the answer.
   * @throws {StashError} for every answer without data or with errors, and for connections that fail.
   * @throws the signal's reason once it is aborted.
   */
  async post({ document, variables, signal, exchange }: Post): Promise<Json> {
    const { agent, client, isClientError } = await (this.#loading ??= this.#load());
    const fetch = (_url: unknown, init?: { body?: unknown }) =>
      this.#exchange(agent, String(init?.body), signal, exchange);
    try {
      const asking = client(fetch as typeof globalThis.fetch).rawRequest<Json>(
        document,
        ...(variables === undefined ? [] : [variables]),
      );
      // undici notices an abort only when a request has a connection, which can take until its own limit for that.
      const { data } = await untilAborted(asking, signal);
      return data;
    } catch (error) {
      throw isClientError(error) ? this.#refusal(error) : error;
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    const parts = await this.#loading;
    await parts?.agent.destroy();
  }

  async #load(): Promise<Parts> {
    const [{ Agent }, { ClientError, GraphQLClient }] = await Promise.all([
      import('undici'),
      import('graphql-request'),
    ]);
    const agent = new Agent({
      connections: CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      connect: { timeout: CONNECT_MILLISECONDS },
      maxResponseSize: LARGEST_ANSWER,
      // Time limits belong to the kind of request (server.ts), not to the connection.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return {
      agent,
      // Without its operation name graphql-request needs not parse a document that we wrote.
      client: (fetch) =>
        new GraphQLClient(this.#address.base, {
          fetch,
          excludeOperationName: true,
          // graphql-request takes much for an answer that is none, lists for instance.
          jsonSerializer: { parse: readEnvelope, stringify: JSON.stringify },
        }),
      isClientError: (error): error is ClientError => error instanceof ClientError,
    };
  }

  /** One HTTP exchange, in the form of the part of `fetch` that graphql-request uses. */
  async #exchange(agent: Agent, body: string, signal: AbortSignal, exchange: Exchange) {
    const answer = await agent
      .compose(noting(exchange))
      .request({
        origin: this.#address.origin,
        path: this.#address.graphqlPath,
        method: 'POST',
        // From v0.29.0 on a server answers in another type and with other statuses unless JSON is asked for.
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          ...(this.#apiKey === undefined ? {} : { ApiKey: this.#apiKey }),
        },
        body,
        signal,
      })
      .then(async ({ statusCode, headers, body }) => ({
        status: statusCode,
        headers,
        text: await body.text(),
      }))
      .catch((error: unknown) => {
        throw signal.aborted ? (signal.reason as Error) : connectionError(error, this.#address);
      });
    exchange.status = answer.status;
    exchange.bytes = Buffer.byteLength(answer.text);
    const header = (name: string) => String(answer.headers[name.toLowerCase()] ?? '');
    const error = judge(
      {
        status: answer.status,
        contentType: header('content-type'),
        location: header('location'),
        text: answer.text,
      },
      { address: this.#address, withKey: this.#apiKey !== undefined },
    );
    if (error) throw error;
    return {
      ok: answer.status < 300,
      status: answer.status,
      headers: { get: header },
      text: () => Promise.resolve(answer.text),
    };
  }

  /** What a JSON answer with errors, or with a status that is no success, means. */
  #refusal({ response }: ClientError): StashError {
    const { status, errors } = response;
    if (!errors || status >= 500) return judgeStatus(status);
    const text = mask(errors.map(({ message }) => message).join('; '), [this.#apiKey ?? '']);
    // 422, or 400, is how a server refuses a document before running any of it (all releases).
    const refused = status === 422 || status === 400;
    return new StashError(refused ? 'GRAPHQL.refused' : 'GRAPHQL.failed', { status, details: { text } });
  }
}

/** Notes when a request begins to go out on a connection. */
function noting(exchange: Exchange): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => {
        exchange.sent = true;
        handler.onRequestStart?.(controller, context);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}
