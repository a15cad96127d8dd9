import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';
import { isString } from '../guards';
import type { NetworkOptions, ProxyOptions, TlsOptions } from '../server';
import { findNode, type NetworkChoice } from './server-node';

/** The types of Node-RED's own config nodes. */
const TLS = 'tls-config';
const PROXY = 'http proxy';

/** Node-RED's own config node for TLS. */
interface TlsNode extends Node {
  /** False if its files could not be read. */
  valid: boolean;
  /** Adds certificates and settings to `options` and returns it. */
  addTLSOptions: (options: TlsOptions) => TlsOptions;
}

/** Node-RED's own config node for a proxy. It does not check the flow file. */
interface ProxyNode extends Omit<Node, 'credentials'> {
  /** Absent if none were ever entered. */
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
    tls: tls === '' ? undefined : tlsOf(RED, tls),
    proxy: proxy === '' ? undefined : proxyOf(RED, proxy),
  };
}

/** Checks that the chosen config nodes are deployed. @throws {StashError} NO_SERVER if one is not. */
export function checkDeployed(RED: NodeAPI, { tls, proxy }: NetworkChoice): void {
  const isDeployed = (id: string, type: string) => id === '' || findNode(RED, id, type) !== undefined;
  if (!isDeployed(tls, TLS) || !isDeployed(proxy, PROXY)) throw new StashError('NO_SERVER.notDeployed');
}

function tlsOf(RED: NodeAPI, id: string): TlsOptions {
  const node = findNode(RED, id, TLS) as TlsNode | undefined;
  if (!node?.valid) throw new StashError('NO_SERVER.tlsMissing');
  return node.addTLSOptions({});
}

function proxyOf(RED: NodeAPI, id: string): ProxyOptions {
  const node = findNode(RED, id, PROXY) as ProxyNode | undefined;
  if (!node) throw new StashError('NO_SERVER.proxyMissing');
  const { url, noproxy, credentials } = node;
  return {
    // An empty address is reported as unusable.
    url: isString(url) ? url : '',
    except: [noproxy].flat().filter(isString),
    username: credentials?.username,
    password: credentials?.password,
  };
}
