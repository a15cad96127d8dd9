import type { NodeAPI } from 'node-red';
import { Activity } from '../activity';
import { addLinesRoute } from './route';

/**
 * Adds the route `/stash-server/activity` for the tab in the sidebar: what the deployed servers do, in lines, each as soon as
 * something changes. It requires no more than the permission to view flows, because it sends requests only to deployed servers.
 */
export function addActivityRoute(RED: NodeAPI): void {
  const activity = new Activity(RED);
  addLinesRoute(RED, { name: 'activity', permission: 'read' }, (_body, write, signal) =>
    activity.show(write, signal),
  );
}
