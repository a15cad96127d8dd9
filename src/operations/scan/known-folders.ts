import { aside, type Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import { escaped, folderOf, insideOf } from '../../paths';
import type { Operation, Schema, Server } from '../../server';
import type { RawItem } from '../items';
import { foldersOfFiles, type KindOnDisk, kindOnDisk, type LibraryPath, type LibraryPaths } from '../library';

/** Whether the server knows each folder; a folder is missing if that is uncertain. */
export type KnownFolders = ReadonlyMap<string, boolean>;

export interface PathRequests {
  known: (folders: readonly string[]) => Promise<KnownFolders>;
  kindOf: (path: string) => Promise<KindOnDisk>;
}

/**
 * Replaces each file in a folder that the server does not know by that folder: of such a file, the server only logs that its
 * folder "doesn't exist" (seen on v0.17.2 and v0.30.1, issue 3342 of Stash).
 * @returns the paths themselves if all of them can be scanned, or if the server does not tell.
 */
export async function scannable(
  { library, paths }: LibraryPaths,
  { known, kindOf }: PathRequests,
): Promise<readonly LibraryPath[]> {
  const likely = paths.flatMap(({ there }) => {
    const folder = library.folderOfLikelyFile(there);
    return folder === undefined ? [] : [{ there, folder }];
  });
  const answers = await known([...new Set(likely.map(({ folder }) => folder))]);
  const inUnknown = likely.filter(({ folder }) => answers.get(folder) === false);
  const folderOfFile = await foldersOfFiles(
    library,
    inUnknown.map(({ there }) => there),
    kindOf,
  );
  if (!inUnknown.some(({ there }) => folderOfFile(there) !== undefined)) return paths;
  const replaced = paths.map((path): [string, LibraryPath] => {
    const folder = folderOfFile(path.there);
    return folder === undefined ? [path.there, path] : [folder, { here: folderOf(path.here), there: folder }];
  });
  return [...new Map(replaced).values()];
}

export function pathRequests(server: Server, call: Call): PathRequests {
  return {
    known: (folders) => knownFolders(server, folders, call),
    kindOf: (path) => kindOfPath(server, path, call),
  };
}

/** Requests what a path is; null if that fails, because the scan itself reports what is wrong. */
export async function kindOfPath(server: Server, path: string, call: Call): Promise<KindOnDisk> {
  try {
    return await kindOnDisk(server, path, call);
  } catch (error) {
    if (!(error instanceof StashError) || call.signal.aborted) throw error;
    return null;
  }
}

/** Requests which of its folders a server knows. */
export async function knownFolders(
  server: Server,
  folders: readonly string[],
  call: Call,
): Promise<KnownFolders> {
  const answers = new Map<string, boolean>();
  for (let start = 0; start < folders.length;) {
    try {
      const rest = folders.slice(start);
      const { requested, known, most } = await server.request({
        kind: 'query',
        call: aside(call),
        build: (schema) => operationFor(schema, rest),
      });
      for (const folder of requested) answers.set(folder, known.has(folder));
      start += requested.length;
      if (start < most) continue;
      for (const folder of folders.slice(start)) answers.set(folder, false);
      break;
    } catch (error) {
      // The scan itself reports what is wrong.
      if (!(error instanceof StashError) || call.signal.aborted) throw error;
      break;
    }
  }
  return answers;
}

/** Requests the folders themselves. */
const FOLDERS = {
  field: 'findFolders',
  /** The most folders in one request, and in all. Further ones count as unknown. */
  atOnce: 100,
  most: Infinity,
  arguments: 'folder_filter: { path: { value: $value, modifier: EQUALS } }',
  selection: 'folders { path }',
  valueOf: (folder: string) => folder,
  // EQUALS takes `_` and `%` for wildcards.
  isKnown: (folder: string, { folders: found }: RawItem) =>
    parsed(arrayOf(hasString('path')), (all) => insideOf(all.map(({ path }) => path))(folder))(found),
};

/**
 * Requests a scene in each folder, before v0.29, where the server reads the paths of all scenes for each. A folder without one counts
 * as unknown: it is scanned as a whole.
 */
const SCENES: typeof FOLDERS = {
  field: 'findScenes',
  atOnce: 20,
  most: 200,
  arguments: 'scene_filter: { path: { value: $value, modifier: MATCHES_REGEX } }',
  selection: 'count',
  valueOf: (folder) => `^${escaped(folder.replace(/[/\\]$/, ''))}[/\\\\][^/\\\\]+$`,
  isKnown: (_, { count }) =>
    parsed(
      (one): one is number => typeof one === 'number',
      (scenes) => scenes > 0,
    )(count),
};

/** Builds the request of which of the first of these folders a server knows. */
function operationFor(
  schema: Schema,
  folders: readonly string[],
): Operation<{ requested: readonly string[]; known: ReadonlySet<string>; most: number }> {
  // Before v0.17, a scan needs no folder.
  if (!schema.has('Scene', 'files')) throw schema.lacks('findFolders', 'v0.29.0');
  const { field, atOnce, most, selection, valueOf, isKnown, ...given } = schema.has('Query', 'findFolders')
    ? FOLDERS
    : SCENES;
  const requested = folders.slice(0, atOnce);
  const variables = requested.map((_, index) => `$folder${index}: String!`).join(', ');
  const fields = requested.map((_, index) => {
    const filter = given.arguments.replace('$value', `$folder${index}`);
    return `folder${index}: ${field}(${filter}, filter: { per_page: 25 }) { ${selection} }`;
  });
  return {
    rootField: field,
    document: `query (${variables}) { ${fields.join(' ')} }`,
    variables: Object.fromEntries(requested.map((folder, index) => [`folder${index}`, valueOf(folder)])),
    isWhole: true,
    read: parsed(isRecord, (answers) => {
      const known = requested.filter((folder, index) =>
        parsed(isRecord, (answer) => isKnown(folder, answer))(answers[`folder${index}`]),
      );
      return { requested, known: new Set(known), most };
    }),
  };
}
