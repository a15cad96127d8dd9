import { createHash } from 'node:crypto';
import type { NodeAPI } from 'node-red';
import { pathRowIn, serverDefaults } from '../contract/server';
import { textIn, variableIn } from '../contract/values';
import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import { Address, checkOptions, Server, type ServerOptions, type TestedServer } from '../server';
import { timing } from '../timing';
import { checkVariables, fromEnvironment } from './environment';
import { networkInDialog, type NetworkInDialog, undeployedNetworkOf } from './network-nodes';
import { connectionOf, type NodeCredentials, type ServerNode, serverNode } from './server-node';
import { settingsOf } from './server-settings';

/**
 * How a request of the editor names a server. Whoever sends a `content` makes Node-RED send requests to an address from the
 * browser: that needs the permission to change flows.
 */
interface ServerInRequest {
  /** The ID of its node, deployed or not. */
  readonly id?: unknown;
  /** The content of its dialog, which may be anything; undefined for the server as it is deployed. */
  readonly content?: unknown;
}

const CREDENTIALS = ['apiKey', 'username', 'password', 'headers'] as const;

/** The connection of the server in a dialog. A credential is absent if the editor does not have it: it is stored, if there is one. */
interface TypedConnection extends NetworkInDialog, NodeCredentials {
  /** The address, which may be `${NAME}`. */
  readonly url: string;
  /** How to sign in: `none`, `apiKey` or `session`. */
  readonly auth: string;
}

/** A server in a dialog, without the properties that are no part of its connection. */
type ServerInDialog = Omit<TestedServer, 'timeout' | 'lookupTimeout' | 'backupTimeout'> & {
  /** Whether its node is deployed with the same address, TLS configuration and proxy. */
  isDeployed: boolean;
};

/** The most rows of a path map to check. */
const MOST_ROWS = 100;

/** The most undeployed servers that are open at a time. */
const MOST = 8;
/** The most requests that use one at a time: the browser makes up the ID by which routes count. */
const MOST_USERS = 50;

/** An undeployed server that requests of dialogs share, so that its schema is not read at each key press. */
interface OpenServer {
  readonly server: Server;
  /** How many requests use it. */
  users: number;
  /** Closes it. */
  idle?: NodeJS.Timeout;
}

/** By the hash of their options. The least recently used comes first. */
const openServers = new Map<string, OpenServer>();

/**
 * Runs a task of a dialog with its server: the deployed one, or one with the content of its dialog, which is closed once no dialog
 * has used it for a while.
 * @throws {StashError} NO_SERVER or UNAUTHORIZED for unusable values, QUEUE_FULL; what `task` throws.
 */
export async function withServer<Result>(
  RED: NodeAPI,
  reference: ServerInRequest,
  task: (server: Server) => Promise<Result>,
): Promise<Result> {
  if (reference.content === undefined) return await task(connectionOf(RED, reference.id));
  const { isDeployed, shownAs, pathMap: _, ...connection } = await serverInDialog(RED, reference);
  // Errors and results would show the variable that has the address.
  if (shownAs !== undefined && !isDeployed) throw new StashError('NO_SERVER.none');
  const settings = settingsOf(RED, contentOf(reference));
  checkOptions({ ...connection, ...settings });
  // Messages of a deployed server with this address wait for the longest pause, too.
  const pause = Math.min(settings.pause, serverDefaults.pause);
  const options = { ...connection, ...settings, pause };
  const key = createHash('sha256').update(JSON.stringify(options)).digest('base64');
  const opened = openServers.get(key) ?? openServer(options);
  if (opened.users >= MOST_USERS) throw new StashError('QUEUE_FULL.tests');
  openServers.delete(key);
  openServers.set(key, opened);
  clearTimeout(opened.idle);
  opened.users += 1;
  try {
    return await task(opened.server);
  } finally {
    opened.users -= 1;
    if (opened.users === 0) opened.idle = setTimeout(() => close(key), timing.undeployedServer).unref();
  }
}

/** @throws {StashError} QUEUE_FULL if too many are in use. */
function openServer(options: ServerOptions): OpenServer {
  const [unused] = [...openServers].find(([, { users }]) => users === 0) ?? [];
  const isFull = openServers.size >= MOST;
  if (isFull && unused === undefined) throw new StashError('QUEUE_FULL.tests');
  const server = new Server(options);
  if (isFull && unused !== undefined) close(unused);
  return { server, users: 0 };
}

