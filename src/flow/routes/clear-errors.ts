import type { NodeAPI } from 'node-red';
import { RecentErrors } from '../recent-errors';
import { serverNode } from '../server-node';
import { addActRoute } from './act';

/** Adds the route `/stash-server/clear-errors` for the button that forgets the recent errors of a server. */
export function addClearErrorsRoute(RED: NodeAPI): void {
  addActRoute(RED, 'clear-errors', ({ id }) => {
    if (typeof id === 'string' && serverNode(RED, id)) RecentErrors.of(id).clear();
    return Promise.resolve({});
  });
}
