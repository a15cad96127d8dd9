import type { Node, NodeAPI } from 'node-red';
import { isVariable, textIn } from '../contract/values';
import { StashError } from '../errors';
import { smallFile } from '../files';
import { isRecord, isString } from '../guards';
import type { NetworkOptions, ProxyOptions, TlsOptions } from '../server';
import { fromEnvironment } from './environment';
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

/** The content of a config node that is not deployed. A credential is absent unless it was typed. */
type ContentInDialog = Readonly<Record<string, unknown>>;

/** A choice in a dialog: the IDs of config nodes, or the content of those that are not deployed. */
export type NetworkInDialog = Readonly<Record<keyof NetworkChoice, string | ContentInDialog>>;

/** Reads a choice in a dialog, which may be anything. */
export function networkInDialog({ tls, proxy }: ContentInDialog): NetworkInDialog {
  const choiceIn = (value: unknown) => (isRecord(value) ? value : textIn(value));
  return { tls: choiceIn(tls), proxy: choiceIn(proxy) };
}

/**
 * Returns the options for a choice in a dialog.
 * @throws {StashError} NO_SERVER as `networkOf`, or for what needs a deploy; UNAUTHORIZED for a stored password at another proxy.
 */
export async function undeployedNetworkOf(
  RED: NodeAPI,
  { tls, proxy }: NetworkInDialog,
): Promise<Required<NetworkOptions>> {
  const deployed = { tls: isString(tls) ? tls : '', proxy: isString(proxy) ? proxy : '' };
  const isDeployed = (id: string, type: string) => id === '' || findNode(RED, id, type) !== undefined;
  const values = [tls, proxy].filter(isRecord).flatMap(Object.values).filter(isString);
  // An undeployed value must not read the environment of Node-RED.
  if (!isDeployed(deployed.tls, TLS) || !isDeployed(deployed.proxy, PROXY) || values.some(isVariable)) {
    throw new StashError('NO_SERVER.notDeployed');
  }
  const options = networkOf(RED, deployed);
  return {
    tls: isString(tls) ? options.tls : await undeployedTls(RED, tls),
    proxy: isString(proxy) ? options.proxy : undeployedProxy(RED, proxy),
  };
}

/** Returns the options for the content of a TLS configuration, as its node makes them. */
async function undeployedTls(RED: NodeAPI, content: ContentInDialog): Promise<TlsOptions> {
  if (content['d'] === true) throw new StashError('NO_SERVER.tlsMissing');
  const { credentials = {} } = (findNode(RED, textIn(content['id']), TLS) ?? {}) as {
    credentials?: Readonly<Record<string, unknown>>;
  };
  const valueOf = (name: string) => textIn(content[name]).trim();
  const credential = (name: string) => textIn(content[name] ?? credentials[name]) || undefined;
  const file = async (name: string) => (valueOf(name) === '' ? undefined : await fileAt(valueOf(name)));
  const variable = (name: string) => valueOf(name) && fromEnvironment(RED, undefined, `\${${valueOf(name)}}`);
  const common = {
    passphrase: credential('passphrase'),
    servername: valueOf('servername') || undefined,
    ...(valueOf('alpnprotocol') && { ALPNProtocols: [valueOf('alpnprotocol')] }),
    rejectUnauthorized: content['verifyservercert'] !== false,
  };
  if (content['certType'] === 'pfx') {
    return { ...common, pfx: (await file('p12')) ?? Buffer.from(credential('p12data') ?? '', 'base64') };
  }
  const isInFiles = ['cert', 'key', 'ca'].some((name) => valueOf(name) !== '');
  const read = async (name: string) => {
    if (content['certType'] === 'env') return variable(`${name}Env`) || undefined;
    return isInFiles ? await file(name) : credential(`${name}data`);
  };
  const [cert, key, ca] = [await read('cert'), await read('key'), await read('ca')];
  if (!cert !== !key) throw new StashError('NO_SERVER.tlsMissing');
  return { ...common, cert, key, ca };
}

/** The largest file of a certificate or a key, in bytes. */
const LARGEST = 64 * 1024;

/** @throws {StashError} NO_SERVER for a file that cannot be read, or that is no certificate and no key. */
async function fileAt(path: string): Promise<Buffer> {
  const content = await smallFile(path, LARGEST).catch(() => undefined);
  if (!content) throw new StashError('NO_SERVER.tlsMissing');
  return content;
}

/** Returns the options for the content of a proxy. Its stored credentials go only to the address that it is deployed with. */
function undeployedProxy(RED: NodeAPI, content: ContentInDialog): ProxyOptions {
  if (content['d'] === true) throw new StashError('NO_SERVER.proxyMissing');
  const url = textIn(content['url']);
  const deployed = findNode(RED, textIn(content['id']), PROXY) as ProxyNode | undefined;
  const read = (name: 'username' | 'password') => {
    if (isString(content[name])) return content[name];
    const stored = deployed?.credentials?.[name];
    if (stored && deployed.url !== url) throw new StashError('UNAUTHORIZED.credentialsKept');
    return stored;
  };
  return {
    url,
    except: [content['noproxy']].flat().filter(isString),
    username: read('username'),
    password: read('password'),
  };
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
