import type { NodeAPI } from 'node-red';
import { neverAborted, SingleFlight } from '../../async';
import type { CheckLine, FoundServers } from '../../contract/connection-test';
import { type PathRow, pathRowIn } from '../../contract/server';
import { textIn, variableIn } from '../../contract/values';
import { StashError } from '../../errors';
import { Address, type TestedServer } from '../../server';
import { timing } from '../../timing';
import { checkVariables, fromEnvironment } from '../environment';
import { checkDeployed, networkOf } from '../network-nodes';
import { type NetworkChoice, type ServerNode, serverNode } from '../server-node';
import { addLinesRoute, addRoute, type WriteLine } from './add-route';

/** The credentials that Node-RED never sends to the editor. */
const SECRETS = ['apiKey', 'password', 'headers'] as const;

/** Those that the dialog sends, by name. */
type Secrets = Partial<Record<(typeof SECRETS)[number], string>>;

/** The current content of the dialog. A secret is absent unless it was typed since the dialog was opened. */
interface TypedServer extends NetworkChoice, Secrets {
  /** The id of the config node, deployed or not. */
  id: string;
  /** The address, which may be `${NAME}`. */
  url: string;
  /** How to sign in: `none`, `apiKey` or `session`. */
  auth: string;
  username: string;
  /** The rows of the path map, which may be anything. */
  pathMap: readonly PathRow[];
}

/** The most tests at a time: each opens connections of its own, and users may press the button often. */
const MOST = 4;
/** The most rows of a path map to check. */
const MOST_ROWS = 100;

/**
 * Adds the route for the Test button of stash-server's dialog, whose values may not be deployed yet. It requires the
 * permission to change flows, because it makes Node-RED send requests to an address from the browser. It returns hardly any
 * text from that address: otherwise a browser could read what only Node-RED can reach.
 */
export function addTestRoute(
  RED: NodeAPI,
  diagnose: (server: TestedServer, write: WriteLine<CheckLine>, signal: AbortSignal) => Promise<void>,
): void {
  addLinesRoute<CheckLine>(RED, { name: 'test', permission: 'write', most: MOST }, (body, write, signal) =>
    diagnose(testedServer(RED, typedServer(body)), write, signal),
  );
}

/** Returns the server in the dialog. @throws {StashError} NO_SERVER or UNAUTHORIZED for unusable values. */
function testedServer(RED: NodeAPI, { id, pathMap, ...typed }: TypedServer): TestedServer {
  const node = serverNode(RED, id);
  const url = fromEnvironment(RED, node, typed.url);
  // Checked before the credentials, because those depend on the address.
  checkVariables({ url, auth: 'none' });
  checkDeployed(RED, typed);
  const values = { ...typed, url, ...signIn(RED, node, { ...typed, url }) };
  checkVariables(values);
  const seconds = timing.editor / 1000;
  return {
    ...values,
    ...networkOf(RED, typed),
    timeout: seconds,
    lookupTimeout: seconds,
    backupTimeout: seconds,
    pathMap: pathMap.map(({ here, there }) => ({ here, there: fromEnvironment(RED, node, there) })),
    shownAs: typed.url === url ? undefined : typed.url,
  };
}

/**
 * Returns the required credentials that were not typed: those stored for this node, and those from an environment variable.
 * They are sent only to the address, and with the TLS configuration and proxy, that they were deployed with. After a change
 * of these, users type the credentials again or deploy first.
 * @throws {StashError} UNAUTHORIZED after such a change.
 */
function signIn(RED: NodeAPI, node: ServerNode | undefined, typed: Omit<TypedServer, 'id' | 'pathMap'>) {
  const needed = {
    apiKey: typed.auth === 'apiKey',
    username: typed.auth === 'session',
    password: typed.auth === 'session',
    headers: true,
  };
  const names = (['username', ...SECRETS] as const).filter((name) => needed[name]);
  const stored = names.filter((name) => typed[name] === undefined && node?.credentials[name]);
  const inVariables = names.filter((name) => variableIn(typed[name]) !== undefined);
  if (stored.length + inVariables.length > 0 && !(node && isDeployedAs(node, typed))) {
    throw new StashError(stored.length > 0 ? 'UNAUTHORIZED.credentialsKept' : 'UNAUTHORIZED.variableKept');
  }
  return Object.fromEntries([
    ...stored.map((name) => [name, node?.credentials[name]]),
    ...inVariables.map((name) => [name, fromEnvironment(RED, node, typed[name] ?? '')]),
  ]) as Partial<Record<'username' | keyof Secrets, string>>;
}

/** Whether a node is deployed with this connection. @throws {StashError} NO_SERVER if `url` is not an address. */
function isDeployedAs(node: ServerNode, { url, tls, proxy }: NetworkChoice & { url: string }): boolean {
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

/** Reads the body of the request, which may be any JSON. */
function typedServer(given: Readonly<Record<string, unknown>>): TypedServer {
  const typed = SECRETS.filter((name) => typeof given[name] === 'string').map((name) => [
    name,
    textIn(given[name]),
  ]);
  return {
    ...(Object.fromEntries(typed) as Secrets),
    id: textIn(given['id']),
    url: textIn(given['url']),
    auth: textIn(given['auth']),
    username: textIn(given['username']),
    tls: textIn(given['tls']),
    proxy: textIn(given['proxy']),
    pathMap: [given['pathMap'] ?? []].flat().slice(0, MOST_ROWS).map(pathRowIn),
  };
}

/**
 * Adds the route that looks for Stash at the usual addresses. It takes no address from the browser, but requires the
 * permission to change flows, because it makes Node-RED send requests. All dialogs that wait share one search.
 */
export function addFindRoute(RED: NodeAPI, find: (signal: AbortSignal) => Promise<FoundServers>): void {
  const search = new SingleFlight(() => find(neverAborted()));
  addRoute(RED, { name: 'find', permission: 'write' }, (_body, signal) => search.get(signal));
}
