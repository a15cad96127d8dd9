import type { NodeAPI } from 'node-red';
import { neverAborted, SingleFlight } from '../../async';
import type { FoundServers } from '../../contract/connection-test';
import { addRoute } from './route';

/**
 * Adds the route that looks for Stash at the usual addresses. It takes no address from the browser, but requires the
 * permission to change flows, because it makes Node-RED send requests. All dialogs that wait share one search.
 */
export function addFindRoute(RED: NodeAPI, find: (signal: AbortSignal) => Promise<FoundServers>): void {
  const search = new SingleFlight(() => find(neverAborted()));
  addRoute(RED, { name: 'find', permission: 'write' }, (_body, signal) => search.get(signal));
}
