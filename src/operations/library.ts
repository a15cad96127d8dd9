import path from 'node:path';
import { StashError } from '../errors';
import type { Call } from '../server/call';
import type { Schema } from '../server/schema';
import type { Server } from '../server/server';
import { isRecord, listOf, shaped, withText } from '../server/shape';

const FOLDERS = '{ configuration { general { stashes { path } } } }';

/**
 * Checks that paths are in the library before a job is started for them: the server drops one that is not with no
 * more than a line in its log, and tells the job as FINISHED (seen on v0.7 to v0.30).
 * @param requireAll throws where the server lacks something that the job needs, so that nothing is asked for nothing.
 * @throws {StashError} PATH_NOT_IN_LIBRARY, or UNSUPPORTED where folders are not told.
 */
export async function checkPaths(
  server: Server,
  paths: readonly string[],
  requireAll: (schema: Schema) => void,
  call: Call,
): Promise<void> {
  const folders = await server.request({
    kind: 'query',
    call,
    ask: (schema) => {
      requireAll(schema);
      if (!schema.has('ConfigGeneralResult', 'stashes')) {
        throw schema.lacks('configuration.general.stashes', 'v0.4.0');
      }
      return { operation: 'configuration', document: FOLDERS, read: readFolders };
    },
  });
  const outside = paths.find((one) => !folders.some((folder) => isInside(one, folder)));
  if (outside === undefined) return;
  throw new StashError('PATH_NOT_IN_LIBRARY.outside', {
    details: { path: outside.slice(0, 100), folders: folders.join(', ').slice(0, 300) || '–' },
  });
}

function readFolders(configuration: unknown): string[] {
  const general = isRecord(configuration) ? configuration['general'] : undefined;
  const stashes = isRecord(general) ? general['stashes'] : undefined;
  return shaped(listOf(withText('path')), (folders) => folders.map(({ path }) => path))(stashes);
}

/** Whether a path on the server's machine, which may be a Windows machine, is a folder or something in it. */
export function isInside(one: string, folder: string): boolean {
  const system = /^([a-z]:|\\)/i.test(folder) ? path.win32 : path.posix;
  const way = system.relative(folder, one);
  const leavesIt = way === '..' || way.startsWith(`..${system.sep}`) || system.isAbsolute(way);
  return system.isAbsolute(one) && !leavesIt;
}
