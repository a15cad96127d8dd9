import type { NodeAPI } from 'node-red';
import { Activity } from '../activity';
import { addRoute } from './route';

/**
 * Adds the route `/stash-server/activity`, which the tab in the sidebar polls: what the deployed servers do. It requires no more
 * than the permission to view flows, because it sends requests only to deployed servers.
 */
export function addActivityRoute(RED: NodeAPI): void {
  const activity = new Activity();
  addRoute(RED, { name: 'activity', permission: 'read' }, () => activity.view());
}
