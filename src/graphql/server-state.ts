import { StashError } from '../errors';

/**
 * Whether a server in this state may be asked to change something. One that is not set up answers a backup with a
 * null that looks like success, and one that waits for its migration dies of a scan or a generate (seen on v0.7 to
 * v0.30).
 * @param status `systemStatus.status` of the server's schema, v0.7.0 and later.
 * @throws {StashError} SERVER_STATE
 */
export function checkState(status: string, kind: 'mutation' | 'backup'): void {
  if (status === 'SETUP') throw new StashError('SERVER_STATE.setup', { retry: true });
  // A backup is what one wants before migrating.
  if (status === 'NEEDS_MIGRATION' && kind !== 'backup') {
    throw new StashError('SERVER_STATE.migration', { retry: true });
  }
}
