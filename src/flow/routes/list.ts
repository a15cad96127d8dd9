import type { NodeAPI } from 'node-red';
import { AbortableSingleFlight } from '../../async';
import type { Call } from '../../call';
import type { Server } from '../../server';
import { connectionOf } from '../server-node';
import { respond } from './respond';

/** Lists something of a server. The dialog gets the list as it is. */
type List = (server: Server, call: Call) => Promise<unknown[]>;

/**
 * Adds the route `/stash-server/<name>` for a list in a dialog. It sends requests only to deployed servers, so that a user
 * who may only view flows cannot make Node-RED call other addresses. All dialogs that wait for the same list of a server
 * share one request, so that many of them do not delay its messages.
 */
export function addListRoute(RED: NodeAPI, name: string, list: List): void {
  const flights = new WeakMap<Server, AbortableSingleFlight<unknown[]>>();

  const share = async (id: unknown, signal: AbortSignal): Promise<unknown[]> => {
    const server = connectionOf(RED, id);
    const flight =
      flights.get(server) ??
      new AbortableSingleFlight((signal) => list(server, { signal, waiting: signal, isOfEditor: true }));
    flights.set(server, flight);
    return flight.get(signal);
  };

  RED.httpAdmin.get(
    `/stash-server/${name}`,
    RED.auth.needsPermission('stash-server.read'),
    (request, response) => {
      respond(RED, response, (signal) => share(request.query['id'], signal));
    },
  );
}
