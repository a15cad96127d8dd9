import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, hasString, isRecord, parsed } from '../guards';
import type { Schema, Server } from '../server';
import { insideOf } from './server-path';

/** More folders than a library has. Further folders are ignored. */
const MOST_FOLDERS = 10_000;
/** The most folders that an error lists. */
const MOST_NAMED = 50;

const FOLDERS = '{ configuration { general { stashes { path } } } }';

/**
 * Checks that paths are in the library before a job is started for them. The server only logs a path outside it, and
 * reports the job as FINISHED (seen on v0.7 to v0.30).
 * @param requireAll throws if the server lacks something that the job needs. It runs before anything is sent.
 * @throws {StashError} PATH_NOT_IN_LIBRARY; SERVER_STATE if the server is not ready, because then it may report no folders;
 * UNSUPPORTED if the server does not list its folders (before v0.4.0); otherwise as `Server.request`.
 */
export async function checkPaths(
  server: Server,
  paths: readonly string[],
  requireAll: (schema: Schema) => void,
  call: Call,
): Promise<void> {
  const folders = await server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      requireAll(schema);
      if (!schema.has('ConfigGeneralResult', 'stashes')) {
        throw schema.lacks('configuration.general.stashes', 'v0.4.0');
      }
      return { rootField: 'configuration', document: FOLDERS, read: readFolders };
    },
  });
  const isInLibrary = insideOf(folders);
  const outside = paths.find((one) => !isInLibrary(one));
  if (outside === undefined) return;
  await server.checkReady(call);
  throw new StashError('PATH_NOT_IN_LIBRARY.outside', {
    details: {
      path: outside.slice(0, 100),
      folders: server.redact(folders.slice(0, MOST_NAMED).join(', ')) || '–',
    },
  });
}

function readFolders(configuration: unknown): string[] {
  const general = isRecord(configuration) ? configuration['general'] : undefined;
  const stashes = isRecord(general) ? general['stashes'] : undefined;
  return parsed(arrayOf(hasString('path')), (folders) =>
    folders.slice(0, MOST_FOLDERS).map(({ path }) => path),
  )(stashes);
}
