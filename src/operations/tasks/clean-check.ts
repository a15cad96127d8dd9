import { aside, type Call } from '../../call';
import { StashError } from '../../errors';
import { arrayOf, hasString, isRecord, parsed } from '../../guards';
import { subfolderOf, containingOf, folderOf, insideOf, oneOf, patternBelow } from '../../paths';
import type { Schema, Server } from '../../server';
import { inFirstFile, pathOf, selectItem } from '../items';
import { kindOnDisk, libraryFolders } from '../library';

/**
 * Which scenes and images of a folder to check. At random, more are of the subfolders that have more. The seed is always the
 * same, so that the same library gives the same answer.
 */
const SELECTIONS = {
  oldest: { sort: 'id', direction: 'ASC', per_page: 20 },
  newest: { sort: 'id', direction: 'DESC', per_page: 20 },
  random: { sort: 'random_20130117', direction: 'ASC', per_page: 100 },
} as const;
/** How many subfolders of a folder to check, the folder itself among them. */
const MOST_SUBFOLDERS = 20;
/** How many files of a folder to request. */
const MOST_FILES = 60;
/** So many files without one that is there tell of a missing drive. A single one may be a film that was deleted. */
const SUSPICIOUS = 2;
/** The name of an archive, which is on the disk of the folder around it. */
const ARCHIVE = /\.(zip|cbz)$/i;
/** What follows the name of an archive in the path of an image in it: a slash, before v0.17 a zero. */
const IN_ARCHIVE = /(?<=\.(?:zip|cbz))[/\\\0].*$/is;
/** The longest quote of a folder, in UTF-16 units. */
const LONGEST_QUOTE = 100;

/** An item that the library has in a folder. */
interface Sample {
  kind: 'scene' | 'image';
  id: string;
  /** The path of its first file, which the server provides. */
  path: string;
  /** The size of that file in bytes; null if the server does not report it. */
  size: number | null;
}

/**
 * Refuses to clean while files of the library seem to be missing because a disk is not mounted: the server would remove all of
 * them, and says nothing about it (seen on v0.11 to v0.30).
 *
 * The server lists folders, but no files, and the folders of a disk may be there without it. So the check requests files.
 * @param paths the folders to clean; undefined for the whole library.
 * @param check throws if the server lacks something else. It runs before anything is sent.
 * @throws {StashError} SERVER_STATE for a folder that seems to be missing, or for a library without folders, from which all
 * would be removed; as `libraryFolders`, `Server.request` and `Media.findFile` if the server does not respond.
 */
export async function checkLibraryIsThere(
  server: Server,
  paths: readonly string[] | undefined,
  check: (schema: Schema) => void,
  call: Call,
): Promise<void> {
  const folders = await libraryFolders(server, call, check);
  if (folders.length === 0) throw new StashError('SERVER_STATE.noFolders', { retry: true });
  // The server compares paths by SQL's LIKE, which ignores case and has wildcards.
  const isWhole = !paths || paths.some((path) => /[%_]/.test(path));
  const given = (paths ?? []).map((path) => path.toLowerCase());
  const [isInPath, hasPath] = [insideOf(given), containingOf(given)];
  const isCleaned = (folder: string) => isWhole || isInPath(folder.toLowerCase());
  const isAffected = (folder: string) => isCleaned(folder) || hasPath(folder.toLowerCase());
  const isOwn = oneOf(folders);
  for (const path of [...folders.filter(isCleaned), ...(paths ?? []).filter((path) => !isOwn(path))]) {
    const missing = await missingFolder(server, path, { folders, isAffected }, call);
    if (missing === undefined) continue;
    const which = folders.includes(missing) ? 'folderEmpty' : 'subfolderEmpty';
    const folder = server.redact(missing).slice(0, LONGEST_QUOTE);
    throw new StashError(`SERVER_STATE.${which}`, { retry: true, details: { folder } });
  }
}

/**
 * Returns the folder if it seems to be missing, or a folder in it or around it whose drive seems to be; undefined if there is
 * nothing to lose.
 *
 * The files directly in a folder are on its own disk, and those of each subfolder may be on another one. A folder that is there
 * without the files directly in it is taken for the place of a missing drive, and a subfolder that does not exist for deleted.
 * But if more is missing than is there, what is there may be on drives whose places are in a missing folder. Then the folders
 * around it decide, up to the library folder.
 */
