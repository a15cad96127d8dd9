import { aside, type Call } from '../call';
import { StashError } from '../errors';
import { arrayOf, hasString, isRecord, parsed } from '../guards';
import { branchOf, containingOf, insideOf, oneOf, patternBelow } from '../paths';
import type { Schema, Server } from '../server';
import { pathOf, selectionOfPath } from './item-paths';
import { libraryFolders } from './library';

/**
 * Which scenes and images of a folder to check. At random, more are of the subfolders that have more. The seed is always the
 * same, so that the same library gives the same answer.
 */
const SELECTIONS = {
  oldest: { sort: 'id', direction: 'ASC', per_page: 20 },
  newest: { sort: 'id', direction: 'DESC', per_page: 20 },
  random: { sort: 'random_20130117', direction: 'ASC', per_page: 100 },
} as const;
/** How many branches of a folder to check. */
const MOST_BRANCHES = 20;
/** How many files of a folder to request. */
const MOST_FILES = 60;
/** So many missing files, and none that is there, tell of a missing drive; one may be a film that was deleted. */
const SUSPICIOUS = 2;
/** What the server says of a folder that does not exist, or that is an archive. */
const NO_FOLDER = /no such file|not a directory|cannot find|directory name is invalid/i;
/** The longest quote of a folder, in UTF-16 units. */
const LONGEST_QUOTE = 100;

/** An item that the library has in a folder. */
interface Sample {
  kind: 'scene' | 'image';
  id: string;
  /** The path of its first file, which the server provides. */
  path: string | null;
  /** The size of that file in bytes; null if the server does not report it. */
  size: number | null;
}

/** A folder of the library, without the library folders in it. */
interface Folder {
  path: string;
  inner: readonly string[];
  /** Whether the clean affects a folder in it. */
  isAffected: (folder: string) => boolean;
}

/**
 * Refuses to clean while files of the library seem to be missing because a disk is not mounted: the server would remove all of
 * them, and says nothing about it (seen on v0.11 to v0.30).
 *
 * The server lists folders, but no files, and the folders of a disk may be there without it. So the check requests files.
 * @param paths the folders to clean; undefined for the whole library.
 * @param check throws if the server lacks something else. It runs before anything is sent.
 * @throws {StashError} SERVER_STATE for a folder that seems to be missing, or for a library without folders, from which all
 * would be removed; as `libraryFolders`, `Server.request` and `Server.findFile` if the server does not respond.
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
  const isAffected = (folder: string) => !paths || isInPath(folder) || hasPath(folder);
  for (const path of folders.filter(isAffected)) {
    const [isIn, isSame] = [insideOf([path]), oneOf([path])];
    const inner = folders.filter((folder) => isIn(folder) && !isSame(folder));
    // The paths may all be in library folders inside it.
    const isInInner = insideOf(inner);
    if (paths && !isInPath(path) && paths.every((each) => !isIn(each) || isInInner(each))) continue;
    const missing = await missingFolder(server, { path, inner, isAffected }, call);
    if (missing === undefined) continue;
    const which = missing === path ? 'folderEmpty' : 'subfolderEmpty';
    const folder = server.redact(missing).slice(0, LONGEST_QUOTE);
    throw new StashError(`SERVER_STATE.${which}`, { retry: true, details: { folder } });
  }
}

/**
 * Returns the folder if it seems to be missing, or a subfolder whose drive seems to be; undefined if there is nothing to lose.
 *
 * The files directly in a folder are on its own disk, and those of each subfolder may be on another one. A subfolder that is
 * there without its files is taken for the place of a missing drive, and one that does not exist for deleted. But if more of
 * them are missing than there, the others may be drives whose places are in a missing folder.
 */
async function missingFolder(server: Server, folder: Folder, call: Call): Promise<string | undefined> {
  const pattern = patternBelow(folder.path);
  // The server knows what a relative path means; nobody else does.
  if (pattern === undefined) return folder.path;
  const branches = branchesOf(folder, await samplesBelow(server, pattern, folder, call));
  if (branches.length === 0) return undefined;
  const most = Math.ceil(MOST_FILES / branches.length);
  let found = 0;
  let missing = 0;
  let isFolderFound = false;
  const suspicious: string[] = [];
  for (const [branch, samples] of branches) {
    const count = await countMissing(server, samples.slice(0, most), call);
    if (count === undefined) found += 1;
    else if (count > 0) missing += 1;
    if (branch === folder.path) isFolderFound = count === undefined;
    else if (count !== undefined && count >= SUSPICIOUS) suspicious.push(branch);
  }
  if (found === 0) return folder.path;
  for (const branch of suspicious) {
    if (folder.isAffected(branch) && (await isFolder(server, branch, call))) return branch;
  }
  return isFolderFound || missing <= found ? undefined : folder.path;
}

