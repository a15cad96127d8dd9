import type { Node } from 'node-red';

/** Returns the ID by which the editor knows a node. In an instance of a subflow, the node itself has an ID of its own. */
export function editorIdOf(node: Node): string {
  // The types of Node-RED lack `_alias`.
  return (node as Node & { _alias?: string })._alias ?? node.id;
}
