import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, hasString, isRecord, parsed } from '../guards';
import { containingOf, insideOf, patternBelow } from '../paths';
import type { Schema, Server } from '../server';
import { pathOf, selectionOfPath } from './item-paths';
import { libraryFolders } from './library';

/** How many of the oldest and of the newest items of each kind to look at. */
const SAMPLE = 20;
/** The longest quote of a folder, in UTF-16 units. */
const LONGEST_QUOTE = 100;

/** An item that the library holds in a folder. */
interface Sample {
  kind: 'scene' | 'image';
  id: string;
  /** The path of its first file, which the server reads. */
  path: string | null;
  /** The size of that file in bytes, for a scene; null if the server does not tell. */
  size: number | null;
}

/**
 * Refuses to clean while a folder of the library has none of the files that the library holds in it, as when a disk is not
 * mounted: the server would remove all of them, and says nothing about it (seen on v0.11 to v0.30).
 *
 * The server lists folders, but no files, and the folders of a disk may be there without it. So a folder counts as there if the
 * server can read one of the oldest or newest files that the library holds in it.
 * @param paths the folders to clean; undefined for the whole library.
 * @param check throws if the server lacks something else. It runs before anything is sent.
 * @throws {StashError} SERVER_STATE for such a folder, or for a library without folders, from which all would be removed; as
 * `libraryFolders` and `Server.request` if the server does not tell.
 */
export async function checkLibraryIsThere(
  server: Server,
  paths: readonly string[] | undefined,
  check: (schema: Schema) => void,
  call: Call,
): Promise<void> {
  const folders = await libraryFolders(server, call, check);
  if (folders.length === 0) throw new StashError('SERVER_STATE.noFolders', { retry: true });
  const isInPath = insideOf(paths ?? []);
  const hasPath = containingOf(paths ?? []);
  for (const folder of folders) {
    if (paths && !isInPath(folder) && !hasPath(folder)) continue;
    if (await isThere(server, folder, call)) continue;
    const shown = server.redact(folder).slice(0, LONGEST_QUOTE);
    throw new StashError('SERVER_STATE.folderEmpty', { retry: true, details: { folder: shown } });
  }
}

/** Returns whether the server can read one of the files in a folder, or the library holds none there. */
async function isThere(server: Server, folder: string, call: Call): Promise<boolean> {
  const pattern = patternBelow(folder);
  // The server knows what a relative path means; nobody else does.
  if (pattern === undefined) return false;
  const samples = await samplesBelow(server, pattern, call);
  if (samples.length === 0) return true;
  const isIn = insideOf([folder]);
  for (const { kind, id, path, size } of samples) {
    // An item may have further files elsewhere.
    if (path === null || !isIn(path)) continue;
    const found = await server.fileSize(kind, id, call);
    if (found !== null && (size === null || found === size)) return true;
  }
  return false;
}

/** Returns the oldest and the newest scenes and images with a file below a folder, in turns, so that the first are of each. */
async function samplesBelow(server: Server, pattern: string, call: Call): Promise<Sample[]> {
  const lists = await server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      for (const type of ['SceneFilterType', 'ImageFilterType']) {
        if (!schema.has(type, 'path')) throw schema.lacks(`${type}.path`, null);
      }
      const size = schema.has('Scene', 'files') ? 'files { path size }' : 'path file { size }';
      const scenes = `scenes { id ${size} }`;
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
          path: { value: pattern, modifier: 'MATCHES_REGEX' },
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
    all.map((item) => ({ kind, id: item.id, path: pathOf(item), size: sizeOf(item) })),
  )(items);
}

/** Returns the size of an item's first file: a number, or a text before v0.17. */
function sizeOf({ files, file }: Readonly<Record<string, unknown>>): number | null {
  const [first] = [files, file].flat().filter(isRecord);
  const size = Number(first?.['size'] ?? NaN);
  return Number.isNaN(size) ? null : size;
}
