import type { ClientOptions } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { unlessAnswered } from '../async';
import type { Signal } from '../call';
import { StashError } from '../errors';
import { isRecord } from '../guards';
import { timing } from '../timing';
import { innermostCode } from './connection-error';
import { load } from './load';

const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** The destination of a WebSocket. */
interface SocketTarget {
  url: string;
  headers: Readonly<Record<string, string>>;
  tls: object;
}

/** The subscriptions: for each root field its document and the listener that takes its values. */
export type Subscriptions = Readonly<Record<string, { document: string; hear: (value: unknown) => void }>>;

/** An open WebSocket. */
export interface Socket {
  /** Resolves with the reason when no more values will come. */
  closed: Promise<string>;
  /**
   * Resolves when everything that the server has sent so far has arrived, or the socket is closed. Closes it if the server does not
   * answer.
   */
  caughtUp: () => Promise<void>;
  close: () => void;
}

/**
 * Opens a WebSocket and subscribes. It offers only `graphql-transport-ws`, which servers support since v0.14; earlier servers,
 * and proxies without WebSocket support, refuse it in many ways.
 * @throws {StashError} UNREACHABLE if there is no WebSocket.
 */
export async function openSocket(
  target: SocketTarget,
  subscriptions: Subscriptions,
  signal: Signal,
): Promise<Socket> {
  const [{ createClient }, { WebSocket }] = await Promise.all([
    load('graphql-ws', () => import('graphql-ws')),
    load('ws', () => import('ws')),
  ]);
  signal.throwIfAborted();
  const { ping, answer } = timing.socket;
  let destroy = () => {};
  class Connection extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, {
        ...target.tls,
        headers: target.headers,
        handshakeTimeout: answer,
        maxPayload: LARGEST_MESSAGE,
        perMessageDeflate: false,
      });
      // An error event without a listener would end Node-RED.
      this.on('error', () => undefined);
      destroy = () => {
        this.terminate();
      };
    }
  }
  return await new Promise((resolve, reject) => {
    let stopWatching = () => {};
    let close!: (reason: string) => void;
    const closed = new Promise<string>((end) => {
      close = end;
    });
    let reason = '';
    const end = () => {
      client.terminate();
    };
    const endUnanswered = () => {
      reason = 'no answer';
      end();
    };
    const on: ClientOptions['on'] = {
      connected: (connected) => {
        for (const [field, { document, hear }] of Object.entries(subscriptions)) {
          client.subscribe(
            { query: document },
            {
              next: ({ data }) => {
                if (isRecord(data)) hear(data[field]);
              },
              error: (error) => {
                reason ||= textOf(error);
                end();
              },
              complete: end,
            },
          );
        }
        const pings = new Pings(connected as WebSocket);
        const caughtUp = async () => {
          const stop = unlessAnswered(answer, endUnanswered);
          await pings.send();
          stop();
        };
        resolve({ closed, caughtUp, close: end });
      },
      // Sent by this client, then confirmed by the server.
      ping: (isReceived) => {
        if (isReceived) return;
        stopWatching = unlessAnswered(answer, endUnanswered);
      },
      pong: (isReceived) => {
        if (isReceived) stopWatching();
      },
      error: (error) => {
        reason ||= textOf(error);
        // After a message that it does not understand, the client only waits for the server to close the connection.
        destroy();
      },
      closed: (event) => {
        stopWatching();
        signal.removeEventListener('abort', end);
        reason ||= textOf(event);
        // The client would wait for the server to close, too; and after a normal close (1000) it would connect again.
        destroy();
        void Promise.resolve(client.dispose()).catch(() => undefined);
        close(reason);
        reject(new StashError('UNREACHABLE.lost', { details: { url: target.url, code: reason } }));
      },
    };
    const client = createClient({
      url: target.url,
      webSocketImpl: Connection,
      lazy: false,
      // `jobs/live-connection.ts` decides when to reconnect.
      retryAttempts: 0,
      keepAlive: ping,
      connectionAckWaitTimeout: answer,
      on,
      onNonLazyError: () => undefined,
    });
    signal.addEventListener('abort', end);
  });
}

/** Sends pings in control frames. A pong arrives after everything that the server sent before it. */
class Pings {
  readonly #webSocket: WebSocket;
  readonly #unanswered = new Map<number, () => void>();
  #sent = 0;

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
    webSocket.on('pong', (data) => {
      this.#answer(Number(data.toString()));
    });
    webSocket.on('close', () => {
      this.#answer(this.#sent);
    });
  }

  /** Sends a ping. Resolves when the server has answered, or the WebSocket is closed. */
  async send(): Promise<void> {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    const ping = (this.#sent += 1);
    await new Promise<void>((resolve) => {
      this.#unanswered.set(ping, resolve);
      this.#webSocket.ping(String(ping));
    });
  }

  /** Answers all pings up to this number, because a server may answer only the latest one. */
  #answer(last: number): void {
    for (const [ping, resolve] of this.#unanswered) {
      // Also ends at NaN, from a pong without a number.
      if (!(ping <= last)) return;
      this.#unanswered.delete(ping);
      resolve();
    }
  }
}

/** Describes why a connection ended, never with sent data, but sometimes with a text of the server. */
function textOf(error: unknown): string {
  if (Array.isArray(error)) return 'subscription refused';
  const { message, reason, code, error: inner } = isRecord(error) ? error : {};
  // The error for a host with several addresses has a code, but no message.
  for (const text of [message, reason, innermostCode(inner)])
    if (typeof text === 'string' && text !== '') return text;
  return typeof code === 'number' ? String(code) : 'closed';
}
