import type { Node, NodeAPI } from 'node-red';

/** Returns the deployed node with this id if it has this type; undefined if it is missing or disabled. */
export function findNode(RED: NodeAPI, id: string, type: string): Node | undefined {
  // The types promise a node, but Node-RED returns null for one that is missing or disabled.
  const node = RED.nodes.getNode(id) as Node | null;
  return node?.type === type ? node : undefined;
}
