import { StashError } from '../errors';
import { hasString, parsed } from '../guards';
import type { Operation } from './operation';
import type { Schema } from './schema';

/** `OK`, `SETUP` or `NEEDS_MIGRATION`. */
export const SERVER_STATE: Operation<string> = {
  rootField: 'systemStatus',
  document: '{ systemStatus { status } }',
  read: parsed(hasString('status'), ({ status }) => status),
};

/** Every release reports its state. */
export function offersState(schema: Schema | undefined): boolean {
  return schema?.has('Query', SERVER_STATE.rootField) ?? false;
}

/**
 * Checks whether a server in this state may run a mutation. Before its setup, a server responds to a backup with null, which
 * looks like success. If it needs a migration, a scan or a generate task crashes it (seen on v0.8 to v0.30).
 * @param status `systemStatus.status` of the server's schema.
 * @param runsBeforeMigration whether the migration need not come first.
 * @throws {StashError} SERVER_STATE
 */
export function checkState(status: string, runsBeforeMigration: boolean): void {
  if (status === 'SETUP') throw new StashError('SERVER_STATE.setup', { retry: true });
  if (status === 'NEEDS_MIGRATION' && !runsBeforeMigration) {
    throw new StashError('SERVER_STATE.migration', { retry: true });
  }
}
