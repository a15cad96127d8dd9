import type { NodeAPI } from 'node-red';
import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { tell } from './admin-route';
import { connectionOf } from './server-node';

/** What a deployed server is asked; its answer goes to the dialog as it is. */
type Question = (server: Server, call: Call) => Promise<object[]>;

/**
 * The route behind the list of sources in the dialogs of the performer nodes. It asks deployed servers only, so who
 * may see the flows gets no request sent to an address of their own.
 */
export function addScrapersRoute(RED: NodeAPI, question: Question): void {
  RED.httpAdmin.get(
    '/stash-server/scrapers',
    RED.auth.needsPermission('stash-server.read'),
    (request, response) => {
      tell(RED, response, ask(RED, question, request.query['id']));
    },
  );
}

async function ask(RED: NodeAPI, question: Question, id: unknown): Promise<object[]> {
  const never = new AbortController().signal;
  return question(connectionOf(RED, id), { signal: never, waiting: never });
}
