import type { NodeAPI } from 'node-red';
import { AbortableSingleFlight } from '../../async';
import type { Call } from '../../call';
import { StashError } from '../../errors';
import type { Server } from '../../server';
import { connectionOf } from '../server-node';
import { respond } from './respond';

/** Asks a deployed server. The dialog gets the list as it is. */
type ListScrapers = (server: Server, call: Call) => Promise<object[]>;

/**
 * Adds the route behind the list of sources in the dialogs of the performer nodes. It asks deployed servers only, so a user
 * who may only view flows cannot make Node-RED send requests to other addresses. Requests for the same server share one
 * call, so however many there are, they do not hold up its messages.
 */
export function addScrapersRoute(RED: NodeAPI, listScrapers: ListScrapers): void {
  const flights = new WeakMap<Server, AbortableSingleFlight<object[]>>();

  const ask = async (id: unknown, signal: AbortSignal): Promise<object[]> => {
    const server = connectionOf(RED, id);
    const flight =
      flights.get(server) ??
      new AbortableSingleFlight((signal) =>
        listScrapers(server, { signal, waiting: signal, isOfEditor: true }),
      );
    flights.set(server, flight);
    return flight.get(signal);
  };

  RED.httpAdmin.get(
    '/stash-server/scrapers',
    RED.auth.needsPermission('stash-server.read'),
    (request, response) => {
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort(new StashError('CLOSED.closed'));
      });
      respond(RED, response, ask(request.query['id'], gone.signal));
    },
  );
}
