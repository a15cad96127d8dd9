import nodePath from 'node:path';
import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, hasString, isRecord, parsed } from '../guards';
import type { Schema, Server } from '../server';

/** More than a library has; those that come after them are not looked at. */
const MOST_FOLDERS = 10_000;
/** How many of them an error names at most. */
const MOST_NAMED = 50;

/** Longer than a path can be on any system, in UTF-16 units. */
const LONGEST_PATH = 32_768;

const FOLDERS = '{ configuration { general { stashes { path } } } }';

/**
 * Checks that paths are in the library before a job is started for them: the server drops one that is not with no
 * more than a line in its log, and tells the job as FINISHED (seen on v0.7 to v0.30).
 * @param requireAll throws where the server lacks something that the job needs, so that nothing is asked for nothing.
 * @throws {StashError} PATH_NOT_IN_LIBRARY; SERVER_STATE where the server is not ready, as one that is not set up has no folders;
 * UNSUPPORTED where folders are not told.
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

/**
 * Finds out whether a path on the server's machine, which may be a Windows machine, is one of these folders or something in
 * one of them, in a time that hardly grows with their number.
 */
export function insideOf(folders: readonly string[]): (one: string) => boolean {
  const ends = [...new Set(folders.map(directoryPath).filter((end) => end !== ''))].sort();
  // In their order a folder stands right before all that is in it.
  const outer: string[] = [];
  for (const end of ends) {
    const last = outer.at(-1);
    if (last === undefined || !end.startsWith(last)) outer.push(end);
  }
  return (one) => {
    const whole = directoryPath(one);
    let [low, high] = [0, outer.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((outer[middle] ?? '') <= whole) low = middle + 1;
      else high = middle;
    }
    const nearest = outer[low - 1];
    return nearest !== undefined && whole.startsWith(nearest);
  };
}

/**
 * An absolute path as all that is in it begins; one of Windows in small letters, as these make no difference there. Empty for
 * a path that is not absolute, or too long to be one.
 */
function directoryPath(path: string): string {
  if (path.length > LONGEST_PATH) return '';
  const isWindows = /^([a-z]:|\\)/i.test(path);
  const system = isWindows ? nodePath.win32 : nodePath.posix;
  if (!system.isAbsolute(path)) return '';
  const whole = system.normalize(path + system.sep);
  return isWindows ? whole.toLowerCase() : whole;
}
