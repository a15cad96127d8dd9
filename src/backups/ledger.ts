import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { neverAborted, Semaphore } from '../async';
import { LEDGER_OWNER, statIfExists, TempFile } from './folder';
import { checkName } from './name';
import { expired, type RetentionPolicy } from './retention';

const LEDGER = '.stash-backups.json';
/** Some 8,000 backups, more than a ledger ever has; to parse more would keep all of Node-RED waiting. */
const MOST_BYTES = 2 * 1024 ** 2;

/** A backup that a node wrote into a folder. */
export interface LedgerEntry {
  /** The node that wrote it, and that alone may remove it. */
  owner: string;
  file: string;
  bytes: number;
  sha256: string;
  madeAt: string;
}

export interface Rotation {
  /** The names of the backups that were removed. */
  removed: string[];
  /** What went wrong, as in "EACCES old.sqlite"; the backup just made is good all the same. */
  trouble: string | null;
}

/** The entries of a folder's ledger, by `keyOf`, in the order in which the backups were made. */
type Ledger = Map<string, LedgerEntry>;

/** Does a step with a file; that it fails is told at the end and stops nothing else. */
type Attempt = (file: string, step: () => Promise<void>) => Promise<void>;

/** Lets the backups of a folder be recorded one after another. */
const semaphores = new Map<string, Semaphore>();

/**
 * Records a backup in the ledger of its folder, then removes those of the same owner that no rule keeps. Files that the
 * ledger does not name are never touched; a backup that somebody deleted or replaced is no longer one, and is forgotten.
 * @param signal ends the reading of old backups; what has not been removed by then is removed with the next backup.
 */
export async function rotate(
  folder: string,
  made: LedgerEntry,
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

  await attempt(LEDGER, async () => {
    // Whatever links lead to a folder, it has one ledger.
    const place = await fs.realpath(folder);
    await inTurn(place, async () => {
      const ledger = await record(place, made);
      const backups = await standingBackups(place, ledger, made.owner, attempt);
      const newest = backups.find(({ entry }) => entry === made);
      if (newest === undefined) troubles.push(`missing ${made.file}`);
      else {
        for (const { entry } of expired(backups, newest, rules)) {
          await attempt(entry.file, async () => {
            const file = path.join(place, entry.file);
            // Many databases have the same size, and shares round times: nothing less tells one from another.
            const isAsMade = (await digestOf(file, signal)) === entry.sha256;
            if (isAsMade) {
              await fs.unlink(file);
              removed.push(entry.file);
            }
            ledger.delete(keyOf(entry));
          });
        }
      }
      await write(place, ledger);
    });
  });
  return { removed, trouble: troubles.length === 0 ? null : troubles.join(', ') };
}

async function inTurn(folder: string, step: () => Promise<void>): Promise<void> {
  const turn = semaphores.get(folder) ?? new Semaphore(1);
  semaphores.set(folder, turn);
  const release = await turn.acquire(neverAborted());
  try {
    await step();
  } finally {
    release();
    if (turn.isIdle) semaphores.delete(folder);
  }
}

/** Comes before anything is removed: whenever Node-RED may be killed, the new backup is not forgotten. */
async function record(folder: string, made: LedgerEntry): Promise<Ledger> {
  const ledger = await read(folder);
  // A backup that this one overwrote is gone, whoever made it.
  ledger.delete(keyOf(made));
  ledger.set(keyOf(made), made);
  await write(folder, ledger);
  return ledger;
}

/** The backups of an owner that seem to be as they were made; the ledger forgets the others. */
async function standingBackups(
  folder: string,
  ledger: Ledger,
  owner: string,
  attempt: Attempt,
): Promise<{ entry: LedgerEntry; madeAt: Date }[]> {
  const backups: { entry: LedgerEntry; madeAt: Date }[] = [];
  for (const [key, entry] of ledger) {
    if (entry.owner !== owner) continue;
    await attempt(entry.file, async () => {
      const found = await statIfExists(path.join(folder, entry.file));
      const isAsMade = found?.isFile() && found.size === entry.bytes;
      if (isAsMade) backups.push({ entry, madeAt: new Date(entry.madeAt) });
      else ledger.delete(key);
    });
  }
  return backups;
}

async function digestOf(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash, { signal });
  return hash.digest('hex');
}

async function read(folder: string): Promise<Ledger> {
  const file = path.join(folder, LEDGER);
  const found = await statIfExists(file);
  if (found === undefined) return new Map();
  if (!found.isFile() || found.size > MOST_BYTES) throw new Error('This is no ledger');
  const content = JSON.parse(await fs.readFile(file, 'utf8')) as unknown;
  if (!isContent(content)) throw new Error('This is no ledger');
  return new Map(content.backups.map((entry) => [keyOf(entry), entry]));
}

/** Puts a whole new file in the place of the old one; whatever stops it, one of the two is there. */
async function write(folder: string, ledger: Ledger): Promise<void> {
  const temporary = new TempFile(folder, LEDGER_OWNER);
  const content = { version: 1, backups: [...ledger.values()] };
  try {
    const file = await fs.open(temporary.path, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(temporary.path, path.join(folder, LEDGER));
  } finally {
    // Why nothing could be written is what is worth telling; what may be left then is swept up later.
    await temporary.remove().catch(() => undefined);
  }
}

function isContent(content: unknown): content is { backups: LedgerEntry[] } {
  const { version, backups } = (content ?? {}) as { version?: unknown; backups?: unknown };
  return version === 1 && Array.isArray(backups) && backups.every(isEntry);
}

function isEntry(value: unknown): value is LedgerEntry {
  const { owner, file, bytes, sha256, madeAt } = (value ?? {}) as Record<keyof LedgerEntry, unknown>;
  return (
    typeof owner === 'string' &&
    typeof file === 'string' &&
    checkName(file) === file &&
    typeof bytes === 'number' &&
    typeof sha256 === 'string' &&
    typeof madeAt === 'string' &&
    Number.isFinite(Date.parse(madeAt))
  );
}

/** The same for names that are one file's where capitals, or the ways to write an accent, make no difference. */
function keyOf({ file }: LedgerEntry): string {
  return file.normalize().toLowerCase();
}

/** A code of the file system; anything else was thrown because of what the ledger holds. */
function causeOf(error: unknown): string {
  const { syscall, code } = error as NodeJS.ErrnoException;
  return syscall === undefined ? 'damaged' : (code ?? syscall);
}
