import type { NodeAPI } from 'node-red';
import { AbortableSingleFlight } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { Server } from '../server';
import { tell } from './admin-route';
import { connectionOf } from './server-node';

/** What a deployed server is asked; its answer goes to the dialog as it is. */
type ListScrapers = (server: Server, call: Call) => Promise<object[]>;

/**
 * The route behind the list of sources in the dialogs of the performer nodes. It asks deployed servers only, so who
 * may see the flows gets no request sent to an address of their own; and each server once for all who ask meanwhile, so
 * they cannot keep it from messages however often they do.
 */
export function addScrapersRoute(RED: NodeAPI, question: ListScrapers): void {
  const underWay = new WeakMap<Server, AbortableSingleFlight<object[]>>();

  const ask = async (id: unknown, signal: AbortSignal): Promise<object[]> => {
    const server = connectionOf(RED, id);
    const joint =
      underWay.get(server) ??
      new AbortableSingleFlight((signal) => question(server, { signal, waiting: signal, isOfEditor: true }));
    underWay.set(server, joint);
    return joint.get(signal);
  };

  RED.httpAdmin.get(
    '/stash-server/scrapers',
    RED.auth.needsPermission('stash-server.read'),
    (request, response) => {
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort(new StashError('CLOSED.closed'));
      });
      tell(RED, response, ask(request.query['id'], gone.signal));
    },
  );
}
