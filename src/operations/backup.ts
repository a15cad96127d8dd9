import { StashError } from '../errors';
import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isText, nullOr, shaped } from '../server/shape';

export interface Backup {
  operation: string;
  /** How long the server took. */
  seconds: number;
  /** Where the backup can be fetched, on the configured address; null where the server keeps it on its own disk. */
  link: string | null;
}

/** Makes the server back its database up; the server answers when that is done. */
export async function backup(
  server: Server,
  { download }: { download: boolean },
  call: Call,
): Promise<Backup> {
  const operation = 'backupDatabase';
  const start = performance.now();
  const answer = await server.request({
    kind: 'backup',
    call,
    ask: (schema) => {
      if (!schema.has('Mutation', operation)) throw schema.lacks(operation, 'v0.5.0');
      return {
        operation,
        document: 'mutation ($input: BackupDatabaseInput!) { backupDatabase(input: $input) }',
        variables: { input: { download } },
        read: shaped(nullOr(isText), (link) => link),
      };
    },
  });
  const seconds = Math.round(performance.now() - start) / 1000;
  if (!download) return { operation, seconds, link: null };

  const link = server.downloadLink(answer ?? '');
  if (link === undefined) throw new StashError('BACKUP_INVALID.noLink');
  return { operation, seconds, link };
}
