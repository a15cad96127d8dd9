import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, hasString, isRecord, isString, parsed } from '../guards';
import { insideOf, oneOf } from '../paths';
import type { Schema, Server } from '../server';
import { pathOf, selectionOfPath } from './item-paths';
import { libraryFolders } from './library';

/** How many of the oldest and of the newest items of each kind to look at. */
const SAMPLE = 20;
/** How many of their files to request. */
const MOST_READ = 10;
/** The longest quote of a folder, in UTF-16 units. */
const LONGEST_QUOTE = 100;

/** An item that the library holds in a folder. */
interface Sample {
  kind: 'scene' | 'image';
  id: string;
  path: string;
}

/**
 * Refuses to clean while a folder of the library is missing for the server, or has none of the files that the library holds in
 * it, as when a disk is not mounted: the server would remove all of them, and says nothing about it (seen on v0.11 to v0.30).
 *
 * The server lists folders, but no files, and no links to folders. So a folder counts as there if it has a folder in which the
 * library holds one of the oldest or newest files, or if the server can read one of these files.
 * @param paths the folders to clean; undefined for the whole library.
 * @param check throws if the server lacks something else. It runs before anything is sent.
 * @throws {StashError} SERVER_STATE for such a folder; as `libraryFolders` and `Server.request` if the server does not tell.
 */
export async function checkLibraryIsThere(
  server: Server,
  paths: readonly string[] | undefined,
  check: (schema: Schema) => void,
  call: Call,
): Promise<void> {
  for (const folder of await libraryFolders(server, call, check)) {
    const isAffected = insideOf([folder]);
    const contains = paths && insideOf(paths);
    if (paths && !paths.some(isAffected) && !contains?.(folder)) continue;
    if (await isGone(server, folder, call)) {
      const shown = server.redact(folder).slice(0, LONGEST_QUOTE);
      throw new StashError('SERVER_STATE.folderEmpty', { retry: true, details: { folder: shown } });
    }
  }
}

async function isGone(server: Server, folder: string, call: Call): Promise<boolean> {
  const isIn = insideOf([folder]);
  const samples = (await samplesIn(server, folder, call)).filter(({ path }) => isIn(path));
  if (samples.length === 0) return false;
  const folders = await foldersIn(server, folder, call);
  if (!folders) return true;
  const isFolder = oneOf([folder]);
  const isInFolder = insideOf(folders.filter((one) => isIn(one) && !isFolder(one)));
  if (samples.some(({ path }) => isInFolder(path))) return false;
  for (const { kind, id } of samples.slice(0, MOST_READ)) {
    if (await server.canRead(kind, id, call)) return false;
  }
  return true;
}

/**
 * Lists the folders in a folder; undefined if it is missing for the server. Of a path without a slash at its end, a server would
 * list the folders beside it instead of an error.
 */
async function foldersIn(server: Server, folder: string, call: Call): Promise<string[] | undefined> {
  const separator = separatorOf(folder);
  try {
    return await server.request({
      kind: 'query',
      call: aside(call),
      build: (schema) => {
        if (!schema.has('Query', 'directory')) throw schema.lacks('directory', 'v0.2.0');
        return {
          rootField: 'directory',
          document: 'query ($path: String!) { directory(path: $path) { directories } }',
          variables: { path: folder.endsWith(separator) ? folder : folder + separator },
          read: parsed(isDirectory, ({ directories }) => directories),
        };
      },
    });
  } catch (error) {
    if (error instanceof StashError && error.case === 'GRAPHQL.failed') return undefined;
    throw error;
  }
}

/** Returns the oldest and the newest scenes and images below a folder, in turns, so that the first of them are of each. */
async function samplesIn(server: Server, folder: string, call: Call): Promise<Sample[]> {
  const value = `^${folder.replace(/[/\\]$/, '').replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}[/\\\\]`;
  const lists = await server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      for (const type of ['SceneFilterType', 'ImageFilterType']) {
        if (!schema.has(type, 'path')) throw schema.lacks(`${type}.path`, null);
      }
      const scenes = `scenes { id ${selectionOfPath(schema, 'Scene')} }`;
      const images = `images { id ${selectionOfPath(schema, 'Image')} }`;
      return {
        rootField: 'findScenes',
        document:
          'query ($path: StringCriterionInput!, $oldest: FindFilterType!, $newest: FindFilterType!) { ' +
          `oldScenes: findScenes(scene_filter: { path: $path }, filter: $oldest) { ${scenes} } ` +
          `newScenes: findScenes(scene_filter: { path: $path }, filter: $newest) { ${scenes} } ` +
          `oldImages: findImages(image_filter: { path: $path }, filter: $oldest) { ${images} } ` +
          `newImages: findImages(image_filter: { path: $path }, filter: $newest) { ${images} } }`,
        variables: {
          path: { value, modifier: 'MATCHES_REGEX' },
          oldest: { sort: 'id', direction: 'ASC', per_page: SAMPLE },
          newest: { sort: 'id', direction: 'DESC', per_page: SAMPLE },
        },
        isWhole: true,
        read: parsed(isRecord, ({ oldScenes, newScenes, oldImages, newImages }) => [
          readSamples('scene', oldScenes),
          readSamples('scene', newScenes),
          readSamples('image', oldImages),
          readSamples('image', newImages),
        ]),
      };
    },
  });
  return Array.from({ length: SAMPLE }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

function readSamples(kind: Sample['kind'], result: unknown): Sample[] {
  const items = isRecord(result) ? result[`${kind}s`] : undefined;
  return parsed(arrayOf(hasString('id')), (all) =>
    all.slice(0, SAMPLE).flatMap((item) => {
      const path = pathOf(item);
      return path === null ? [] : [{ kind, id: item.id, path }];
    }),
  )(items);
}

function isDirectory(value: unknown): value is { directories: string[] } {
  return isRecord(value) && arrayOf(isString)(value['directories']);
}

/** Returns the character that a path of the server's system has between its names. */
function separatorOf(path: string): string {
  return path.includes('/') ? '/' : '\\';
}
