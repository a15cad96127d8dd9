import type { NodeAPI } from 'node-red';
import { StashError } from '../errors';
import { Address } from '../server/address';
import type { Call } from '../server/call';
import { Server } from '../server/server';
import type { ServerNode } from './server-node';

/** What the dialog holds at the moment; `apiKey` only if it was typed. */
interface Asked {
  id: string;
  url: string;
  auth: string;
  apiKey?: string | undefined;
}

/** What the server is asked; its answer goes to the dialog as it is. */
type Question = (server: Server, call: Call) => Promise<object>;

/** Why there is no answer: the case whose words the dialog shows, and what these name. */
interface Refusal {
  case: string;
  details: Readonly<Record<string, string | number>>;
}

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
      tell(RED, question, readAsked(request.body)).then(
        (told) => response.json(told),
        (error: unknown) => {
          RED.log.error(error);
          response.sendStatus(500);
        },
      );
    },
  );
}

async function tell(RED: NodeAPI, question: Question, asked: Asked): Promise<object | Refusal> {
  try {
    return await ask(RED, question, asked);
  } catch (error) {
    if (!(error instanceof StashError)) throw error;
    // What the server said is text of that address too.
    const details = Object.entries(error.details).filter(([name]) => name !== 'text');
    return { case: error.case, details: Object.fromEntries(details) };
  }
}

async function ask(RED: NodeAPI, question: Question, { id, auth, ...asked }: Asked): Promise<object> {
  const node = deployed(RED, id);
  const url = fromEnvironment(RED, node, asked.url);
  const apiKey =
    asked.apiKey === undefined ? storedKey(node, url, auth) : fromEnvironment(RED, node, asked.apiKey);
  const limits = { timeout: SECONDS, lookupTimeout: SECONDS, backupTimeout: SECONDS };
  const server = new Server({ url, auth, apiKey, ...limits });
  try {
    const never = new AbortController().signal;
    return await question(server, { signal: never, waiting: never });
  } finally {
    await server.close();
  }
}

/**
 * The key that is stored for this node. It is only sent to the address that it was stored for: whoever changes the
 * address in the dialog has to type it again.
 */
function storedKey(node: ServerNode | undefined, url: string, auth: string): string | undefined {
  const key = node?.credentials.apiKey;
  if (auth === 'none' || !node || !key) return undefined;
  if (new Address(url).base !== new Address(node.url).base) throw new StashError('UNAUTHORIZED.keyKept');
  return key;
}

function deployed(RED: NodeAPI, id: string): ServerNode | undefined {
  const node = RED.nodes.getNode(id) as ServerNode | null;
  return node?.type === 'stash-server' ? node : undefined;
}

/** `${NAME}` as a whole value, as Node-RED resolves it when it starts the node. */
function fromEnvironment(RED: NodeAPI, node: ServerNode | undefined, value: string): string {
  const name = /^\$\{(\w+)\}$/.exec(value.trim())?.[1];
  if (name === undefined) return value;
  return String(RED.util.evaluateNodeProperty(name, 'env', node as ServerNode, {}) ?? '');
}

/** Anything may be posted. */
function readAsked(body: unknown): Asked {
  const { id, url, auth, apiKey } = (body ?? {}) as Record<string, unknown>;
  return {
    id: typeof id === 'string' ? id : '',
    url: typeof url === 'string' ? url : '',
    auth: typeof auth === 'string' ? auth : '',
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
  };
}
