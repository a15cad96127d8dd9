import type { NodeAPI } from 'node-red';
import { serverDefaults } from '../contract/server';
import { numberIn, textIn } from '../contract/values';
import type { ServerOptions } from '../server';

/** The properties of a stash-server node, any of which may be missing or wrong. The dialog saves numbers as text. */
export type ServerProperties = Readonly<Partial<Record<'name' | keyof typeof serverDefaults, unknown>>>;

/** Returns the options of a server that do not belong to its connection. */
export function settingsOf(RED: NodeAPI, properties: ServerProperties) {
  const number = (name: 'pause' | 'retryFor' | 'timeout' | 'lookupTimeout' | 'backupTimeout') =>
    numberIn(properties[name] ?? serverDefaults[name]);
  return {
    name: textIn(properties.name),
    pause: number('pause'),
    retryFor: number('retryFor') * 60,
    maxQueued: maxQueued(RED),
    timeout: number('timeout'),
    lookupTimeout: number('lookupTimeout'),
    backupTimeout: number('backupTimeout'),
  } satisfies Partial<ServerOptions>;
}

/** Returns the limit of settings.js for queued messages, like the core nodes, but never none. */
function maxQueued(RED: NodeAPI): number | undefined {
  const { nodeMessageBufferMaxLength: most } = RED.settings as { nodeMessageBufferMaxLength?: unknown };
  return typeof most === 'number' && most > 0 ? most : undefined;
}
