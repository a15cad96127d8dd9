import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from './answers';
import type { RequestBody } from './request-body';

/** Answers a request instead of the server. `execute` does what the server would do and returns its response. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: RequestBody | undefined,
  execute: () => Promise<Answer>,
) => void | Promise<void>;

/** Selects the requests that a fault disturbs; without `field` and `path` every POST to /graphql. */
export interface FaultFilter {
  /** Only operations with this root field, e.g. `metadataScan`. */
  field?: string;
  /** Any request whose path begins with this, e.g. `/downloads`, instead of /graphql. */
  path?: string;
  /** The number of requests; by default all until `answerNormally`. */
  times?: number;
}

/** Never answers. */
export const silence: Handler = () => undefined;

/** Cuts the connection and does not execute the request. */
export const cut: Handler = (_request, response) => {
  response.destroy();
};

/** Executes the request and cuts the connection before the response. */
export const loseAnswer: Handler = async (_request, response, _body, execute) => {
  await execute();
  response.destroy();
};

/** Executes the request at once and responds later, so that events arrive before the response. */
export function answerLate(milliseconds: number): Handler {
  return async (request, response, _body, execute) => {
    const answer = await execute();
    await sleep(milliseconds);
    send(request, response, answer);
  };
}

/** Executes each request at once and responds when `answer` is called. @param atOnce the number of requests to respond to at once. */
export function answerWhenTold(atOnce = 0): { handler: Handler; answer: () => void } {
  let count = 0;
  let answer = () => {};
  const told = new Promise<void>((resolve) => (answer = resolve));
  const handler: Handler = async (request, response, _body, execute) => {
    const executed = await execute();
    count += 1;
    if (count > atOnce) await told;
    send(request, response, executed);
  };
  return { handler, answer };
}

/** Sends the header with the whole length and the first bytes of the body, then cuts the connection. */
export function cutAfter(bytes: number): Handler {
  return async (request, response, _body, execute) => {
    await begin(response, await execute(), bytes);
    response.destroy();
  };
}

/** Sends the same as `cutAfter`, then nothing more, and keeps the connection open. */
export function freezeAfter(bytes: number): Handler {
  return async (_request, response, _body, execute) => {
    await begin(response, await execute(), bytes);
  };
}

/** Sends the response at this rate. */
export function slowly(bytesPerSecond: number): Handler {
  return async (_request, response, _body, execute) => {
    const answer = await execute();
    const body = bytesOf(answer);
    const start = performance.now();
    let sent = 0;
    await begin(response, answer, 0);
    while (sent < body.length && !response.destroyed) {
      const due = Math.ceil(((performance.now() - start) / 1000) * bytesPerSecond);
      await write(response, body.subarray(sent, due));
      sent = due;
      await sleep(20);
    }
    response.end();
  };
}

/** Sends the response without Content-Length, as a streaming proxy does. */
export const lengthUntold: Handler = async (_request, response, _body, execute) => {
  const answer = await execute();
  response.writeHead(answer.status, answer.headers);
  await write(response, bytesOf(answer));
  response.end();
};

/** Sends a Content-Length that is off by `bytes`, at most that many bytes, and cuts the connection. */
export function lengthWrongBy(bytes: number): Handler {
  return async (_request, response, _body, execute) => {
    const answer = await execute();
    const body = bytesOf(answer);
    const length = body.length + bytes;
    response.writeHead(answer.status, { ...answer.headers, 'Content-Length': length });
    await write(response, body.subarray(0, length));
    response.destroy();
  };
}

/** Ignores the Range header, sends the whole file, and cuts the connection after `bytes`. */
export function wholeAgain(bytes = Infinity): Handler {
  return async (request, response, body, execute) => {
    delete request.headers.range;
    await cutAfter(bytes)(request, response, body, execute);
  };
}

async function begin(response: ServerResponse, answer: Answer, bytes: number): Promise<void> {
  const body = bytesOf(answer);
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': body.length });
  await write(response, body.subarray(0, bytes));
}

// Not a copy, because a backup may be large.
function bytesOf({ body }: Answer): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body;
}

// Resolves when the bytes are sent, so that a cut does not lose them, or when the client has disconnected.
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => {
      resolve();
    });
  });
}

/** Keeps the faults of a test. The first matching one takes a request. */
export class Faults {
  #ordered: { handler: Handler; filter: FaultFilter; left: number }[] = [];

  add(what: Handler | Answer, filter: FaultFilter): void {
    const handler: Handler =
      typeof what === 'function'
        ? what
        : (request, response) => {
            send(request, response, what);
          };
    this.#ordered.push({ handler, filter, left: filter.times ?? Infinity });
  }

  clear(): void {
    this.#ordered = [];
  }

  take(request: IncomingMessage, path: string, fields: readonly string[]): Handler | undefined {
    const fault = this.#ordered.find(({ filter, left }) => left > 0 && fits(filter, request, path, fields));
    if (fault) fault.left -= 1;
    return fault?.handler;
  }
}

function fits(filter: FaultFilter, { method }: IncomingMessage, path: string, fields: readonly string[]) {
  if (filter.path !== undefined) return path.startsWith(filter.path);
  if (method !== 'POST' || !/^\/graphql\/?$/.test(path)) return false;
  return filter.field === undefined || fields.includes(filter.field);
}
