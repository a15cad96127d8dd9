import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { OperationTypeNode } from 'graphql';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { type Answer, html } from './answers';
import { prepare, type Prepared, type Service } from './graphql';
import { isRequestBody } from './request-body';
import type { Quirks } from './quirks';
import { isRecord } from './variables';

/** An attempt to open a socket. */
export interface Attempt {
  /** As of `performance.now()`. */
  readonly at: number;
  /** Whether the socket was opened; before v0.14 also for clients that offer another protocol and then close it. */
  readonly accepted: boolean;
  readonly headers: IncomingHttpHeaders;
}

const LEGACY = 'graphql-ws';
const TRANSPORT = 'graphql-transport-ws';

/** A proxy's response to an upgrade that it does not support. */
const NO_UPGRADE = html(200, '<!DOCTYPE html>\n<title>Stash</title>\n');

/** The WebSockets of a server. */
export class Sockets {
  /** Whether a proxy refuses upgrades: with a web page, or with this response. */
  refused: boolean | Answer = false;
  /**
   * What a test puts in the place of each event of a subscription: any number of texts, which may be invalid. Undefined: the event
   * itself.
   */
  distort: ((text: string) => readonly (string | Buffer)[]) | undefined;
  /** All attempts so far, in their order. */
  readonly attempts: Attempt[] = [];

  readonly #server: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #quirks: Quirks;
  #frozen = false;

