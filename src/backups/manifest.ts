import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { KeyedLock, neverAborted } from '../async';
import { answered, MANIFEST_OWNER, statIfExists, TempFile } from './folder';
import { checkFileName } from './name';
import { expired, type RetentionPolicy } from './retention';

const MANIFEST = '.stash-backups.json';
/** The size of some 8,000 backups, more than a manifest ever has. Parsing more would block Node-RED's event loop. */
const MOST_BYTES = 2 * 1024 ** 2;

export interface ManifestEntry {
  /** Retention removes only backups of the same owner. */
  owner: string;
  /** How many pictures it has; 0 for a plain database. */
  pictures: number;
  /** Whether it counts as a backup with the pictures. Retention counts these apart from the others. */
  hasPictures: boolean;
  /** Without folder. */
  file: string;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
  /** When the backup began (ISO 8601). */
  madeAt: string;
}

export interface Rotation {
  removed: string[];
  /** What failed, as in "EACCES old.sqlite"; null if nothing. The new backup is good in any case. */
  trouble: string | null;
}

/** By `fileKey`. */
type Manifest = Map<string, ManifestEntry>;

/** Runs a step with a file. A failure is added to `Rotation.trouble` and stops nothing else. */
type Attempt = (file: string, step: () => Promise<void>) => Promise<void>;

/** By folder: only one backup at a time changes a manifest. */
const manifests = new KeyedLock<string>();

/**
 * Records a backup in the manifest of its folder, then removes the backups of the same owner that no rule keeps. One with the
 * pictures removes only such backups, and one without them only others. Never touches a file that the manifest does not name. The
 * manifest drops a backup that somebody deleted or changed. Throws nothing.
 * @param signal ends the removal. The next backup removes what is left.
 */
export async function rotate(
  folder: string,
  made: ManifestEntry,
  rules: RetentionPolicy,
  signal: AbortSignal,
): Promise<Rotation> {
  const removed: string[] = [];
  const troubles: string[] = [];
  const attempt: Attempt = async (file, step) => {
    try {
      await step();
    } catch (error) {
      troubles.push(`${causeOf(error)} ${file}`);
    }
  };

  await attempt(MANIFEST, async () => {
    // A folder has one manifest, whatever links lead to it.
    const realFolder = await answered(fs.realpath(folder));
    await manifests.run(realFolder, neverAborted(), async () => {
      const manifest = await record(realFolder, made);
      const gone: ManifestEntry[] = [];
      const backups = await existingBackups(realFolder, manifest, made, gone, attempt);
      const newest = backups.find(({ entry }) => entry === made);
      if (newest === undefined) troubles.push(`missing ${made.file}`);
      else {
        for (const { entry } of expired(backups, newest, rules)) {
          await attempt(entry.file, async () => {
            const file = path.join(realFolder, entry.file);
            // Only the hash identifies a file: many databases have the same size, and shares round times.
            const isAsMade = (await digestOf(file, signal)) === entry.sha256;
            if (isAsMade) {
              await answered(fs.unlink(file));
              removed.push(entry.file);
            }
            gone.push(entry);
          });
        }
      }
      if (gone.length > 0) await drop(realFolder, gone);
    });
  });
  return { removed, trouble: troubles.length === 0 ? null : troubles.join(', ') };
}

/**
 * Returns how many pictures the last backup of an owner that counts as one with the pictures has; 0 if there is none, or the
 * manifest cannot be read, which `rotate` reports.
 */
