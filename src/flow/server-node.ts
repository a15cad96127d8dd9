import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';
import type { Server } from '../server';
import type { NetworkChoice } from './network-nodes';

/** The properties that are stored apart from the flow file. */
export type NodeCredentials = Partial<Record<'apiKey' | 'username' | 'password' | 'headers', string>>;

/** The config node stash-server, as the nodes that use it see it. */
export interface ServerNode extends Node<NodeCredentials> {
  /** The configured address, usable or not. */
  url: string;
  /** The configured config nodes for TLS and a proxy. */
  network: NetworkChoice;
  /**
   * Returns the one connection that all users of this node share.
   * @throws {StashError} if no request can succeed with this configuration.
   */
  connection: () => Server;
}

/**
 * Returns the connection of the config node that was chosen in a dialog.
 * @throws {StashError} NO_SERVER if none was chosen, or it is missing or disabled; otherwise like `connection`.
 */
export function connectionOf(RED: NodeAPI, id: unknown): Server {
  // The types promise a node, but Node-RED returns null for one that is missing or disabled.
  const node = typeof id === 'string' ? (RED.nodes.getNode(id) as Node | null) : null;
  if (node?.type !== 'stash-server') throw new StashError('NO_SERVER.none');
  return (node as ServerNode).connection();
}

/** Returns what messages say of a server. */
export function factsOf({ name, url }: Server) {
  return { name, url };
}
