import { get } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { StashError } from '../errors';
import { untilAborted } from './call';
import type { Receive } from './download';
import type { Route } from './network';

/** The longest answer that is read as text, in bytes. */
const LONGEST_TEXT = 64 * 1024 * 1024;
/** Drops the mark that some servers begin a text with, as JSON must not. */
const UTF_8 = new TextDecoder();

/** What becomes of one request, written down as it goes. */
export interface Exchange {
  /** Whether it began to go out on a connection: from then on it may have run. */
  sent: boolean;
  /** The HTTP status of the answer. */
  status?: number;
  /** The length of the answer's body. */
  bytes?: number;
}

/** How a request went that began at `start`, for the log. */
export function lineOf({ status, bytes = 0 }: Exchange, start: number): string {
  return `${status ?? 'no answer'}, ${Math.round(performance.now() - start)} ms, ${bytes} bytes`;
}

/** What came back. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty where the body went elsewhere. */
  text: string;
}

/** What a request that only asks for something consists of. */
interface Asked {
  path: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Sends a request and reads the whole answer. With a handler of our own, as undici's `request` makes a stream for each
 * answer and would add a fifth to a half to what a message costs (`npm run bench`).
 */
export function dispatch(
  pool: Pool,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  exchange: Exchange,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Answer['headers'] = {};
    let bytes = 0;
    const chunks: Buffer[] = [];
    const abort = () => {
      // undici notices this only when the request has a connection, which can take until its own limit for that.
      reject(signal.reason as Error);
      request?.abort(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    pool.dispatch(options, {
      onRequestStart: (started) => {
        request = started;
        if (signal.aborted) abort();
        else exchange.sent = true;
      },
      onResponseStart: (_request, ...[answeredStatus, answeredHeaders]) => {
        exchange.status = status = answeredStatus;
        headers = answeredHeaders;
      },
      onResponseData: (_request, chunk) => {
        exchange.bytes = bytes += chunk.length;
        if (bytes > LONGEST_TEXT) throw new StashError('TOO_LARGE.answer');
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        signal.removeEventListener('abort', abort);
        resolve({ status, headers, text: textOf(chunks) });
      },
      onResponseError: (_request, error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    });
  });
}

/**
 * Sends a GET on a connection of its own, and hands the body of the answer over as it comes, no faster than it is taken;
 * one that nobody wants is read as text. By Node.js itself: undici 7 ends the process when a connection closes that is held
 * back (nodejs/undici issue 5360), and one that takes long would keep the pool's other requests waiting.
 */
export async function stream(
  { connect }: Route,
  { path, headers }: Asked,
  receive: Receive,
  signal: AbortSignal,
  exchange: Exchange,
): Promise<Answer> {
  const connecting = connect();
  const socket = await untilAborted(connecting, signal).catch((error: unknown) => {
    // It may still come about, with nobody to close it.
    connecting.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw error;
  });
  return new Promise((resolve, reject) => {
    const request = get({ path, headers: { ...headers }, createConnection: () => socket });
    exchange.sent = true;
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', abort);
      request.destroy();
      settle();
    };
    const fail = (error: Error) => {
      end(() => {
        reject(error);
      });
    };
    const abort = () => {
      fail(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    request.on('error', fail);
    // An answer that changes the protocol, which nobody asked for: Node.js would tell nobody of it.
    request.on('upgrade', ({ statusCode: status = 0, headers: answered }) => {
      exchange.status = status;
      end(() => {
        socket.destroy();
        resolve({ status, headers: answered, text: '' });
      });
    });
    request.on('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      exchange.status = status;
      let bytes = 0;
      const chunks: Buffer[] = [];
      /** Lets no more come until what has come is taken. */
      const hold = (taken: Promise<void> | undefined) => {
        if (!taken) return;
        response.pause();
        taken.then(
          () => response.resume(),
          (error: unknown) => {
            fail(error as Error);
          },
        );
      };
      response.on('error', fail);
      response.on('end', () => {
        end(() => {
          resolve({ status, headers: answered, text: textOf(chunks) });
        });
      });
      try {
        const receiver = receive({ status, header: (name) => String(answered[name] ?? '') });
        response.on('data', (piece: Buffer) => {
          exchange.bytes = bytes += piece.length;
          try {
            if (receiver) hold(receiver.take(piece));
            else if (bytes > LONGEST_TEXT) throw new StashError('TOO_LARGE.answer');
            else chunks.push(piece);
          } catch (error) {
            fail(error as Error);
          }
        });
        hold(receiver?.begun);
      } catch (error) {
        fail(error as Error);
      }
    });
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return UTF_8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}
