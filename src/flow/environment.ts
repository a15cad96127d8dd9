import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';

/** The part of `RED.util` that `@types/node-red` lacks. */
interface Settings {
  /** Returns an environment variable as a node sees it. Those that were set in the editor may be numbers or JSON. */
  getSetting: (node: Node | undefined, name: string) => string | number | boolean | undefined;
}

/** Returns the name of the environment variable that a whole value stands for, as in `${STASH_URL}`. */
export function variableIn(value = ''): string | undefined {
  // The pattern of Node-RED, with its older form `$(NAME)`.
  return /^\$(?:\((\S+)\)|\{(\S+)\})$/.exec(value)?.slice(1).find(Boolean);
}

/** Replaces a value that is `${NAME}` as Node-RED does when it starts a node: it stays as it is where NAME is not set. */
export function fromEnvironment(RED: NodeAPI, node: Node | undefined, value: string): string {
  const name = variableIn(value);
  if (name === undefined) return value;
  const { getSetting } = RED.util as unknown as Settings;
  return String(getSetting(node, name) ?? value);
}

/** The properties of stash-server that may come from the environment and without which no request can succeed. */
interface Values {
  url: string;
  auth: string;
  apiKey?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
  headers?: string | undefined;
}

/** @throws {StashError} NO_SERVER or UNAUTHORIZED if a value names an environment variable that is not set. */
export function checkVariables({ url, auth, apiKey, username, password, headers }: Values): void {
  for (const name of [url, headers].map(variableIn)) {
    if (name !== undefined) throw new StashError('NO_SERVER.notSet', { details: { name } });
  }
  const needed = auth === 'apiKey' ? [apiKey] : auth === 'session' ? [username, password] : [];
  for (const name of needed.map(variableIn)) {
    if (name !== undefined) throw new StashError('UNAUTHORIZED.notSet', { details: { name } });
  }
}
