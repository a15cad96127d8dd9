import { aside, type Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import { folderOf, missingRow, oneOf, spelledAsIn } from '../../paths';
import type { Schema, Server } from '../../server';

/** More folders than a library has. Further folders are ignored. */
const MOST_FOLDERS = 10_000;
/** The most folders that an error lists. */
const MOST_NAMED = 50;

/** The longest quote of a path, in UTF-16 units. */
const LONGEST_QUOTE = 100;

/** The end of a name that files have, also temporary ones, and some folders. */
const FILE_ENDING = /[^/\\]\.(?=[^.]*[a-z])[a-z0-9!]{2,10}$/i;

/** What the server says of a path that is a file. */
const FILE = /not a directory|directory name is invalid/i;
/** What it says of a path that is not there. */
const MISSING = /no such file|cannot find/i;

const FOLDERS = '{ configuration { general { stashes { path } } } }';

/** A path in the library of a server, as this machine and as the server sees it. */
export interface LibraryPath {
  readonly here: string;
  readonly there: string;
}

/** Paths, all of which are in a library. */
export interface LibraryPaths {
  readonly library: Library;
  readonly paths: readonly LibraryPath[];
}

/** The library of a server, by its folders. */
export class Library {
  readonly folders: readonly string[];
  readonly #server: Server;
  /** Returns a path of the server in the spelling of the library; undefined for one outside. */
  readonly #spelled: (path: string) => string | undefined;
  readonly #isOwn: (path: string) => boolean;

  constructor(server: Server, folders: readonly string[]) {
    this.folders = folders;
    this.#server = server;
    this.#spelled = spelledAsIn(folders);
    this.#isOwn = oneOf(folders);
  }

  /** Translates paths of this machine to those of the server; undefined if one of them is not in the library. */
  resolve(given: readonly string[]): readonly LibraryPath[] | undefined {
    const paths: LibraryPath[] = [];
    for (const here of given) {
      const there = this.#spelled(this.#server.paths.toServer(here));
      if (there === undefined) return undefined;
      paths.push({ here, there });
    }
    return paths;
  }

  /**
   * Returns the parent folder of a server's path in the library if that looks like a file: a guess by its ending, which folders
   * have as well. Only `kindOnDisk` knows.
   * @returns undefined for anything else.
   */
  folderOfLikelyFile(path: string): string | undefined {
    // The folder of a path in the library is in it, too, unless the path is a folder of the library itself.
    return FILE_ENDING.test(path) && !this.#isOwn(path) ? folderOf(path) : undefined;
  }

  /**
   * Refuses paths of this machine, one of which is not in the library. The error suggests the row that the path map lacks.
   * @throws {StashError} PATH_NOT_IN_LIBRARY; SERVER_STATE if the server is not ready, because then it may report no folders.
   */
  async refuse(given: readonly string[], call: Call): Promise<never> {
    await this.#server.client.checkReady(call);
    const outside =
      given.find((path) => this.#spelled(this.#server.paths.toServer(path)) === undefined) ?? '';
    const path = this.#server.paths.toServer(outside);
    const details = {
      path: cutPath(path),
      folders: this.#server.redact(this.folders.slice(0, MOST_NAMED).join(', ')) || '–',
    };
    if (outside !== path) {
      const mapped = { ...details, given: cutPath(outside) };
      throw new StashError('PATH_NOT_IN_LIBRARY.mapped', { details: mapped });
    }
    const row = missingRow(path, this.folders);
    if (!row) throw new StashError('PATH_NOT_IN_LIBRARY.outside', { details });
    const { here, there } = row;
    throw new StashError('PATH_NOT_IN_LIBRARY.unmapped', {
      details: { ...details, here: cutPath(here), there: cutPath(this.#server.redact(there)) },
    });
  }
}

/**
 * Returns the folders of the library.
 * @param check throws if the server lacks something else.
 * @throws {StashError} UNSUPPORTED if the server does not tell them; otherwise as `Server.request`.
 */
export async function libraryFolders(
  server: Server,
  call: Call,
  check?: (schema: Schema) => void,
): Promise<string[]> {
  return await server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      check?.(schema);
      if (!schema.has('ConfigGeneralResult', 'stashes')) throw schema.lacks('configuration.general.stashes');
      return { rootField: 'configuration', document: FOLDERS, read: readFolders };
    },
  });
}

/**
 * Returns the folders in which one of these paths is a file, by the paths of the server that look like one in such a folder.
 * A folder may look like a file: only the server knows. Once it has a file in a folder, the other paths there are not requested.
 * @param kindOf requests what a path is.
 * @throws what `kindOf` throws.
 */
export async function foldersOfFiles(
  library: Library,
  paths: readonly string[],
  kindOf: (path: string) => Promise<KindOnDisk>,
): Promise<(path: string) => string | undefined> {
  const folders = new Set<string>();
  for (const path of paths) {
    const folder = library.folderOfLikelyFile(path);
    if (folder === undefined || folders.has(folder)) continue;
    if ((await kindOf(path)) === 'file') folders.add(folder);
  }
  return (path) => {
    const folder = library.folderOfLikelyFile(path);
    return folder !== undefined && folders.has(folder) ? folder : undefined;
  };
}

/** What a path is on the disk of a server; null if it is not there. */
export type KindOnDisk = 'folder' | 'file' | null;

/** Requests what a path of the server is. @throws {StashError} as `Server.request`. */
export async function kindOnDisk(server: Server, path: string, call: Call): Promise<KindOnDisk> {
  try {
    return await server.request({
      kind: 'query',
      call: aside(call),
      build: () => ({
        rootField: 'directory',
        document: 'query ($path: String) { directory(path: $path) { path } }',
        // Of a path that is no folder, the server lists the folder around it, unless the path ends with a slash.
        variables: { path: `${path}${path.startsWith('/') ? '/' : '\\'}` },
        read: () => 'folder',
      }),
    });
  } catch (error) {
    if (!(error instanceof StashError) || error.case !== 'GRAPHQL.failed') throw error;
    const text = String(error.details['text']);
    if (FILE.test(text)) return 'file';
    // Such as a folder that the server may not read.
    return MISSING.test(text) ? null : 'folder';
  }
}

function cutPath(path: string): string {
  return path.slice(0, LONGEST_QUOTE);
}

function readFolders(configuration: unknown): string[] {
  const general = isRecord(configuration) ? configuration['general'] : undefined;
  const stashes = isRecord(general) ? general['stashes'] : undefined;
  return parsed(arrayOf(hasString('path')), (folders) =>
    folders.slice(0, MOST_FOLDERS).map(({ path }) => path),
  )(stashes);
}
