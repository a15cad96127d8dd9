import type { NodeAPI } from 'node-red';
import { untilAborted } from '../../async';
import type { FailedLine, Refusal } from '../../contract/refusal';
import { StashError } from '../../errors';

/** A route of the editor: `POST /stash-server/<name>`, with an object in JSON. */
interface EditorRoute {
  name: string;
  /**
   * `read` for what only requests data of servers; `write` for anything else. A body with the content of a server that is not
   * deployed always requires `write`.
   */
  permission: 'read' | 'write';
  /** The most requests under way for all servers together. By default, those for each server count by themselves. */
  most?: number;
}

/** The body of a request, whose values may be anything. */
export type Body = Readonly<Record<string, unknown>>;

/** The part of an HTTP response that a route needs. */
export interface EditorResponse {
  json: (body: object) => unknown;
  sendStatus: (status: number) => unknown;
  once: (event: 'close' | 'drain', listener: () => void) => unknown;
  /** The browser has gone. */
  readonly destroyed: boolean;
  set: (headers: Readonly<Record<string, string>>) => unknown;
  vary: (header: string) => unknown;
  flushHeaders: () => void;
  /** Returns false if the browser reads more slowly than lines come. */
  write: (text: string) => boolean;
  end: () => unknown;
  send: (content: Buffer) => unknown;
}

/** Sends one line to the browser. Resolves when the browser can take the next one. */
export type WriteLine<Line extends object = object> = (line: Line) => Promise<void>;

/** The most requests under way for one route and server, unless it says another number. Several editors may be open. */
const MOST = 50;

/**
 * Adds a route that responds with the object that `answer` returns, with a `Refusal` for a StashError, and with status 500 for
 * any other error, which is logged.
 * @param answer takes a signal that is aborted when the browser no longer waits.
 */
export function addRoute(
  RED: NodeAPI,
  { most, ...route }: EditorRoute,
  answer: (body: Body, signal: AbortSignal) => Promise<object>,
): void {
  const boundedAnswer = bounded(answer, serverOf(most), most);
  const log = (error: unknown) => RED.log.error(error);
  addPost(RED, route, (body, response) => {
    boundedAnswer(body, untilGone(response))
      .catch(refusalOf)
      .then(
        (answered) => response.json(answered),
        (error: unknown) => {
          log(error);
          response.sendStatus(500);
        },
      )
      // Express throws if a middleware in settings.js has already responded. An unhandled rejection would end Node.js.
      .catch(log);
  });
}

/**
 * Adds a route that responds with lines of JSON, each as soon as `answer` writes it. The last line is a `FailedLine` if `answer`
 * throws; any error but a StashError is logged.
 * @param answer takes a signal that is aborted when the browser no longer waits.
 */
export function addLinesRoute<Line extends object>(
  RED: NodeAPI,
  { most, ...route }: EditorRoute,
  answer: (body: Body, write: WriteLine<Line>, signal: AbortSignal) => Promise<void>,
): void {
  const boundedAnswer = bounded(answer, serverOf(most), most);
  addPost(RED, route, (body, response) => {
    // Among many requests, one may be handled after its browser has gone, and no event would report that.
    if (response.destroyed) return;
    const gone = untilGone(response);
    response.set({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'cache-control': 'no-store',
      // nginx would collect the lines until the end.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    const write: WriteLine = async (line) => {
      gone.throwIfAborted();
      if (response.write(`${JSON.stringify(line)}\n`)) return;
      await untilAborted(new Promise<void>((resolve) => response.once('drain', resolve)), gone);
    };
    boundedAnswer(body, write, gone)
      .catch(async (error: unknown) => {
        if (gone.aborted) return;
        if (!(error instanceof StashError)) RED.log.error(error);
        const last: FailedLine = error instanceof StashError ? refusalOf(error) : { failed: true };
        await write(last);
      })
      .then(() => response.end())
      .catch((error: unknown) => {
        if (!gone.aborted) RED.log.error(error);
      });
  });
}

/**
 * Returns a function that throws QUEUE_FULL at once while `most` of its calls with the same key are under way: a server that hangs
 * takes no place from the others.
 */
export function bounded<Given extends unknown[], Result>(
  run: (...given: Given) => Promise<Result>,
  keyOf: (first: Given[0]) => unknown,
  most = MOST,
): (...given: Given) => Promise<Result> {
  const running = new Map<unknown, number>();
  return async (...given) => {
    const key = keyOf(given[0]);
    const count = running.get(key) ?? 0;
    if (count >= most) throw new StashError('QUEUE_FULL.tests');
    running.set(key, count + 1);
    try {
      return await run(...given);
    } finally {
      const left = (running.get(key) ?? 1) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
  };
}

/** Returns by what the requests of a route count: the ID of their server, unless the route has a number of its own. */
function serverOf(most: number | undefined): (body: Body) => unknown {
  return ({ id }) => (most === undefined ? id : undefined);
}

/** Returns a signal that is aborted when the browser no longer waits for the response. */
export function untilGone(response: Pick<EditorResponse, 'once'>): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new StashError('CLOSED.closed')));
  return gone.signal;
}

export function addPost(
  RED: NodeAPI,
  { name, permission }: EditorRoute,
  handle: (body: Body, response: EditorResponse) => void,
): void {
  const required = {
    read: RED.auth.needsPermission('stash-server.read'),
    write: RED.auth.needsPermission('stash-server.write'),
  };
  RED.httpAdmin.post(
    `/stash-server/${name}`,
    (request, response, next) => {
      const { content } = (request.body ?? {}) as Body;
      required[content === undefined ? permission : 'write'](request, response, next);
    },
    (request, response) => {
      // A form on another web site can post any other content type without a preflight request.
      if (request.is('application/json')) handle((request.body ?? {}) as Body, response);
      else response.sendStatus(415);
    },
  );
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
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).filter(([name]) => name !== 'text');
  return { case: error.case, details: Object.fromEntries(details) };
}
