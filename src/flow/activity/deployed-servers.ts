import { RecentErrors } from '../recent-errors';
import type { ServerNode } from '../server-node';

/** The deployed nodes, in the order in which Node-RED started them. Module-level, as Node-RED has only one set of flows. */
const deployed = new Set<ServerNode>();

/** The deployed servers. */
export function deployedServers(): ServerNode[] {
  return [...deployed];
}

/** Lists a server as deployed until its node is closed, and forgets its recent errors when the node is deleted. */
export function listAsDeployed(node: ServerNode): void {
  deployed.add(node);
  node.on('close', (removed: boolean, closed: () => void) => {
    deployed.delete(node);
    if (removed) RecentErrors.drop(node.id);
    closed();
  });
}
