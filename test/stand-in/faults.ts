import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from './answers';
import type { Posted } from './posted';

/** Takes a request in the server's place. `execute` does what the server would do and gives its answer. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Posted | undefined,
  execute: () => Promise<Answer>,
) => void | Promise<void>;

/** Which requests a fault is for: without `field` and `path` every POST to /graphql. */
export interface FaultFilter {
  /** Only an operation with this root field, e.g. `metadataScan`. */
  field?: string;
  /** Instead of /graphql any request whose path begins so, e.g. `/downloads`. */
  path?: string;
  /** So many requests; without it all until `answerNormally`. */
  times?: number;
}

/** Never answers. */
export const silence: Handler = () => undefined;

/** Does nothing, and cuts the connection. */
export const cut: Handler = (_request, response) => {
  response.destroy();
};

/** Does what was asked, and cuts the connection instead of answering. */
export const loseAnswer: Handler = async (_request, response, _body, execute) => {
  await execute();
  response.destroy();
};

/** Does what was asked at once, and answers so many milliseconds later: what was done is heard of before that. */
export function answerLate(milliseconds: number): Handler {
  return async (request, response, _body, execute) => {
    const answer = await execute();
    await sleep(milliseconds);
    send(request, response, answer);
  };
}

/** The faults a test has ordered; the first that fits takes the request. */
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
