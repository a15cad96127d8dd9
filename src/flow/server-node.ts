import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';
import type { Server } from '../server';
import type { NetworkChoice } from './network-nodes';

/** What is stored apart from the flow file. */
export type NodeCredentials = Partial<Record<'apiKey' | 'username' | 'password' | 'headers', string>>;

/** The config node stash-server, as the nodes that use it see it. */
export interface ServerNode extends Node<NodeCredentials> {
  /** The address as it is configured, usable or not. */
  url: string;
  /** The config nodes for TLS and a proxy, as they are configured. */
  network: NetworkChoice;
  /**
   * The one connection that all users of this node share.
   * @throws {StashError} if the configuration is such that no request can succeed.
   */
  connection: () => Server;
}

/**
 * The connection of the config node that a dialog has chosen.
 * @throws {StashError} NO_SERVER where none is chosen, or it is missing or disabled; otherwise as `connection`.
 */
export function connectionOf(RED: NodeAPI, id: unknown): Server {
  // The types promise a node; Node-RED gives null for one that is missing or disabled.
  const node = typeof id === 'string' ? (RED.nodes.getNode(id) as Node | null) : null;
  if (node?.type !== 'stash-server') throw new StashError('NO_SERVER.none');
  return (node as ServerNode).connection();
}

/** What messages say of a server. */
export function factsOf({ name, url }: Server) {
  return { name, url };
}
