import type { NodeAPI } from 'node-red';
import type { Call } from '../call';
import { StashError } from '../errors';
import { Address, Server } from '../server';
import { tell } from './admin-route';
import { checkVariables, fromEnvironment, variableIn } from './environment';
import { checkDeployed, type NetworkChoice, networkOf } from './network-nodes';
import type { ServerNode } from './server-node';

/** The credentials that the editor does not get to know. */
const SECRETS = ['apiKey', 'password', 'headers'] as const;

type Secrets = Partial<Record<(typeof SECRETS)[number], string>>;

/** What the dialog holds at the moment; of the secrets those that were typed. */
interface TypedServer extends NetworkChoice, Secrets {
  id: string;
  url: string;
  auth: string;
  username: string;
}

/** What the server is asked; its answer goes to the dialog as it is. */
type Probe = (server: Server, call: Call) => Promise<object>;

const SECONDS = 10;

/** How many tests may be under way: each has connections of its own, and anybody may press the button many times. */
const MOST_AT_ONCE = 4;

/**
 * Adds the route behind the Test button of stash-server's dialog, for values that may not be deployed yet. It needs the
 * permission to change flows, since it makes Node-RED send a request to an address from the browser; and it answers
 * with a category, never with what came from that address, or it would be a way to read what only Node-RED reaches.
 */
export function addTestRoute(RED: NodeAPI, question: Probe): void {
  let underWay = 0;
  RED.httpAdmin.post(
    '/stash-server/test',
    RED.auth.needsPermission('stash-server.write'),
    (request, response) => {
      // A form on another web site can post anything else without asking the browser first.
      if (!request.is('application/json')) {
        response.sendStatus(415);
        return;
      }
      if (underWay >= MOST_AT_ONCE) {
        tell(RED, response, Promise.reject(new StashError('QUEUE_FULL.tests')));
        return;
      }
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort(new StashError('CLOSED.closed'));
      });
      underWay += 1;
      const answer = ask(RED, question, readAsked(request.body), gone.signal).finally(() => {
        underWay -= 1;
      });
      tell(RED, response, answer);
    },
  );
}

/** @param signal ends the test at once. */
async function ask(
  RED: NodeAPI,
  question: Probe,
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
  const server = new Server({
    ...values,
    ...networkOf(RED, typed),
    timeout: SECONDS,
    lookupTimeout: SECONDS,
    backupTimeout: SECONDS,
  });
  try {
    return await question(server, { signal, waiting: signal });
  } catch (thrown) {
    const error = typed.url === url ? thrown : withoutAddress(thrown, url, typed.url);
    // The dialog shows other time limits.
    if (error instanceof StashError && error.case === 'TIMEOUT.noAnswer') {
      throw new StashError('TIMEOUT.test', { details: { seconds: SECONDS } });
    }
    throw error;
  } finally {
    await server.close();
  }
}

/** An error that names the address as it was typed: what a variable holds is not for everybody who may press the button. */
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
 * Returns the credentials that are needed: those that were typed, or else stored for this node. What is stored, or
 * comes from the environment, is only sent where it was deployed for: to that address, with that TLS configuration and
 * proxy. Whoever changes one of them in the dialog has to type the credentials again, or to deploy.
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

/** @throws {StashError} NO_SERVER where `url` is no address. */
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

/** Anything may be posted. */
function readAsked(body: unknown): TypedServer {
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