export async function lastPictures(folder: string, owner: string): Promise<number> {
  const ignore: Attempt = async (_file, step) => await step().catch(() => undefined);
  const manifest = await readManifest(folder).catch((): Manifest => new Map());
  const backups = await existingBackups(folder, manifest, { owner, hasPictures: true }, [], ignore);
  const [last] = backups.sort((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
  return last?.entry.pictures ?? 0;
}

/** Runs before any backup is removed, so that the new one is in the manifest even if Node-RED is killed. */
async function record(folder: string, made: ManifestEntry): Promise<Manifest> {
  const manifest = await readManifest(folder);
  manifest.set(fileKey(made), made);
  await writeManifest(folder, manifest);
  return manifest;
}

/** Reads the manifest again: another Node-RED may have recorded a backup while this one read old ones, perhaps over a slow share. */
async function drop(folder: string, gone: readonly ManifestEntry[]): Promise<void> {
  const manifest = await readManifest(folder);
  for (const entry of gone) {
    const key = fileKey(entry);
    if (manifest.get(key)?.sha256 === entry.sha256) manifest.delete(key);
  }
  await writeManifest(folder, manifest);
}

/** Returns the backups that count with `like` and still have their size, and adds the others to `gone`. */
async function existingBackups(
  folder: string,
  manifest: Manifest,
  like: Pick<ManifestEntry, 'owner' | 'hasPictures'>,
  gone: ManifestEntry[],
  attempt: Attempt,
): Promise<{ entry: ManifestEntry; madeAt: Date }[]> {
  const backups: { entry: ManifestEntry; madeAt: Date }[] = [];
  for (const entry of manifest.values()) {
    if (entry.owner !== like.owner || entry.hasPictures !== like.hasPictures) continue;
    await attempt(entry.file, async () => {
      const found = await statIfExists(path.join(folder, entry.file));
      const isAsMade = found?.isFile() && found.size === entry.bytes;
      if (isAsMade) backups.push({ entry, madeAt: new Date(entry.madeAt) });
      else gone.push(entry);
    });
  }
  return backups;
}

async function digestOf(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash, { signal });
  return hash.digest('hex');
}

async function readManifest(folder: string): Promise<Manifest> {
  const file = path.join(folder, MANIFEST);
  const found = await statIfExists(file);
  if (found === undefined) return new Map();
  if (!found.isFile() || found.size > MOST_BYTES) throw new Error('This is no manifest');
  const content = JSON.parse(await answered(fs.readFile(file, 'utf8'))) as unknown;
  if (!isContent(content)) throw new Error('This is no manifest');
  return new Map(content.backups.map((entry) => [fileKey(entry), entry]));
}

/** Replaces the manifest in one step, so that there is always a complete one. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const temporary = new TempFile(folder, MANIFEST_OWNER);
  const content = { version: 1, backups: [...manifest.values()] };
  try {
    const file = await answered(fs.open(temporary.path, 'wx', 0o600));
    try {
      await answered(file.writeFile(`${JSON.stringify(content, null, 2)}\n`));
      await answered(file.sync());
    } finally {
      await answered(file.close());
    }
    await answered(fs.rename(temporary.path, path.join(folder, MANIFEST)));
  } finally {
    // The error of the writing matters more. A later backup removes the temp file.
    await temporary.remove().catch(() => undefined);
  }
}

function isContent(content: unknown): content is { backups: ManifestEntry[] } {
  const { version, backups } = (content ?? {}) as { version?: unknown; backups?: unknown };
  return version === 1 && Array.isArray(backups) && backups.every(isEntry);
}

function isEntry(value: unknown): value is ManifestEntry {
  const { owner, pictures, hasPictures, file, bytes, sha256, madeAt } = (value ?? {}) as Record<
    keyof ManifestEntry,
    unknown
  >;
  return (
    typeof owner === 'string' &&
    typeof pictures === 'number' &&
    typeof hasPictures === 'boolean' &&
    typeof file === 'string' &&
    checkFileName(file) === file &&
    typeof bytes === 'number' &&
    typeof sha256 === 'string' &&
    typeof madeAt === 'string' &&
    Number.isFinite(Date.parse(madeAt))
  );
}

/** Returns the same key for names that are one file on a system that ignores case or Unicode normalization. */
function fileKey({ file }: ManifestEntry): string {
  return file.normalize().toLowerCase();
}

/** Returns the code of an error of the file system. Any other error is about the content of the manifest. */
function causeOf(error: unknown): string {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return syscall === undefined ? 'damaged' : (code ?? syscall);
}