/** Returns the subfolders, and the folder itself, in which most samples are, with these. */
function branchesOf({ path, inner }: Folder, samples: readonly Sample[]): (readonly [string, Sample[]])[] {
  const [isIn, isInInner] = [insideOf([path]), insideOf(inner)];
  const branches = new Map<string, Sample[]>();
  for (const sample of samples) {
    // An item may have further files here. It is not lost with them.
    if (sample.path === null || !isIn(sample.path) || isInInner(sample.path)) continue;
    const branch = branchOf(path, sample.path);
    branches.set(branch, [...(branches.get(branch) ?? []), sample]);
  }
  return [...branches].sort(([, one], [, other]) => other.length - one.length).slice(0, MOST_BRANCHES);
}

/** Returns how many of the files are missing; undefined if one of them is there. */
async function countMissing(
  server: Server,
  samples: readonly Sample[],
  call: Call,
): Promise<number | undefined> {
  let count = 0;
  for (const { kind, id, size } of samples) {
    const state = size === null ? 'unknown' : await server.findFile(kind, id, size, call);
    if (state === 'found') return undefined;
    if (state === 'missing') count += 1;
  }
  return count;
}

/** Returns whether the server has a folder. Before v0.8, it reports no error for a missing one, which counts as there. */
async function isFolder(server: Server, folder: string, call: Call): Promise<boolean> {
  try {
    return await server.request({
      kind: 'query',
      call: aside(call),
      build: () => ({
        rootField: 'directory',
        document: 'query ($path: String) { directory(path: $path) { path } }',
        // Of a missing folder without a slash, the server lists the neighbours.
        variables: { path: `${folder}${folder.startsWith('/') ? '/' : '\\'}` },
        read: () => true,
      }),
    });
  } catch (error) {
    if (!(error instanceof StashError) || error.case !== 'GRAPHQL.failed') throw error;
    return !NO_FOLDER.test(String(error.details['text']));
  }
}

/** Returns scenes and images with a file in a folder, each once and the kinds in turns. */
async function samplesBelow(
  server: Server,
  pattern: string,
  { inner }: Folder,
  call: Call,
): Promise<Sample[]> {
  const matching = (value: string) => ({ path: { value, modifier: 'MATCHES_REGEX' } });
  const excluded = inner.flatMap((folder) => patternBelow(folder) ?? []).join('|');
  const filter = { ...matching(pattern), ...(excluded !== '' && { NOT: matching(excluded) }) };
  const names = Object.keys(SELECTIONS);
  const lists = await server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      for (const type of ['SceneFilterType', 'ImageFilterType']) {
        for (const field of Object.keys(filter)) {
          if (!schema.has(type, field)) throw schema.lacks(`${type}.${field}`, null);
        }
      }
      const scenes = `scenes { id ${selectionOfPath(schema, 'Scene', 'size')} }`;
      const images = `images { id ${selectionOfPath(schema, 'Image', 'size')} }`;
      const fields = names.flatMap((name) => [
        `${name}Scenes: findScenes(scene_filter: $scenes, filter: $${name}) { ${scenes} }`,
        `${name}Images: findImages(image_filter: $images, filter: $${name}) { ${images} }`,
      ]);
      const variables = names.map((name) => `$${name}: FindFilterType!`).join(', ');
      return {
        rootField: 'findScenes',
        document: `query ($scenes: SceneFilterType!, $images: ImageFilterType!, ${variables}) { ${fields.join(' ')} }`,
        variables: { scenes: filter, images: filter, ...SELECTIONS },
        isWhole: true,
        read: parsed(isRecord, (data) =>
          names.flatMap((name) => [
            readSamples('scene', data[`${name}Scenes`]),
            readSamples('image', data[`${name}Images`]),
          ]),
        ),
      };
    },
  });
  const longest = Math.max(...lists.map(({ length }) => length));
  const inTurns = Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? []));
  return [...new Map(inTurns.flat().map((sample) => [`${sample.kind} ${sample.id}`, sample])).values()];
}

function readSamples(kind: Sample['kind'], result: unknown): Sample[] {
  const items = isRecord(result) ? result[`${kind}s`] : undefined;
  return parsed(arrayOf(hasString('id')), (all) =>
    all.map((item) => ({ kind, id: item.id, path: pathOf(item), size: sizeOf(item) })),
  )(items);
}

/** Returns the size of an item's first file: a number, or a text before v0.17. */
function sizeOf({ visual_files, files, file }: Readonly<Record<string, unknown>>): number | null {
  const [first] = [visual_files, files, file].flat().filter(isRecord);
  const size = Number(first?.['size'] ?? NaN);
  return Number.isNaN(size) ? null : size;
}
