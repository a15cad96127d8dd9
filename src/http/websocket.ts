import type { ClientOptions } from 'graphql-ws';
import { unlessAnswered } from '../async';
import { StashError } from '../errors';
import { isRecord } from '../guards';
import { timing } from '../timing';
import { innermostCode } from './connection-error';
import { load } from './load';

const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** For each root field its document and the listener for its values. The value of an event without data is undefined. */
export type Subscriptions = Readonly<Record<string, { document: string; onNext: (value: unknown) => void }>>;

export interface Socket {
  /** Resolves with the reason when no more values will come. */
  closed: Promise<string>;
  /** Returns when the last message arrived, also a pong. */
  receivedAt: () => Date;
  close: () => void;
}

/**
 * Opens a WebSocket and subscribes. It offers only `graphql-transport-ws`, which servers support since v0.14; earlier servers,
 * and proxies without WebSocket support, refuse it in many ways.
 * @throws {StashError} UNREACHABLE if there is no WebSocket.
 */
export async function openSocket(
  target: { url: string; headers: Readonly<Record<string, string>>; tls: object },
  subscriptions: Subscriptions,
  signal: AbortSignal,
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
        // Before v0.31.1, Stash sends the names of files as they are. What is not UTF-8 in them becomes U+FFFD, as in a response.
        skipUTF8Validation: true,
      });
      // An error event without a listener would end Node-RED.
      this.on('error', () => undefined);
      destroy = () => this.terminate();
    }
  }
  return await new Promise((resolve, reject) => {
    let stopWatching = () => {};
    let close!: (reason: string) => void;
    const closed = new Promise<string>((end) => {
      close = end;
    });
    let reason = '';
    let receivedAt = new Date();
    const end = () => client.terminate();
    const on: ClientOptions['on'] = {
      connected: () => {
        for (const [field, { document, onNext }] of Object.entries(subscriptions)) {
          client.subscribe(
            { query: document },
            {
              next: ({ data }) => onNext(isRecord(data) ? data[field] : undefined),
              error: (error) => {
                reason ||= closeReason(error);
                end();
              },
              complete: end,
            },
          );
        }
        resolve({ closed, receivedAt: () => receivedAt, close: end });
      },
      message: () => {
        receivedAt = new Date();
      },
      // Sent by this client, then confirmed by the server.
      ping: (isReceived) => {
        if (isReceived) return;
        stopWatching = unlessAnswered(answer, () => {
          reason = 'no answer';
          end();
        });
      },
      pong: (isReceived) => {
        if (isReceived) stopWatching();
      },
      error: (error) => {
        reason ||= closeReason(error);
        // After a message that it does not understand, the client only waits for the server to close the connection.
        destroy();
      },
      closed: (event) => {
        stopWatching();
        signal.removeEventListener('abort', end);
        reason ||= closeReason(event);
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

/** Describes why a connection ended, never with sent data, but sometimes with a text of the server. */
function closeReason(error: unknown): string {
  if (Array.isArray(error)) return 'subscription refused';
  const { message, reason, code, error: inner } = isRecord(error) ? error : {};
  // The error for a host with several addresses has a code, but no message.
  for (const text of [message, reason, innermostCode(inner)])
    if (typeof text === 'string' && text !== '') return text;
  return typeof code === 'number' ? String(code) : 'closed';
}
