import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';

/** What `@types/node-red` leaves out. */
interface Settings {
  /** The value of an environment variable as a node sees it; an editor's own variables may be numbers or JSON. */
  getSetting: (node: Node | undefined, name: string) => string | number | boolean | undefined;
}

/** Returns the name of the environment variable that a whole value stands for, as in `${STASH_URL}`. */
export function variableIn(value = ''): string | undefined {
  // As Node-RED has it, the older form included.
  return /^\$(?:\((\S+)\)|\{(\S+)\})$/.exec(value)?.slice(1).find(Boolean);
}

/** Replaces `${NAME}` as a whole value as Node-RED does when it starts a node: where NAME is not set, it stays. */
export function fromEnvironment(RED: NodeAPI, node: Node | undefined, value: string): string {
  const name = variableIn(value);
  if (name === undefined) return value;
  const { getSetting } = RED.util as unknown as Settings;
  return String(getSetting(node, name) ?? value);
}

/** What of stash-server's dialog may come from the environment and decides whether a request can succeed. */
interface Values {
  url: string;
  auth: string;
  apiKey?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  headers?: string | undefined;
}

/** @throws {StashError} NO_SERVER or UNAUTHORIZED where the environment variable that a value stands for is not set. */
export function checkVariables({ url, auth, apiKey, username, password, headers }: Values): void {
  for (const name of [url, headers].map(variableIn)) {
    if (name !== undefined) throw new StashError('NO_SERVER.notSet', { details: { name } });
  }
  const needed = auth === 'apiKey' ? [apiKey] : auth === 'session' ? [username, password] : [];
  for (const name of needed.map(variableIn)) {
    if (name !== undefined) throw new StashError('UNAUTHORIZED.notSet', { details: { name } });
  }
}
