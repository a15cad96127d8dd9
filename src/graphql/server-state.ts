import { StashError } from '../errors';
import { hasString, parsed } from '../guards';
import type { Operation } from './operation';
import type { Schema } from './schema';

/** Asks for the server's state: `OK`, `SETUP` or `NEEDS_MIGRATION`. */
export const SERVER_STATE: Operation<string> = {
  rootField: 'systemStatus',
  document: '{ systemStatus { status } }',
  read: parsed(hasString('status'), ({ status }) => status),
};

/** Whether a server tells its state. Before v0.7.0 it does not: a server that responds is ready. */
export function offersState(schema: Schema): boolean {
  return schema.has('Query', SERVER_STATE.rootField);
}