function close(key: string): void {
  const opened = openServers.get(key);
  clearTimeout(opened?.idle);
  openServers.delete(key);
  opened?.server.close().catch(() => undefined);
}

/**
 * Returns the server in a dialog, whose values may not be deployed.
 * @throws {StashError} NO_SERVER or UNAUTHORIZED for unusable values.
 */
export async function serverInDialog(RED: NodeAPI, reference: ServerInRequest): Promise<ServerInDialog> {
  const content = contentOf(reference);
  const typed = typedConnection(content);
  const id = textIn(reference.id);
  const node = serverNode(RED, id);
  const url = fromEnvironment(RED, node, typed.url);
  // Checked before the credentials, because those depend on the address.
  checkVariables({ url, auth: 'none' });
  const network = await undeployedNetworkOf(RED, typed);
  const isDeployed = node !== undefined && isDeployedAs(node, { ...typed, url });
  const { auth } = typed;
  const values = { url, auth, ...signIn(RED, id, node, typed, isDeployed) };
  checkVariables(values);
  const rows = [content['pathMap'] ?? []].flat().slice(0, MOST_ROWS).map(pathRowIn);
  return {
    ...values,
    ...network,
    pathMap: rows.map(({ here, there }) => ({ here, there: fromEnvironment(RED, node, there) })),
    shownAs: typed.url === url ? undefined : typed.url,
    isDeployed,
  };
}

function contentOf({ content }: ServerInRequest): Readonly<Record<string, unknown>> {
  return isRecord(content) ? content : {};
}

function typedConnection(content: Readonly<Record<string, unknown>>): TypedConnection {
  const credentials = CREDENTIALS.filter((name) => isString(content[name]));
  return {
    ...(Object.fromEntries(credentials.map((name) => [name, content[name]])) as NodeCredentials),
    ...networkInDialog(content),
    url: textIn(content['url']),
    auth: textIn(content['auth']),
  };
}

/**
 * Returns the required credentials: what was typed, what is stored for this node, and what an environment variable has. The last
 * two are sent only to the address, and with the TLS configuration and proxy, that they were deployed with. After a change of
 * these, users type the credentials again or deploy first.
 * @throws {StashError} UNAUTHORIZED after such a change.
 */
function signIn(
  RED: NodeAPI,
  id: string,
  node: ServerNode | undefined,
  typed: TypedConnection,
  isDeployed: boolean,
): NodeCredentials {
  const needed = {
    apiKey: typed.auth === 'apiKey',
    username: typed.auth === 'session',
    password: typed.auth === 'session',
    headers: true,
  };
  const names = CREDENTIALS.filter((name) => needed[name]);
  const known = node?.credentials ?? keptFor(RED, id);
  const stored = names.filter((name) => typed[name] === undefined && known[name]);
  const inVariables = names.filter((name) => variableIn(typed[name]) !== undefined);
  if (stored.length + inVariables.length > 0 && !isDeployed) {
    throw new StashError(stored.length > 0 ? 'UNAUTHORIZED.credentialsKept' : 'UNAUTHORIZED.variableKept');
  }
  return Object.fromEntries([
    ...names.map((name) => [name, typed[name]]),
    ...stored.map((name) => [name, node?.credentials[name]]),
    ...inVariables.map((name) => [name, fromEnvironment(RED, node, typed[name] ?? '')]),
  ]) as NodeCredentials;
}

/** Returns the credentials that Node-RED keeps for a node that does not run. In a subflow, its ID follows that of the instance. */
function keptFor(RED: NodeAPI, id: string): NodeCredentials {
  // The types promise an object, but Node-RED returns null for a node without credentials.
  const kept = RED.nodes.getCredentials(id.slice(id.lastIndexOf('-') + 1)) as NodeCredentials | null;
  return kept ?? {};
}

/** Whether a node is deployed with this connection. @throws {StashError} NO_SERVER if `url` is not an address. */
function isDeployedAs(node: ServerNode, { url, tls, proxy }: TypedConnection): boolean {
  const { base } = new Address(url);
  return node.network.tls === tls && node.network.proxy === proxy && baseOf(node.url) === base;
}

function baseOf(url: string): string | undefined {
  try {
    return new Address(url).base;
  } catch {
    return undefined;
  }
}
