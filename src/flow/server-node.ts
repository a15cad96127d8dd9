import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';
import type { Server } from '../server';

/** The credentials of stash-server, which Node-RED stores apart from the flow file. `headers` is a JSON object. */
export type NodeCredentials = Partial<Record<'apiKey' | 'username' | 'password' | 'headers', string>>;

/** The ids of the config nodes chosen in stash-server's dialog; an empty id means none. */
export interface NetworkChoice {
  tls: string;
  proxy: string;
}

/** The config node stash-server, as the nodes that use it see it. */
export interface ServerNode extends Node<NodeCredentials> {
  /** The configured address, usable or not. */
  url: string;
  /** The chosen config nodes for TLS and a proxy. */
  network: NetworkChoice;
  /**
   * Returns the server, which all users of this node share.
   * @throws {StashError} if no request can succeed with this configuration.
   */
  connection: () => Server;
}

/**
 * Returns the connection of the config node that was chosen in a dialog.
 * @throws {StashError} NO_SERVER if none was chosen, or it is missing or disabled; otherwise like `connection`.
 */
export function connectionOf(RED: NodeAPI, id: unknown): Server {
  const node = typeof id === 'string' ? serverNode(RED, id) : undefined;
  if (!node) throw new StashError('NO_SERVER.none');
  return node.connection();
}

/** Returns the deployed stash-server node with this id; undefined if it is missing or disabled. */
export function serverNode(RED: NodeAPI, id: string): ServerNode | undefined {
  return findNode(RED, id, 'stash-server') as ServerNode | undefined;
}

/** Returns `msg.stash.server` for a server. */
export function factsOf({ name, url }: Server) {
  return { name, url };
}

/** Returns the deployed node with this id if it has this type; undefined if it is missing or disabled. */
export function findNode(RED: NodeAPI, id: string, type: string): Node | undefined {
  // The types promise a node, but Node-RED returns null for one that is missing or disabled.
  const node = RED.nodes.getNode(id) as Node | null;
  return node?.type === type ? node : undefined;
}

/** Returns the ID by which the editor knows a node. In an instance of a subflow, the node itself has an ID of its own. */
export function editorIdOf(node: Node): string {
  // The types of Node-RED lack `_alias`.
  return (node as Node & { _alias?: string })._alias ?? node.id;
}
