import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { portOf } from './connect';

export interface RawRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: string;
}

/** An HTTP server with a handler from the test. Records each request. */
export class RawServer {
  readonly requests: RawRequest[] = [];
  /** Returns the response; without one, the request stays unanswered. An error breaks the connection. */
  answer: (received: RawRequest) => Reply | undefined | Promise<Reply | undefined>;
  readonly #server: Server;
  readonly #scheme: string;

  private constructor(server: Server, answer: RawServer['answer'], scheme: string) {
    this.#server = server;
    this.#scheme = scheme;
    this.answer = answer;
    server.on('request', (request: IncomingMessage, response) => {
      void (async () => {
        const { method = '', url = '', headers } = request;
        const received = { method, path: url, headers, body: await text(request) };
        this.requests.push(received);
        const reply = await this.answer(received);
        if (reply) response.writeHead(reply.status, reply.headers).end(reply.body);
      })().catch(() => response.destroy());
    });
  }

  /** Starts a server, with TLS if there are options for it. */
  static async open(answer: RawServer['answer'], tls?: ServerOptions): Promise<RawServer> {
    const server = tls ? createSecureServer(tls) : createServer();
    server.on('tlsClientError', () => undefined);
    const raw = new RawServer(server, answer, tls ? 'https' : 'http');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return raw;
  }

  get host(): string {
    return `127.0.0.1:${portOf(this.#server)}`;
  }

  get url(): string {
    return `${this.#scheme}://${this.host}`;
  }

  /** Returns the requests for a path. */
  at(path: string): RawRequest[] {
    return this.requests.filter((received) => received.path === path);
  }

  /** Breaks all connections. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }
}

/** A response that is valid for every request of these tests, even for the schema. */
export const GOOD: Reply = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    data: {
      version: { version: 'v0.30.1' },
      Query: { fields: [{ name: 'systemStatus' }] },
      systemStatus: { status: 'OK' },
      metadataScan: '1',
    },
  }),
};

/** The refusal of Stash itself. */
export const SIGNED_OUT: Reply = { status: 401, headers: { 'www-authenticate': 'FormBased' } };
