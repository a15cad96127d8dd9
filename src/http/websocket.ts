import type { ClientOptions } from 'graphql-ws';
import { StashError } from '../errors';
import { isRecord } from '../guards';
import { load } from './load';

/**
 * After how many milliseconds the other side is asked whether it is still there, and how long it may take to answer. Servers never
 * ask by themselves (all releases), so a dead connection shows only to who asks.
 */
const TIMES = { ping: 10_000, answer: 5_000 };
const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** How a WebSocket to the server is opened. */
export interface SocketTarget {
  url: string;
  headers: Readonly<Record<string, string>>;
  tls: object;
}

/** What is subscribed to: each root field with its document, and what takes its values. */
export type Subscriptions = Readonly<Record<string, { document: string; hear: (value: unknown) => void }>>;

export interface Socket {
  /** Resolves when nothing more is told, with why. */
  closed: Promise<string>;
  close: () => void;
}

/**
 * Opens a WebSocket and subscribes. It offers `graphql-transport-ws` only, which servers speak from v0.14 on; earlier ones, and whatever
 * lets no WebSocket pass, refuse it in many ways.
 * @throws {StashError} UNREACHABLE if there is none.
 */
export async function openSocket(
  way: SocketTarget,
  subscriptions: Subscriptions,
  signal: AbortSignal,
  { ping, answer } = TIMES,
): Promise<Socket> {
  const [{ createClient }, { WebSocket }] = await Promise.all([
    load('graphql-ws', () => import('graphql-ws')),
    load('ws', () => import('ws')),
  ]);
  signal.throwIfAborted();
  let destroy = () => {};
  class Connection extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, {
        ...way.tls,
        headers: way.headers,
        handshakeTimeout: answer,
        maxPayload: LARGEST_MESSAGE,
        perMessageDeflate: false,
      });
      // An error that nobody hears would end Node-RED.
      this.on('error', () => undefined);
      destroy = () => {
        this.terminate();
      };
    }
  }
  return new Promise((resolve, reject) => {
    let watchdog: NodeJS.Timeout | undefined;
    let close!: (reason: string) => void;
    const closed = new Promise<string>((end) => {
      close = end;
    });
    let reason = '';
    const end = () => {
      client.terminate();
      // After a message that it did not understand, the client waits for the other side to close, and does nothing else.
      destroy();
    };
    const on: ClientOptions['on'] = {
      connected: () => {
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
        resolve({ closed, close: end });
      },
      // Sent by this side, then answered by the other.
      ping: (isReceived) => {
        if (isReceived) return;
        watchdog = setTimeout(() => {
          reason = 'no answer';
          end();
        }, answer);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(watchdog);
      },
      error: (error) => {
        reason ||= textOf(error);
        destroy();
      },
      closed: (event) => {
        clearTimeout(watchdog);
        signal.removeEventListener('abort', end);
        reason ||= textOf(event);
        // The client would wait for the other side to close, too; and after a close in good order (1000) it would connect again.
        destroy();
        void Promise.resolve(client.dispose()).catch(() => undefined);
        close(reason);
        reject(new StashError('UNREACHABLE.lost', { details: { url: way.url, code: reason } }));
      },
    };
    const client = createClient({
      url: way.url,
      webSocketImpl: Connection,
      lazy: false,
      // When to try again is decided with what else is known of the server.
      retryAttempts: 0,
      keepAlive: ping,
      connectionAckWaitTimeout: answer,
      on,
      onNonLazyError: () => undefined,
    });
    signal.addEventListener('abort', end, { once: true });
  });
}

/** A word about why: never what was sent, but perhaps what the other side said. */
function textOf(error: unknown): string {
  if (Array.isArray(error)) return 'subscription refused';
  if (!isRecord(error)) return 'closed';
  const { message, reason, code } = error;
  for (const text of [message, reason]) if (typeof text === 'string' && text !== '') return text;
  return typeof code === 'number' ? String(code) : 'closed';
}