async function missingFolder(
  server: Server,
  path: string,
  scope: {
    readonly folders: readonly string[];
    /** Whether the clean affects a folder, or one in it. */
    readonly isAffected: (folder: string) => boolean;
  },
  call: Call,
): Promise<string | undefined> {
  const pattern = patternBelow(path);
  // The server knows what a relative path means; nobody else does.
  if (pattern === undefined) return path;
  const [isIn, isSame] = [insideOf([path]), oneOf([path])];
  const inner = scope.folders.filter((folder) => isIn(folder) && !isSame(folder));
  const subfolders = subfoldersOf(path, await samplesBelow(server, path, pattern, inner, call));
  if (subfolders.size === 0) return undefined;
  const found = await subfoldersFound(server, subfolders, call);
  const isEmptied = async ([subfolder, samples]: readonly [string, readonly Sample[]]) =>
    filesOf(samples).size >= SUSPICIOUS && (await kindOnDisk(server, subfolder, call)) === 'folder';
  const isBelowLibrary = insideOf(scope.folders)(path) && !oneOf(scope.folders)(path);
  if (found.size === 0) {
    if (!isBelowLibrary || (await isEmptied([path, [...subfolders.values()].flat()]))) return path;
  } else {
    for (const entry of subfolders) {
      const [subfolder] = entry;
      if (!found.has(subfolder) && scope.isAffected(subfolder) && (await isEmptied(entry))) return subfolder;
    }
  }
  if (found.has(path) || isMostlyThere(subfolders, found)) return undefined;
  return isBelowLibrary ? await missingFolder(server, folderOf(path), scope, call) : path;
}

/** Returns the paths of the files in which samples are, each once: an archive is one. */
function filesOf(samples: readonly Sample[]): ReadonlySet<string> {
  return new Set(samples.map(({ path }) => path.replace(IN_ARCHIVE, '')));
}

/** Whether at least half of the checked folders are there, with at least half of the files. */
function isMostlyThere(
  subfolders: ReadonlyMap<string, readonly Sample[]>,
  found: ReadonlySet<string>,
): boolean {
  let balance = 0;
  for (const [subfolder, samples] of subfolders) {
    const { size } = filesOf(samples);
    balance += found.has(subfolder) ? size : -size;
  }
  return balance >= 0 && found.size * 2 >= subfolders.size;
}

/**
 * Returns the subfolders in which most samples are, each with its samples; at random among equal ones. The folder itself counts as
 * one, for the files directly in it.
 */
function subfoldersOf(
  folder: string,
  { random, all }: Awaited<ReturnType<typeof samplesBelow>>,
): ReadonlyMap<string, readonly Sample[]> {
  const subfolders = new Map<string, Sample[]>();
  const samplesOf = ({ path }: Sample) => {
    const subfolder = subfolderOf(folder, path);
    const key = ARCHIVE.test(subfolder) ? folder : subfolder;
    const samples = subfolders.get(key) ?? [];
    subfolders.set(key, samples);
    return samples;
  };
  for (const sample of random) samplesOf(sample);
  for (const sample of all) samplesOf(sample).push(sample);
  const sorted = [...subfolders].sort(([, one], [, other]) => other.length - one.length);
  return new Map(sorted.slice(0, MOST_SUBFOLDERS));
}

/** Returns the subfolders of which a file is there. Requests one file of each in turn, until it has found one. */
async function subfoldersFound(
  server: Server,
  subfolders: ReadonlyMap<string, readonly Sample[]>,
  call: Call,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let left = MOST_FILES;
  for (let turn = 0; turn < MOST_FILES; turn++) {
    for (const [subfolder, samples] of subfolders) {
      const sample = samples[turn];
      if (!sample || found.has(subfolder) || left === 0) continue;
      left -= 1;
      const { kind, id, size } = sample;
      if (size !== null && (await server.media.findFile(kind, id, size, call))) found.add(subfolder);
    }
  }
  return found;
}

/**
 * Returns scenes and images whose first file is in a folder, but not in the inner ones, the kinds in turns: those at random, and all, with
 * the oldest and the newest.
 */
async function samplesBelow(
  server: Server,
  folder: string,
  pattern: string,
  inner: readonly string[],
  call: Call,
) {
  const matching = (value: string) => ({ path: { value, modifier: 'MATCHES_REGEX' } });
  const excluded = inner.flatMap((each) => patternBelow(each) ?? []).join('|');
  const filter = { ...matching(pattern), ...(excluded !== '' && { NOT: matching(excluded) }) };
  const names = Object.keys(SELECTIONS);
  const lists = await server.request({
    kind: 'query',
    call: aside(call),
    build: (schema) => {
      const scenes = `scenes { id ${selectItem(schema, 'scene', ['paths', 'bytes']).text} }`;
      const images = `images { id ${selectItem(schema, 'image', ['paths', 'bytes']).text} }`;
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
  const isInner = insideOf(inner);
  const isIn = insideOf([folder]);
  // An item may have further files here. It is not lost with them.
  const own = lists.map((list) => list.filter(({ path }) => isIn(path) && !isInner(path)));
  return { random: inTurns(own.slice(-2)), all: inTurns(own) };
}

/** Returns the first of each list, then the second of each, and so on, each item once. */
function inTurns(lists: readonly (readonly Sample[])[]): Sample[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? []));
  return [...new Map(turns.flat().map((sample) => [`${sample.kind} ${sample.id}`, sample])).values()];
}

function readSamples(kind: Sample['kind'], result: unknown): Sample[] {
  const items = isRecord(result) ? result[`${kind}s`] : undefined;
  return parsed(arrayOf(hasString('id')), (all) =>
    all.flatMap((item) => {
      const path = pathOf(item);
      return path === null ? [] : { kind, id: item.id, path, size: inFirstFile(item, 'size') };
    }),
  )(items);
}
