import type { NodeAPI } from 'node-red';
import { Activity } from '../activity';
import { respondInLines } from './respond';

/**
 * Adds the route `/stash-server/activity` for the tab in the sidebar: what the deployed servers do, in lines, each as soon as
 * something changes. It requires no more than the permission to view flows, because it sends requests only to deployed servers.
 */
export function addActivityRoute(RED: NodeAPI): void {
  const activity = new Activity(RED);
  RED.httpAdmin.get(
    '/stash-server/activity',
    RED.auth.needsPermission('stash-server.read'),
    (_request, response) => {
      respondInLines(RED, response, (write, signal) => activity.show(write, signal));
    },
  );
}
