import type { Node, NodeAPI } from 'node-red';
import { variableIn } from '../contract/values';
import { StashError } from '../errors';
import { isRecord } from '../guards';
import type { ServerOptions } from '../server';

/** Replaces a value `${NAME}` as Node-RED does when it starts a node. Without a variable NAME the value stays as it is. */
export function fromEnvironment(RED: NodeAPI, node: Node | undefined, value: string): string {
  return String(valueOf(RED, node, value));
}

/** Replaces each value `${NAME}` in the properties of a dialog, as Node-RED does when it starts a node. */
export function withEnvironment(RED: NodeAPI, node: Node | undefined, value: unknown): unknown {
  if (typeof value === 'string') return valueOf(RED, node, value);
  if (Array.isArray(value)) return value.map((item) => withEnvironment(RED, node, item));
  if (!isRecord(value)) return value;
  const replaced = Object.entries(value).map(([name, inner]) => [name, withEnvironment(RED, node, inner)]);
  return Object.fromEntries(replaced);
}

function valueOf(RED: NodeAPI, node: Node | undefined, value: string): string | number | boolean {
  const name = variableIn(value);
  if (name === undefined) return value;
  const { getSetting } = RED.util as unknown as {
    /** Returns an environment variable as `node` sees it. Variables from the editor may be numbers or booleans. */
    getSetting: (node: Node | undefined, name: string) => string | number | boolean | undefined;
  };
  return getSetting(node, name) ?? value;
}

/**
 * Checks that no required value still refers to an environment variable, which is then not set.
 * @throws {StashError} NO_SERVER or UNAUTHORIZED with the name of the variable.
 */
export function checkVariables({
  url,
  auth,
  apiKey,
  username,
  password,
  headers,
  pathMap = [],
}: Pick<ServerOptions, 'url' | 'auth' | 'apiKey' | 'username' | 'password' | 'headers'> &
  Partial<Pick<ServerOptions, 'pathMap'>>): void {
  const paths = pathMap.flatMap(({ here, there }) => [here, there]);
  for (const name of [url, headers, ...paths].map(variableIn)) {
    if (name !== undefined) throw new StashError('NO_SERVER.notSet', { details: { name } });
  }
  const needed = auth === 'apiKey' ? [apiKey] : auth === 'session' ? [username, password] : [];
  for (const name of needed.map(variableIn)) {
    if (name !== undefined) throw new StashError('UNAUTHORIZED.notSet', { details: { name } });
  }
}
