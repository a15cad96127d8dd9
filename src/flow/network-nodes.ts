import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';
import { isString } from '../guards';
import type { NetworkOptions, ProxyOptions, TlsOptions } from '../server';

/** The ids of the config nodes that were chosen in stash-server's dialog; an empty id means none. */
export interface NetworkChoice {
  tls: string;
  proxy: string;
}

/** Node-RED's own config node for TLS. */
interface TlsNode extends Node {
  /** False where its files could not be read. */
  valid: boolean;
  addTLSOptions: (options: TlsOptions) => TlsOptions;
}

/** Node-RED's own config node for a proxy. It does not check what the flow file holds. */
interface ProxyNode extends Omit<Node, 'credentials'> {
  /** Absent if none were ever typed. */
  credentials?: { username?: string; password?: string };
  url?: unknown;
  noproxy?: unknown;
}

/**
 * Returns the options of the chosen config nodes.
 * @throws {StashError} NO_SERVER if one is missing, disabled or unusable. A request without it might be less safe than the
 * user wants.
 */
export function networkOf(RED: NodeAPI, { tls, proxy }: NetworkChoice): Required<NetworkOptions> {
  return {
    tls: tls === '' ? undefined : tlsOf(nodeOf(RED, tls)),
    proxy: proxy === '' ? undefined : proxyOf(nodeOf(RED, proxy)),
  };
}

/** @throws {StashError} NO_SERVER if a chosen config node is not deployed. */
export function checkDeployed(RED: NodeAPI, { tls, proxy }: NetworkChoice): void {
  for (const id of [tls, proxy]) {
    if (id !== '' && !nodeOf(RED, id)) throw new StashError('NO_SERVER.notDeployed');
  }
}

/** The types promise a node, but Node-RED returns null for one that is missing or disabled. */
function nodeOf(RED: NodeAPI, id: string): Node | null {
  return RED.nodes.getNode(id);
}

function tlsOf(node: Node | null): TlsOptions {
  if (!isTls(node) || !node.valid) throw new StashError('NO_SERVER.tlsMissing');
  return node.addTLSOptions({});
}

function isTls(node: Node | null): node is TlsNode {
  return node?.type === 'tls-config';
}

function proxyOf(node: Pick<Node, 'type'> | null): ProxyOptions {
  if (!isProxy(node)) throw new StashError('NO_SERVER.proxyMissing');
  const { url, noproxy, credentials } = node;
  return {
    // An empty address is reported as unusable.
    url: isString(url) ? url : '',
    except: [noproxy].flat().filter(isString),
    username: credentials?.username,
    password: credentials?.password,
  };
}

function isProxy(node: Pick<Node, 'type'> | null): node is ProxyNode {
  return node?.type === 'http proxy';
}
