import type { NodeAPI } from 'node-red';
import { Semaphore, sleep } from '../../async';
import type { Call } from '../../call';
import { StashError } from '../../errors';
import type { Server } from '../../server';
import { connectionOf } from '../server-node';
import { respond } from './respond';

/** Answers a question of a dialog, which may be any JSON. The dialog gets the answer as it is. */
type Answer = (server: Server, question: unknown, call: Call) => Promise<object>;

/** The most questions at a time: one is answered, the others wait. Several editors may be open. */
const MOST_QUESTIONS = 20;

/** The longest rest after an answer, in milliseconds: most of a longer time was spent waiting for the server. */
const LONGEST_REST = 100;

/**
 * Adds the route `/stash-server/<name>` for questions of a dialog about a deployed server. It answers those about one server one after another, and
 * other work of Node-RED has its turn in between, so that many of them do not delay messages. It requires no more than the
 * permission to view flows, because it sends requests only to deployed servers.
 */
export function addQuestionRoute(RED: NodeAPI, name: string, answer: Answer): void {
  const turns = new WeakMap<Server, Semaphore>();
  let asked = 0;

  const ask = async (body: Record<string, unknown>, signal: AbortSignal): Promise<object> => {
    const server = connectionOf(RED, body['id']);
    const turn = turns.get(server) ?? new Semaphore(1);
    turns.set(server, turn);
    const release = await turn.acquire(signal);
    try {
      await new Promise(setImmediate);
      signal.throwIfAborted();
      const start = performance.now();
      const answered = await answer(server, body, { signal, waiting: signal, isOfEditor: true });
      // Messages get at least half of the time.
      await sleep(Math.min(performance.now() - start, LONGEST_REST), signal);
      return answered;
    } finally {
      release();
    }
  };

  RED.httpAdmin.post(
    `/stash-server/${name}`,
    RED.auth.needsPermission('stash-server.read'),
    (request, response) => {
      // A form on another web site can post any other content type without a preflight request.
      if (!request.is('application/json')) {
        response.sendStatus(415);
        return;
      }
      respond(RED, response, async (signal) => {
        if (asked >= MOST_QUESTIONS) throw new StashError('QUEUE_FULL.tests');
        asked += 1;
        try {
          return await ask((request.body ?? {}) as Record<string, unknown>, signal);
        } finally {
          asked -= 1;
        }
      });
    },
  );
}
