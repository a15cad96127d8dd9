import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Cache } from '../async';
import { check } from './file-system-calls';
import { TemporaryNames } from './temporary-names';

/** What is at a path: a file, or a folder and everything in it. */
export interface Contents {
  /** Whether there is anything. If not, something with a temporary name is to become it. */
  readonly isThere: boolean;
  /** Changes whenever a size or a time of change does. */
  readonly state: string;
  /** When it was last changed, in milliseconds since 1970. */
  readonly changed: number;
  /** When what still has a temporary name was last changed; 0 if nothing has one. */
  readonly temporary: number;
  readonly device: number;
  /** How long the walk through folders took, in milliseconds. */
  readonly took: number;
}

/** The temporary names in a folder, by the final ones. */
type Siblings = ReadonlyMap<string, readonly string[]>;

/** A folder on the way through a folder. Names may have any bytes. */
interface Step {
  readonly path: Buffer;
  readonly isTemporary: boolean;
}

interface ContentsOptions {
  readonly names: TemporaryNames;
  /** A list of the folder from before this time, by `performance.now()`, is too old. */
  readonly since: number;
  /** Ends the walk through a large folder. */
  readonly signal: AbortSignal;
}

const NOTHING: Contents = { isThere: false, state: '', changed: 0, temporary: 0, device: 0, took: 0 };
const SEPARATOR = Buffer.from(path.sep);
/** What is beside the files of a folder, and since when it may be out of date, by `performance.now()`. */
const listings = new Cache(async (key: string) => {
  const [folder = '', patterns = ''] = key.split('\0');
  let begun = 0;
  const all = await check(folder, async () => {
    begun = performance.now();
    // A file may be in a folder that nobody may list.
    return await readdir(folder).catch(() => []);
  });
  return { begun, siblings: byFinalName(all, new TemporaryNames(patterns)) };
});

/**
 * Finds what is at a path.
 * @returns undefined if it is missing and nothing is to become it.
 * @throws {NoAnswer} if a disk or share does not answer; any other error of the file system.
 */
export async function contentsAt(file: string, options: ContentsOptions): Promise<Contents | undefined> {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  const { names } = options;
  // Before the file itself: a temporary file may get its name meanwhile.
  const siblings = await siblingsIn(folder, options);
  const own = (await find(file, options)) ?? NOTHING;
  let { state, temporary, device, took } = own;
  // A download may also have a folder of its own until it is complete.
  const isTemporary = [name, path.basename(folder)].some((one) => names.finalName(one) !== undefined);
  if (isTemporary) temporary = own.changed;
  for (const sibling of siblings.get(name) ?? []) {
    const found = await find(path.join(folder, sibling), options);
    if (!found) continue;
    state += `\n${found.state}`;
    temporary = Math.max(temporary, found.changed);
    device ||= found.device;
    took += found.took;
  }
  return own.isThere || temporary > 0 ? { ...own, state, temporary, device, took } : undefined;
}

/**
 * Whether the disk or share on which something was seen is no longer at its path, as a share that is not mounted.
 * @param file what is missing now.
 */
export async function isDeviceMissing(file: string, device: number): Promise<boolean> {
  const folder = path.dirname(file);
  const stats = await check(folder, () => stat(folder)).catch(ignoreMissing);
  if (stats) return stats.dev !== device;
  return folder === file || (await isDeviceMissing(folder, device));
}

/** Lists a folder, once for all that need it at about the same time. */
async function siblingsIn(folder: string, { names, since }: ContentsOptions): Promise<Siblings> {
  const key = `${folder}\0${names.patterns}`;
  const listing = await listings.get(key, performance.now() - since);
  // One that was under way may have begun too early.
  return (listing.begun < since ? await listings.get(key, 0) : listing).siblings;
}

function byFinalName(all: readonly string[], names: TemporaryNames): Siblings {
  const siblings = new Map<string, string[]>();
  for (const name of all) {
    const final = names.finalName(name);
    if (final !== undefined) siblings.set(final, [...(siblings.get(final) ?? []), name]);
  }
  return siblings;
}

/** Returns undefined if there is nothing. */
async function find(file: string, { names, signal }: ContentsOptions): Promise<Contents | undefined> {
  const stats = await check(file, () => stat(file)).catch(ignoreMissing);
  if (!stats) return undefined;
  const { dev: device } = stats;
  let [changed, temporary] = [changeOf(stats), 0];
  if (!stats.isDirectory()) {
    return { isThere: true, state: stateOf(stats), changed, temporary, device, took: 0 };
  }
  const begun = performance.now();
  const hash = createHash('sha1');
  const first: Step = { path: Buffer.from(file), isTemporary: false };
  const steps = [first];
  // Links may lead in a circle.
  const visited = new Set([first.path.toString('latin1')]);
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { path: folder } = step;
    const listing = check(folder, () => readdir(folder, { withFileTypes: true, encoding: 'buffer' }));
    // What cannot be read in the folder, such as lost+found, is not waited for.
    for (const entry of (await (step === first ? listing : listing.catch(ignoreUnreadable))) ?? []) {
      signal.throwIfAborted();
      const found = await entryAt(folder, entry.name, entry.isSymbolicLink()).catch(ignoreUnreadable);
      if (!found) continue;
      const isTemporary = step.isTemporary || names.finalName(String(entry.name)) !== undefined;
      hash.update(found.path).update(`\0${stateOf(found.stats)}\n`);
      const change = changeOf(found.stats);
      changed = Math.max(changed, change);
      if (isTemporary) temporary = Math.max(temporary, change);
      const key = found.path.toString('latin1');
      if (!found.stats.isDirectory() || visited.has(key)) continue;
      visited.add(key);
      steps.push({ path: found.path, isTemporary });
    }
  }
  const state = hash.digest('base64');
  return { isThere: true, state, changed, temporary, device, took: performance.now() - begun };
}

/** Finds an entry of a folder, where a link leads. */
async function entryAt(
  folder: Buffer,
  name: Buffer,
  isLink: boolean,
): Promise<{ path: Buffer; stats: Stats }> {
  const file = Buffer.concat([folder, SEPARATOR, name]);
  const target = isLink ? await check(file, () => realpath(file, { encoding: 'buffer' })) : file;
  return { path: target, stats: await check(target, () => lstat(target)) };
}

/** Returns size and time of change. The size of a folder says nothing. */
function stateOf(stats: Stats): string {
  return `${stats.isDirectory() ? '' : stats.size} ${stats.mtimeMs}`;
}

/** Returns when a file was changed or got its name, in milliseconds since 1970. Unpacked files have old times of change. */
function changeOf({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs);
}

function ignoreMissing(error: unknown): undefined {
  if (!isOfFileSystem(error) || !['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) throw error;
}

function ignoreUnreadable(error: unknown): undefined {
  if (!isOfFileSystem(error)) throw error;
}

/** Whether an error is about a file or a folder. */
export function isOfFileSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
