import type { NodeAPI } from 'node-red';
import { AbortableSingleFlight } from '../../async';
import type { Call } from '../../call';
import type { Server } from '../../server';
import { connectionOf } from '../server-node';
import { respond } from './respond';

/** Lists a server's scrapers. The dialog gets the list as it is. */
type ListScrapers = (server: Server, call: Call) => Promise<object[]>;

/**
 * Adds the route for the list of sources in the dialogs of the performer nodes. It sends requests only to deployed servers,
 * so that a user who may only view flows cannot make Node-RED call other addresses. All dialogs that wait for the same
 * server share one request, so that many of them do not delay its messages.
 */
export function addScrapersRoute(RED: NodeAPI, listScrapers: ListScrapers): void {
  const flights = new WeakMap<Server, AbortableSingleFlight<object[]>>();

  const list = async (id: unknown, signal: AbortSignal): Promise<object[]> => {
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
      respond(RED, response, (signal) => list(request.query['id'], signal));
    },
  );
}
