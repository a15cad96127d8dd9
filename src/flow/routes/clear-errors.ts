import type { NodeAPI } from 'node-red';
import { RecentErrors } from '../recent-errors';
import { serverNode } from '../server-node';
import { addRoute } from './route';

/** Adds the route `/stash-server/clear-errors` for the button that forgets the recent errors of a server. */
export function addClearErrorsRoute(RED: NodeAPI): void {
  addRoute(RED, { name: 'clear-errors', permission: 'write' }, ({ id }) => {
    if (typeof id === 'string' && serverNode(RED, id)) RecentErrors.of(id).clear();
    return Promise.resolve({});
  });
}
