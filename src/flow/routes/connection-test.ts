import type { NodeAPI } from 'node-red';
import { neverAborted, SingleFlight } from '../../async';
import type { CheckLine, FoundServers } from '../../contract/connection-test';
import type { TestedServer } from '../../server';
import { timing } from '../../timing';
import { serverInDialog } from '../undeployed-server';
import { addLinesRoute, addRoute, type WriteLine } from './add-route';

/** The most tests at a time: each opens connections of its own, and users may press the button often. */
const MOST = 4;

/**
 * Adds the route for the Test button of stash-server's dialog, whose values may not be deployed yet. It requires the
 * permission to change flows, because it makes Node-RED send requests to an address from the browser. It returns hardly any
 * text from that address: otherwise a browser could read what only Node-RED can reach.
 */
export function addTestRoute(
  RED: NodeAPI,
  diagnose: (server: TestedServer, write: WriteLine<CheckLine>, signal: AbortSignal) => Promise<void>,
): void {
  addLinesRoute<CheckLine>(
    RED,
    { name: 'test', permission: 'write', most: MOST },
    async ({ id, content = {} }, write, signal) => {
      const { isDeployed: _, ...server } = await serverInDialog(RED, { id, content });
      const seconds = timing.editor / 1000;
      const limits = { timeout: seconds, lookupTimeout: seconds, backupTimeout: seconds };
      await diagnose({ ...server, ...limits }, write, signal);
    },
  );
}

/**
 * Adds the route that looks for Stash at the usual addresses. It takes no address from the browser, but requires the
 * permission to change flows, because it makes Node-RED send requests. All dialogs that wait share one search.
 */
export function addFindRoute(RED: NodeAPI, find: (signal: AbortSignal) => Promise<FoundServers>): void {
  const search = new SingleFlight(() => find(neverAborted()));
  addRoute(RED, { name: 'find', permission: 'write' }, (_body, signal) => search.get(signal));
}
