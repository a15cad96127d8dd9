import type { NodeAPI } from 'node-red';
import type { Call } from '../../call';
import { StashError } from '../../errors';
import { Address, Server } from '../../server';
import { timing } from '../../timing';
import { checkVariables, fromEnvironment, variableIn } from '../environment';
import { checkDeployed, type NetworkChoice, networkOf } from '../network-nodes';
import type { ServerNode } from '../server-node';
import { respond } from './respond';

/** The credentials that the editor never receives. */
const SECRETS = ['apiKey', 'password', 'headers'] as const;

type Secrets = Partial<Record<(typeof SECRETS)[number], string>>;

/** What the dialog holds at the moment. Secrets only if they were typed since it was opened. */
interface TypedServer extends NetworkChoice, Secrets {
  id: string;
  url: string;
  auth: string;
  username: string;
}

/** Asks the server. The dialog gets the answer as it is. */
type Probe = (server: Server, call: Call) => Promise<object>;

/** How many tests may run at once: each opens connections of its own, and the button can be pressed many times. */
const MAX_RUNNING = 4;

/**
 * Adds the route behind the Test button of stash-server's dialog, for values that may not be deployed yet. It needs the
 * permission to change flows, because it makes Node-RED send a request to an address from the browser. It answers with a
 * category, never with text from that address: otherwise it could read what only Node-RED can reach.
 */
export function addTestRoute(RED: NodeAPI, probe: Probe): void {
  let running = 0;
  RED.httpAdmin.post(
    '/stash-server/test',
    RED.auth.needsPermission('stash-server.write'),
    (request, response) => {
      // A form on another web site can post anything else without asking the browser first.
      if (!request.is('application/json')) {
        response.sendStatus(415);
        return;
      }
      if (running >= MAX_RUNNING) {
        respond(RED, response, Promise.reject(new StashError('QUEUE_FULL.tests')));
        return;
      }
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort(new StashError('CLOSED.closed'));
      });
      running += 1;
      const answer = ask(RED, probe, typedServer(request.body), gone.signal).finally(() => {
        running -= 1;
      });
      respond(RED, response, answer);
    },
  );
}

/** @param signal Ends the test at once. */
async function ask(
  RED: NodeAPI,
  probe: Probe,
  { id, ...typed }: TypedServer,
  signal: AbortSignal,
): Promise<object> {
  const node = deployed(RED, id);
  const url = fromEnvironment(RED, node, typed.url);
  // Before the credentials, which are only for some addresses.
  checkVariables({ url, auth: 'none' });
  checkDeployed(RED, typed);
  const values = { ...typed, url, ...signIn(RED, node, { ...typed, url }) };
  checkVariables(values);
  const seconds = timing.editor / 1000;
  const server = new Server({
    ...values,
    ...networkOf(RED, typed),
    timeout: seconds,
    lookupTimeout: seconds,
    backupTimeout: seconds,
  });
  try {
    return await probe(server, { signal, waiting: signal });
  } catch (thrown) {
    const error = typed.url === url ? thrown : withoutAddress(thrown, url, typed.url);
    // The dialog shows the time limits of messages, not this one.
    if (error instanceof StashError && error.case === 'TIMEOUT.noAnswer') {
      throw new StashError('TIMEOUT.test', { details: { seconds } });
    }
    throw error;
  } finally {
    await server.close();
  }
}

/** Names the address as it was typed: not everybody who may press the button may see what a variable holds. */
function withoutAddress(error: unknown, url: string, typed: string): unknown {
  if (!(error instanceof StashError)) return error;
  const { base, host } = new Address(url);
  const named = Object.entries(error.details).map(([name, value]) => [
    name,
    value === base || value === host ? typed : value,
  ]);
  return new StashError(error.case, { details: Object.fromEntries(named) as StashError['details'] });
}

/**
 * Returns the credentials that are needed and were not typed: those stored for this node or named by a variable. They are
 * sent only to the address, and with the TLS configuration and proxy, for which they were deployed. After one of these was
 * changed in the dialog, the credentials must be typed again or the change deployed.
 * @throws {StashError} UNAUTHORIZED where that is not so.
 */
function signIn(RED: NodeAPI, node: ServerNode | undefined, typed: Omit<TypedServer, 'id'>) {
  const needed = {
    apiKey: typed.auth === 'apiKey',
    username: typed.auth === 'session',
    password: typed.auth === 'session',
    headers: true,
  };
  const names = (['username', ...SECRETS] as const).filter((name) => needed[name]);
  const stored = names.filter((name) => typed[name] === undefined && node?.credentials[name]);
  const referred = names.filter((name) => variableIn(typed[name]) !== undefined);
  if (stored.length + referred.length > 0 && !(node && isDeployedAs(node, typed))) {
    throw new StashError(stored.length > 0 ? 'UNAUTHORIZED.credentialsKept' : 'UNAUTHORIZED.variableKept');
  }
  return Object.fromEntries([
    ...stored.map((name) => [name, node?.credentials[name]]),
    ...referred.map((name) => [name, fromEnvironment(RED, node, typed[name] ?? '')]),
  ]) as Partial<Record<'username' | keyof Secrets, string>>;
}

/** @throws {StashError} NO_SERVER if `url` is not an address. */
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

function deployed(RED: NodeAPI, id: string): ServerNode | undefined {
  const node = RED.nodes.getNode(id) as ServerNode | null;
  return node?.type === 'stash-server' ? node : undefined;
}

/** Reads the body of the request, which may be anything. */
function typedServer(body: unknown): TypedServer {
  const given = (body ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '');
  const typed = SECRETS.filter((name) => typeof given[name] === 'string').map((name) => [name, text(name)]);
  return {
    ...(Object.fromEntries(typed) as Secrets),
    id: text('id'),
    url: text('url'),
    auth: text('auth'),
    username: text('username'),
    tls: text('tls'),
    proxy: text('proxy'),
  };
}
