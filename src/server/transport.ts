import type { ClientError, GraphQLClient } from 'graphql-request';
import type { Dispatcher, Pool } from 'undici';
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

interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Parts {
  pool: Pool;
  /** A GraphQL client for one request. */
  client: (fetch: typeof globalThis.fetch) => GraphQLClient;
  isClientError: (error: unknown) => error is ClientError;
}

/**
 * Carries GraphQL over HTTP to one address and turns every answer into data or one `StashError`.
 *
 * graphql-request speaks GraphQL, undici's `dispatch` HTTP: unlike `fetch` it follows no redirect (and so
 * takes the key nowhere else) and costs a fraction. Both are loaded with the first request, not when Node-RED starts.
 */
export class Transport {
  readonly #address: Address;
  readonly #apiKey: string | undefined;
  /** All of a request but its body. */
  readonly #question: Dispatcher.DispatchOptions;
  #loading: Promise<Parts> | undefined;

  constructor(address: Address, apiKey: string | undefined) {
    this.#address = address;
    this.#apiKey = apiKey;
    this.#question = {
      path: address.graphqlPath,
      method: 'POST',
      // From v0.29.0 on a server answers in another type and with other statuses unless JSON is asked for.
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { ApiKey: apiKey }),
      },
    };
  }

  /**
   * Sends one document and gives the `data` of the answer.
   * @throws {StashError} for every answer without data or with errors, and for connections that fail.
   * @throws the signal's reason once it is aborted.
   */
  async post({ document, variables, signal, exchange }: Post): Promise<Json> {
    const { pool, client, isClientError } = await (this.#loading ??= this.#load());
    const fetch = (_url: unknown, init?: { body?: unknown }) =>
      this.#exchange(pool, String(init?.body), signal, exchange);
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
    await parts?.pool.destroy();
  }

  async #load(): Promise<Parts> {
    const [{ Pool }, { ClientError, GraphQLClient }] = await Promise.all([
      import('undici'),
      import('graphql-request'),
    ]);
    const pool = new Pool(this.#address.origin, {
      connections: CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
      connect: { timeout: CONNECT_MILLISECONDS },
      maxResponseSize: LARGEST_ANSWER,
      // Time limits belong to the kind of request (server.ts), not to the connection.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    return {
      pool,
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
  async #exchange(pool: Pool, body: string, signal: AbortSignal, exchange: Exchange) {
    const answer = await dispatch(pool, { ...this.#question, body }, signal, exchange).catch(
      (error: unknown) => {
        throw signal.aborted ? (signal.reason as Error) : connectionError(error, this.#address);
      },
    );
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
    const abort = () => request?.abort(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
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
        resolve({ status, headers, text: UTF_8.decode(Buffer.concat(chunks)) });
      },
      onResponseError: (_request, error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    });
  });
}
