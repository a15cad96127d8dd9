import type { NodeAPI, NodeDef } from 'node-red';
import { StashError } from '../src/errors';
import type { Credentials, ServerNode } from '../src/flow/server-node';
import { addTestRoute } from '../src/flow/test-route';
import { probe } from '../src/operations/probe';
import { Server } from '../src/server/server';

/** What a flow file holds, where anything may be missing or wrong. Numbers come from the dialog as text. */
type Definition = NodeDef & Readonly<Record<keyof typeof defaults, unknown>>;

const defaults = {
  url: 'http://localhost:9999',
  auth: 'none',
  pause: 5,
  timeout: 30,
  lookupTimeout: 90,
  backupTimeout: 3600,
} as const;

/** stash-server: the address and the key of one server, and the one connection that its users share. */
export = (RED: NodeAPI): void => {
  function StashServer(this: ServerNode, definition: Definition): void {
    RED.nodes.createNode(this, definition);
    this.url = text(definition.url ?? defaults.url);
    const { id, type, name } = this;
    const opened = open(definition, this.url, this.credentials.apiKey, (msg) => {
      // What this.debug does, but for the stack trace that it takes each time, whatever the level.
      RED.log.log({ level: RED.log.DEBUG, id, type, ...(name && { name }), msg });
    });

    this.connection = () => {
      if (opened instanceof StashError) throw opened;
      return opened;
    };
    this.on('close', (closed: () => void) => {
      if (opened instanceof StashError) closed();
      else opened.close().then(closed, closed);
    });
  }

  addTestRoute(RED, probe);
  RED.nodes.registerType<ServerNode, Definition, object, Credentials>('stash-server', StashServer, {
    credentials: { apiKey: { type: 'password' } },
  });
};

/** The connection, or why there can be none: a constructor that throws would leave no node to ask. */
function open(
  definition: Definition,
  url: string,
  apiKey: unknown,
  log: (line: string) => void,
): Server | StashError {
  try {
    return new Server({
      name: text(definition.name),
      url,
      auth: text(definition.auth ?? defaults.auth),
      apiKey: text(apiKey),
      pause: seconds(definition.pause ?? defaults.pause),
      timeout: seconds(definition.timeout ?? defaults.timeout),
      lookupTimeout: seconds(definition.lookupTimeout ?? defaults.lookupTimeout),
      backupTimeout: seconds(definition.backupTimeout ?? defaults.backupTimeout),
      log,
    });
  } catch (error) {
    if (error instanceof StashError) return error;
    throw error;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An emptied field is no number, not zero. */
function seconds(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
}
