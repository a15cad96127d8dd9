import type { Dispatcher } from 'undici';
import { Chunks } from '../chunks';
import { StashError } from '../errors';
import { BackPressure } from './back-pressure';
import type { Receive, Receiver } from './body';
import type { Lane } from './route';

/** The longest answer that is read as text, in bytes. */
const LONGEST_TEXT = 64 * 1024 * 1024;
/** Drops the mark that some servers begin a text with, as JSON must not. */
const UTF_8 = new TextDecoder();

/** What becomes of one request, written down as it goes. */
export interface RequestTrace {
  /** Whether it began to go out on a connection: from then on it may have run. */
  sent: boolean;
  /** The HTTP status of the answer. */
  status?: number;
  /** The length of the answer's body. */
  bytes?: number;
}

/** How a request went that began at `start`, for the log. */
export function formatTrace({ status, bytes = 0 }: RequestTrace, start: number): string {
  return `${status ?? 'no answer'}, ${Math.round(performance.now() - start)} ms, ${bytes} bytes`;
}

/** What came back. */
export interface RawResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty where the body went elsewhere. */
  text: string;
}

/** What a request that only asks for something consists of. */
export interface RequestHead {
  path: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Sends a POST as soon as a connection of the lane is free, and reads the whole answer.
 *
 * Those that wait do so here: undici would keep a request that was given up until a connection is free for it, and then look
 * through all of them again for each.
 */
export function post(
  { pool, places }: Lane,
  asked: RequestHead,
  body: string,
  signal: AbortSignal,
  exchange: RequestTrace,
): Promise<RawResponse> {
  const send = (ended: () => void) =>
    dispatch(pool, { method: 'POST', ...asked, body }, signal, exchange, { ended });
  const free = places.tryAcquire();
  return free ? send(free) : places.acquire(signal).then(send);
}

interface Further {
  /** Is called when undici is done with the request, which may be later than it was given up. */
  ended?: () => void;
  /** Where the body goes instead, if it is wanted, and what is held back until it is taken. */
  intake?: { receive: Receive; gate: BackPressure };
}

/**
 * Sends a request and reads the whole answer. With a handler of our own, as undici's `request` makes a stream for each
 * answer and would add a fifth to a half to what a message costs (`npm run bench`).
 */
export function dispatch(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  exchange: RequestTrace,
  { ended, intake }: Further,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let request: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: RawResponse['headers'] = {};
    let bytes = 0;
    const chunks = new Chunks();
    let receiver: Receiver | undefined;
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(error);
    };
    const abort = () => {
      // undici notices this only when the request has a connection, which can take until its own limit for that.
      fail(signal.reason as Error);
      request?.abort(signal.reason as Error);
    };
    const hold = (ready: Promise<void> | undefined) => {
      if (ready) intake?.gate.hold(ready).catch(fail);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    dispatcher.dispatch(options, {
      onRequestStart: (started) => {
        request = started;
        if (signal.aborted) abort();
        else exchange.sent = true;
      },
      onResponseStart: (_request, ...[answeredStatus, answeredHeaders]) => {
        exchange.status = status = answeredStatus;
        headers = answeredHeaders;
        receiver = intake?.receive({ status, header: (name) => String(answeredHeaders[name] ?? '') });
        hold(receiver?.begun);
      },
      onResponseData: (_request, chunk) => {
        exchange.bytes = bytes += chunk.length;
        if (receiver) {
          hold(receiver.take(chunk));
          return;
        }
        if (bytes > LONGEST_TEXT) throw new StashError('TOO_LARGE.answer');
        chunks.append(chunk);
      },
      onResponseEnd: () => {
        ended?.();
        const broken = intake?.gate.error;
        if (broken) {
          fail(broken);
          return;
        }
        signal.removeEventListener('abort', abort);
        resolve({ status, headers, text: UTF_8.decode(chunks.concat()) });
      },
      onResponseError: (_request, error) => {
        ended?.();
        fail(error);
      },
    });
  });
}
