import type { NodeAPI } from 'node-red';
import { StashError } from '../errors';
import { Address } from '../server/address';
import type { Call } from '../server/call';
import { Server } from '../server/server';
import { tell } from './admin-route';
import { checkDeployed, type NetworkChoice, networkOf } from './network';
import type { ServerNode } from './server-node';

/** The credentials that the editor does not get to know. */
const SECRETS = ['apiKey', 'password', 'headers'] as const;

type Secrets = Partial<Record<(typeof SECRETS)[number], string>>;

/** What the dialog holds at the moment; of the secrets those that were typed. */
interface Asked extends NetworkChoice, Secrets {
  id: string;
  url: string;
  auth: string;
  username: string;
}

/** What the server is asked; its answer goes to the dialog as it is. */
type Question = (server: Server, call: Call) => Promise<object>;

const SECONDS = 10;

/**
 * The route behind the Test button of stash-server's dialog, for values that may not be deployed yet. It needs the
 * permission to change flows, since it makes Node-RED send a request to an address from the browser; and it answers
 * with a category, never with what came from that address, or it would be a way to read what only Node-RED reaches.
 */
export function addTestRoute(RED: NodeAPI, question: Question): void {
  RED.httpAdmin.post(
    '/stash-server/test',
    RED.auth.needsPermission('stash-server.write'),
    (request, response) => {
      tell(RED, response, ask(RED, question, readAsked(request.body)));
    },
  );
}

async function ask(RED: NodeAPI, question: Question, { id, ...asked }: Asked): Promise<object> {
  const node = deployed(RED, id);
  const typed = fromEnvironment(RED, node, asked);
  checkDeployed(RED, typed);
  const server = new Server({
    ...typed,
    ...storedSecrets(node, typed),
    ...networkOf(RED, typed),
    timeout: SECONDS,
    lookupTimeout: SECONDS,
    backupTimeout: SECONDS,
  });
  try {
    const never = new AbortController().signal;
    return await question(server, { signal: never, waiting: never });
  } finally {
    await server.close();
  }
}

/**
 * What is stored for this node of the secrets that are needed and were not typed. They are only sent to the address
 * that they were stored for: whoever changes the address in the dialog has to type them again.
 */
function storedSecrets(node: ServerNode | undefined, typed: Omit<Asked, 'id'>): Secrets {
  const needed = { apiKey: typed.auth === 'apiKey', password: typed.auth === 'session', headers: true };
  const names = SECRETS.filter(
    (name) => needed[name] && typed[name] === undefined && node?.credentials[name],
  );
  if (!node || names.length === 0) return {};
  if (new Address(typed.url).base !== new Address(node.url).base) {
    throw new StashError('UNAUTHORIZED.credentialsKept');
  }
  return Object.fromEntries(names.map((name) => [name, node.credentials[name]]));
}

function deployed(RED: NodeAPI, id: string): ServerNode | undefined {
  const node = RED.nodes.getNode(id) as ServerNode | null;
  return node?.type === 'stash-server' ? node : undefined;
}

/** Values with `${NAME}` as a whole value replaced, as Node-RED does when it starts the node. */
function fromEnvironment<Values extends object>(
  RED: NodeAPI,
  node: ServerNode | undefined,
  values: Values,
): Values {
  const resolved = Object.entries(values).map(([property, value]: [string, string]) => {
    const name = /^\$\{(\w+)\}$/.exec(value.trim())?.[1];
    if (name === undefined) return [property, value];
    return [property, String(RED.util.evaluateNodeProperty(name, 'env', node as ServerNode, {}) ?? '')];
  });
  return Object.fromEntries(resolved) as Values;
}

/** Anything may be posted. */
function readAsked(body: unknown): Asked {
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
