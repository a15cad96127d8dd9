import { timing } from '../../timing';
import { RecentErrors } from '../recent-errors';
import type { ServerNode } from '../server-node';

/** The deployed nodes by ID, in the order in which Node-RED started them. Module-level, as Node-RED has only one set of flows. */
const deployed = new Map<string, ServerNode>();

/** The deployed servers. */
export function deployedServers(): ServerNode[] {
  return [...deployed.values()];
}

/** Lists a server as deployed until its node is closed, and forgets its recent errors when the node is deleted. */
export function listAsDeployed(node: ServerNode): void {
  const { id } = node;
  deployed.set(id, node);
  const remove = () => {
    if (deployed.get(id) === node) deployed.delete(id);
  };
  node.on('close', (isDeleted: boolean, closed: () => void) => {
    if (isDeleted) {
      remove();
      RecentErrors.drop(id);
    }
    // A deploy replaces it at once. A user may also stop the flows.
    else setTimeout(remove, timing.activity.restart).unref();
    closed();
  });
}
