import type { Node, NodeAPI } from 'node-red';

/** What is called when the flows have started. One listener calls all, because Node-RED warns of more than ten. */
const pending = new Set<() => void>();

/** Calls `then` when all nodes of the deploy are there, unless this one is closed before: a Catch node misses an earlier error. */
export function onFlowsStarted(RED: NodeAPI, node: Node, then: () => void): void {
  if (pending.size === 0) {
    RED.events.once('flows:started', () => {
      const all = [...pending];
      pending.clear();
      for (const one of all) one();
    });
  }
  pending.add(then);
  node.once('close', () => pending.delete(then));
}
