import type { Dispatcher } from 'undici';
import type { Semaphore } from '../async';
import { Chunks } from '../chunks';
import { StashError } from '../errors';
import type { BackPressure } from './back-pressure';
import type { RequestTrace } from './request-log';
import type { RequestPool } from './route';

export interface ResponseHead {
  status: number;
  /**
   * @param name in lower case.
   * @returns empty without such a header.
   */
  header: (name: string) => string;
}

/** Returns the receiver for the body of a response; undefined to read it as text. */
export type Receive = (head: ResponseHead) => Receiver | undefined;

/** Takes the body of a response, chunk by chunk. */
export interface Receiver {
  /** A promise to await before the next chunk. Chunks that arrive together with the head do not wait. */
  ready?: Promise<void> | undefined;
  /** @returns a promise to await before the next chunk. */
  take: (chunk: Buffer) => Promise<void> | undefined;
}

/** The largest response to read as text, in bytes. */
const LONGEST_TEXT = 64 * 1024 * 1024;
/** Removes a byte order mark, with which some servers start a text, because JSON must not have one. */
const UTF_8 = new TextDecoder();

export interface RawResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty if a receiver took the body. */
  text: string;
}

export interface HttpRequest {
  /** Without origin. */
  path: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
  trace: RequestTrace;
}

interface DispatchContext extends Pick<HttpRequest, 'signal' | 'trace'> {
  /** The request waits for a permit, and gives it back when undici is done with it. */
  semaphore?: Semaphore;
  /** Streams the body to `receive`; `backPressure` pauses the socket while a chunk is being consumed. */
  intake?: { receive: Receive; backPressure: BackPressure };
}

/**
 * Sends a POST as soon as a connection of the pool is free, and reads the whole response. Requests wait here rather than in
 * undici, which keeps an aborted request until a connection is free for it, and then searches all of them again for each.
 * @throws as `dispatch`.
 */
export function post(
  { pool, semaphore }: RequestPool,
  { path, headers, signal, trace }: HttpRequest,
  body: string,
): Promise<RawResponse> {
  return dispatch(pool, { method: 'POST', path, headers, body }, { signal, trace, semaphore });
}

/**
 * Sends a request and reads the whole response. It has its own handler, because undici's `request` creates a stream for each
 * response, which would add a fifth to a half to the cost of a message (`npm run bench`).
 * @throws the signal's reason once it is aborted; otherwise the error of undici, or what the receiver throws.
 */
export function dispatch(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { signal, trace, semaphore, intake }: DispatchContext,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let request: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: RawResponse['headers'] = {};
    let bytes = 0;
    const chunks = new Chunks();
    let receiver: Receiver | undefined;
    let release: (() => void) | undefined;
    let cancelWait: (() => boolean) | undefined;
    const giveBack = () => {
      // Later, when undici has noted the end of this request: one that begins sooner may get a connection outside the pool.
      if (release) setImmediate(release);
      release = undefined;
    };
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(error);
    };
    const abort = () => {
      cancelWait?.();
      // undici notices an abort only when the request has a connection, which can take until undici's own limit for that.
      fail(signal.reason as Error);
      request?.abort(signal.reason as Error);
    };
    const pauseUntil = (ready: Promise<void> | undefined) => {
      if (ready) intake?.backPressure.pauseUntil(ready).catch(fail);
    };
    signal.addEventListener('abort', abort);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        request = controller;
        if (signal.aborted) abort();
        else trace.sent = true;
      },
      onResponseStart: (_request, ...[statusCode, responseHeaders]) => {
        trace.status = status = statusCode;
        headers = responseHeaders;
        receiver = intake?.receive({ status, header: (name) => String(responseHeaders[name] ?? '') });
        pauseUntil(receiver?.ready);
      },
      onResponseData: (_request, chunk) => {
        trace.bytes = bytes += chunk.length;
        if (receiver) {
          pauseUntil(receiver.take(chunk));
          return;
        }
        if (bytes > LONGEST_TEXT) throw new StashError('TOO_LARGE.answer');
        chunks.append(chunk);
      },
      onResponseEnd: () => {
        giveBack();
        const broken = intake?.backPressure.error;
        if (broken) {
          fail(broken);
          return;
        }
        signal.removeEventListener('abort', abort);
        resolve({ status, headers, text: UTF_8.decode(chunks.drainWhole()) });
      },
      onResponseError: (_request, error) => {
        giveBack();
        fail(error);
      },
    };
    const begin = () => {
      try {
        dispatcher.dispatch(options, handler);
      } catch (error) {
        giveBack();
        fail(error as Error);
      }
    };
    if (!semaphore) begin();
    else
      cancelWait = semaphore.whenFree((free) => {
        release = free;
        begin();
      });
  });
}
