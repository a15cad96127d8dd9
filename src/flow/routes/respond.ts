import type { NodeAPI } from 'node-red';
import { untilAborted } from '../../async';
import type { FailedLine, Refusal } from '../../contract/errors';
import { StashError } from '../../errors';

/** The part of an HTTP response that a route needs. */
interface Response {
  json: (body: object) => unknown;
  sendStatus: (status: number) => unknown;
  once: (event: 'close' | 'drain', listener: () => void) => unknown;
}

/** The part of an HTTP response that a stream of lines needs. */
export interface StreamedResponse extends Response {
  /** The browser has gone. */
  readonly destroyed: boolean;
  setHeader: (name: string, value: string) => unknown;
  flushHeaders: () => void;
  /** Returns false if the browser reads more slowly than lines come. */
  write: (text: string) => boolean;
  end: () => unknown;
}

/** Sends one line to the browser. Resolves when the browser can take the next one. */
export type WriteLine<Line extends object = object> = (line: Line) => Promise<void>;

/**
 * Responds to a dialog with the object that `answer` returns, with a `Refusal` for a StashError, and with status 500 for
 * any other error, which is logged.
 * @param answer takes a signal that is aborted when the browser no longer waits.
 */
export function respond(
  RED: NodeAPI,
  response: Response,
  answer: (signal: AbortSignal) => Promise<object>,
): void {
  const log = (error: unknown) => {
    RED.log.error(error);
  };
  answer(untilGone(response))
    .catch(refusal)
    .then(
      (body) => response.json(body),
      (error: unknown) => {
        log(error);
        response.sendStatus(500);
      },
    )
    // Express throws if a middleware in settings.js has already responded. An unhandled rejection would end Node.js.
    .catch(log);
}

/**
 * Responds to a dialog with lines of JSON, each as soon as `produce` writes it. The last line is a `FailedLine` if `produce` throws;
 * any error but a StashError is logged.
 * @param produce takes a signal that is aborted when the browser no longer waits.
 */
export function respondInLines<Line extends object>(
  RED: NodeAPI,
  response: StreamedResponse,
  produce: (write: WriteLine<Line>, signal: AbortSignal) => Promise<void>,
): void {
  // Among many requests, one may be handled after its browser has gone, and no event would tell that.
  if (response.destroyed) return;
  const gone = untilGone(response);
  response.setHeader('content-type', 'application/x-ndjson; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  // nginx would collect the lines until the end.
  response.setHeader('x-accel-buffering', 'no');
  response.flushHeaders();
  const write: WriteLine = async (line) => {
    gone.throwIfAborted();
    if (response.write(`${JSON.stringify(line)}\n`)) return;
    await untilAborted(new Promise<void>((resolve) => response.once('drain', resolve)), gone);
  };
  produce(write, gone)
    .catch(async (error: unknown) => {
      if (gone.aborted) return;
      if (!(error instanceof StashError)) RED.log.error(error);
      const last: FailedLine = error instanceof StashError ? refusal(error) : { failed: true };
      await write(last);
    })
    .then(() => response.end())
    .catch((error: unknown) => {
      if (!gone.aborted) RED.log.error(error);
    });
}

/** Returns a signal that is aborted when the browser no longer waits for the response. */
export function untilGone(response: Pick<Response, 'once'>): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort(new StashError('CLOSED.closed'));
  });
  return gone.signal;
}

/**
 * Returns the error with the text of a server, for a user who may see the messages of nodes.
 * @param redact removes secrets and control characters from a text, and cuts it.
 * @throws any other error as it is.
 */
export function wholeRefusal(error: unknown, redact: (text: string) => string): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).map(([name, value]) => [
    name,
    typeof value === 'string' ? redact(value) : value,
  ]);
  return { case: error.case, details: Object.fromEntries(details) as Refusal['details'] };
}

/**
 * Returns the error without the text of a server: otherwise a dialog could read what only Node-RED can reach.
 * @throws any other error as it is.
 */
export function refusal(error: unknown): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).filter(([name]) => name !== 'text');
  return { case: error.case, details: Object.fromEntries(details) };
}