  constructor(quirks: Quirks) {
    this.#quirks = quirks;
    this.#server = new WebSocketServer({
      noServer: true,
      // The server's order decides: a client that offers both protocols gets the older one.
      handleProtocols: (offered) => {
        const known = quirks.transportSocket ? [LEGACY, TRANSPORT] : [];
        return known.find((protocol) => offered.has(protocol)) ?? false;
      },
    });
    this.#server.on('headers', (headers) => {
      if (!quirks.transportSocket) headers.push(`Sec-WebSocket-Protocol: ${LEGACY}`);
    });
  }

  /** The number of open sockets. */
  get open(): number {
    return this.#connections.size;
  }

  /** The root fields of all subscriptions, over all sockets. */
  get subscribed(): string[] {
    return [...this.#connections].flatMap(({ subscribed }) => subscribed);
  }

  /** Cuts all open sockets without a close frame: code 1006. */
  cut(): void {
    for (const connection of this.#connections) connection.cut();
    this.#connections.clear();
  }

  /** Closes all open sockets with a code and a reason, as a proxy may. */
  close(code: number, reason: string): void {
    for (const connection of this.#connections) connection.close(code, reason);
  }

  /** Stops all data in both directions, while all sockets stay open. */
  freeze(): void {
    this.#frozen = true;
    for (const connection of this.#connections) connection.freeze();
  }

  /** Delivers the data held back since `freeze`, in both directions. */
  thaw(): void {
    this.#frozen = false;
    for (const connection of this.#connections) connection.thaw();
  }

  /** Answers an upgrade with a refusal, or opens a socket whose operations `service` executes. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    refusal: Answer | undefined,
    service: (gone: AbortSignal) => Service,
  ): void {
    const answer = this.refused === true ? NO_UPGRADE : this.refused || refusal;
    this.attempts.push({ at: performance.now(), accepted: !answer, headers: request.headers });
    socket.on('error', () => socket.destroy());
    if (answer) {
      socket.end(asText(answer));
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const distort = (text: string) => this.distort?.(text) ?? [text];
      const connection = new Connection(webSocket, socket, { quirks: this.#quirks, service, distort });
      this.#connections.add(connection);
      webSocket.on('close', () => this.#connections.delete(connection));
      if (this.#frozen) connection.freeze();
    });
  }
}

/** What a socket needs from the server. */
interface ConnectionServer {
  quirks: Quirks;
  service: (gone: AbortSignal) => Service;
  distort: (text: string) => readonly (string | Buffer)[];
}

/** One socket. A client gets messages only if `graphql-transport-ws` is the one protocol that it offers. */
class Connection {
  #begun = false;
  #held: (string | Buffer)[] | undefined;
  readonly #active = new Map<string, { field: string; end: AbortController }>();
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #quirks: Quirks;
  readonly #gone = new AbortController();
  readonly #service: Service;
  readonly #distort: ConnectionServer['distort'];

  constructor(webSocket: WebSocket, socket: Duplex, { quirks, service, distort }: ConnectionServer) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#quirks = quirks;
    this.#service = service(this.#gone.signal);
    this.#distort = distort;
    webSocket.on('error', () => {
      webSocket.terminate(); // the client violated the WebSocket protocol
    });
    webSocket.on('close', () => {
      this.#gone.abort();
    });
    if (webSocket.protocol !== TRANSPORT) return;
    webSocket.on('message', (data: RawData) => {
      // oxlint-disable-next-line typescript/no-base-to-string -- a Buffer, as `ws` gives by default
      this.#receive(String(data));
    });
  }

  get subscribed(): string[] {
    return [...this.#active.values()].map(({ field }) => field);
  }

  cut(): void {
    this.#gone.abort();
    this.#webSocket.terminate();
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
  }

  freeze(): void {
    this.#held ??= [];
    this.#webSocket.pause();
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#webSocket.send(text);
    this.#webSocket.resume();
  }

  #send(message: object): void {
    this.#sendText(`${JSON.stringify(message)}\n`);
  }

  #sendText(text: string | Buffer): void {
    if (this.#gone.signal.aborted) return;
    if (this.#held) this.#held.push(text);
    else this.#webSocket.send(text);
  }

  #receive(text: string): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    const { type, id = '', payload } = messageOf(text);
    const known = ['connection_init', 'subscribe', 'complete', 'ping', 'pong'].includes(type ?? '');
    if (!known || (type === 'pong' && this.#quirks.diesOfPong)) {
      this.#leave();
      return;
    }
    if (this.#begun === (type === 'connection_init')) {
      this.#webSocket.close(1002, 'unexpected message');
      return;
    }
    if (type === 'connection_init') {
      this.#begun = true;
      this.#send({ type: 'connection_ack' });
    } else if (type === 'ping') {
      this.#send({ ...(payload !== undefined && { payload }), type: 'pong' });
    } else if (type === 'subscribe') {
      void this.#start(id, payload);
    } else if (type === 'complete' && this.#active.has(id)) {
      this.#complete(id);
    }
  }

  async #start(id: string, payload: unknown): Promise<void> {
    const prepared = isRequestBody(payload)
      ? prepare(payload, this.#service)
      : { errors: [{ message: 'invalid json' }] };
    if ('errors' in prepared) {
      this.#send({ payload: prepared.errors, id, type: 'error' });
      this.#send({ id, type: 'complete' });
      return;
    }
    const end = new AbortController();
    this.#active.set(id, { field: prepared.field, end });
    if (prepared.kind === OperationTypeNode.SUBSCRIPTION) this.#subscribe(id, prepared, end.signal);
    else {
      this.#send({ payload: await prepared.run(this.#service.rootValue), id, type: 'next' });
      this.#complete(id);
    }
  }

  #subscribe(id: string, { field, run }: Prepared, signal: AbortSignal): void {
    // Executes one event after another, to keep their order.
    let last = Promise.resolve();
    this.#service.listen(
      field,
      (event) => {
        last = last.then(async () => {
          const payload = await run(event);
          if (signal.aborted) return;
          const text = `${JSON.stringify({ payload, id, type: 'next' })}\n`;
          for (const one of this.#distort(text)) this.#sendText(one);
        });
      },
      AbortSignal.any([signal, this.#gone.signal]),
    );
  }

  #complete(id: string): void {
    this.#active.get(id)?.end.abort();
    this.#active.delete(id);
    for (let times = this.#quirks.completesTwice ? 2 : 1; times > 0; times--) {
      this.#send({ id, type: 'complete' });
    }
  }

  /** Closes the socket after an unknown message. */
  #leave(): void {
    if (!this.#quirks.closesBadly) this.#webSocket.close(1000, 'terminated');
    else this.#socket.end(Buffer.from([0x88, 2, 0x03, 0xee])); // a close frame with the code 1006
  }
}

function messageOf(text: string): { type?: string; id?: string; payload?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  const { type, id, payload } = isRecord(value) ? value : {};
  return { ...(typeof type === 'string' && { type }), ...(typeof id === 'string' && { id }), payload };
}

function asText({ status, headers, body }: Answer): string {
  const all = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body.toString()}`;
}
