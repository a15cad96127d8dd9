import { type FileHandle, link, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { answeredWithin } from '../async';
import { Chunks } from '../chunks';
import { formatBytesOf } from '../contract/units';
import { StashError } from '../errors';
import { extract } from './archive';
import {
  answered,
  checkRoom,
  codeOrMessage,
  diskError,
  isTaken,
  statIfExists,
  syncFolder,
  TempFile,
} from './folder';
import { withSuffix } from './name';
import { canQuickCheck, type CheckLimits, quickCheck } from './quick-check';
import { type Verification, Verifier } from './verifier';

const BATCH = 1024 * 1024;
/** With more bytes waiting to be written, `take` makes the download wait. */
const MOST_WAITING = 4 * BATCH;
/** After so many bytes the file is synced to the disk, so that the last sync is short. */
const FLUSH = 32 * 1024 * 1024;
/** The free space to leave for a backup of unknown size, which may be endless. */
const RESERVE = 4 * FLUSH;

/** A backup that arrived whole and passed all checks. */
export interface ReceivedBackup extends Omit<Verification, 'database'> {
  bytes: number;
}

export interface FinalCheck extends CheckLimits {
  /** Whether SQLite reads the whole database. */
  quickCheck: boolean;
}

export interface BackupFileOptions {
  /** As `openFolder` returns it. */
  folder: string;
  node: string;
}

/**
 * A backup that is downloaded into a folder: the sink of the download. It is a hidden temp file until it is known to be whole.
 * Methods throw only DISK and BACKUP_INVALID unless they say otherwise.
 */
export class BackupFile {
  readonly #options: BackupFileOptions;
  readonly #tempFile: TempFile;
  readonly #file: FileHandle;
  #verifier: Verifier | undefined;
  #total: number | null = null;
  readonly #waiting = new Chunks();
  #waitingBytes = 0;
  #written = 0;
  #flushed = 0;
  #writing: Promise<void> | undefined;
  #batch: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;
  #failure: StashError | undefined;

  private constructor(options: BackupFileOptions, temporary: TempFile, file: FileHandle) {
    this.#options = options;
    this.#tempFile = temporary;
    this.#file = file;
  }

  static async create(options: BackupFileOptions): Promise<BackupFile> {
    const { folder, node } = options;
    const temporary = new TempFile(folder, node);
    try {
      return new BackupFile(options, temporary, await answered(open(temporary.path, 'wx', 0o600)));
    } catch (error) {
      await temporary.remove();
      throw diskError(error, folder);
    }
  }

  /**
   * Begins the backup, and drops what arrived before.
   * @param total in bytes; null if the server does not say.
   */
  async begin(total: number | null): Promise<void> {
    const { folder } = this.#options;
    await this.#settle();
    this.#verifier?.stop();
    this.#waiting.drain();
    this.#total = total;
    this.#waitingBytes = this.#written = this.#flushed = 0;
    try {
      await answered(this.#file.truncate(0));
      if (total !== null) await checkRoom(folder, total);
      this.#verifier = new Verifier(this.#tempFile.path);
    } catch (error) {
      throw this.#error(error);
    }
  }

  /**
   * Takes the next bytes. The caller must not use `piece` again, because its memory is freed once it is written.
   * @returns what to wait for before the next piece, if anything.
   */
  take(piece: Buffer): Promise<void> | undefined {
    if (this.#failure) throw this.#failure;
    this.#waiting.append(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes >= BATCH) this.#write(BATCH);
    return this.#waitingBytes > MOST_WAITING ? this.#batch : undefined;
  }

  /**
   * Writes the rest to the disk, and checks the whole file.
   * @throws {StashError} also TIMEOUT.check; the reason of the signal.
   */
  async finish(check: FinalCheck): Promise<ReceivedBackup> {
    await this.#settle();
    this.#write(1);
    await this.#settle();
    const verifier = this.#verifier;
    if (this.#failure ?? !verifier) throw this.#failure ?? new Error('Nothing has begun.');
    try {
      const [{ checked, ...found }] = await Promise.all([
        this.#verify(verifier, check),
        answered(this.#file.sync()),
      ]);
      const bytes = this.#written;
      return { bytes, ...found, checked: this.#total === null ? checked : ['length', ...checked] };
    } catch (error) {
      check.signal.throwIfAborted();
      throw await this.#errorAfterWrite(error);
    }
  }

  /**
   * Gives the file its final name.
   * @param overwrite whether to replace a file of this name.
   * @param mayNumber whether to add a number to a name that is taken.
   * @throws {StashError} DISK.exists if the name is taken.
   */
  async commit(
    name: string,
    { overwrite, mayNumber }: { overwrite: boolean; mayNumber: boolean },
  ): Promise<string> {
    const { folder } = this.#options;
    try {
      await answered(this.#file.close());
      for (let count = 1; ; count += 1) {
        const candidate = withSuffix(name, count);
        if (await this.#rename(path.join(folder, candidate), overwrite)) {
          // The backup is safe now. A later backup removes a temp name that is left.
          await this.#tempFile.remove().catch(() => undefined);
          await syncFolder(folder);
          return candidate;
        }
        if (!mayNumber) throw new StashError('DISK.exists', { details: { name, folder } });
      }
    } catch (error) {
      throw codeOrMessage(error) === 'ENOENT' ? await this.#errorAfterWrite(error) : this.#error(error);
    }
  }

  /** Stops all work and removes the temp file. Throws nothing: a later backup removes a file that is left. */
  async discard(): Promise<void> {
    await this.#settle();
    this.#verifier?.stop();
    await answered(this.#file.close()).catch(() => undefined);
    await this.#tempFile.remove().catch(() => undefined);
  }

  async #verify(verifier: Verifier, check: FinalCheck): Promise<Omit<Verification, 'database'>> {
    const findings = verifier.finish(this.#written, (code) => this.#error(code));
    // All that an archive contains is read, which is a thousand times its size at most.
    const { database, ...found } = await answeredBy(check, findings);
    if (!check.quickCheck) return found;
    const wasPossible =
      database === undefined
        ? await quickCheck(this.#tempFile.path, check)
        : await this.#checkExtracted(database, check);
    return wasPossible ? { ...found, checked: [...found.checked, 'quickCheck'] } : found;
  }

  /** Checks the database in an archive. SQLite reads it as a file of its own, which has to fit beside the archive. */
  async #checkExtracted(database: number, check: CheckLimits): Promise<boolean> {
    const { folder, node } = this.#options;
    if (!canQuickCheck()) return false;
    const extracted = new TempFile(folder, node);
    try {
      const reserve = (bytes: number) => checkRoom(folder, bytes);
      await answeredBy(check, extract(this.#tempFile.path, database, extracted.path, reserve, check.signal));
      return await quickCheck(extracted.path, check);
    } finally {
      await extracted.remove().catch(() => undefined);
    }
  }

  /** @returns false if `target` exists and must stay. */
  async #rename(target: string, overwrite: boolean): Promise<boolean> {
    const { path: source } = this.#tempFile;
    if (overwrite) {
      await answered(rename(source, target));
      return true;
    }
    try {
      // Unlike `rename`, `link` never replaces a file.
      await answered(link(source, target));
      return true;
    } catch (error) {
      if (codeOrMessage(error) === 'EEXIST') return false;
      // FAT and some shares have no hard links, and systems report that with different codes (Windows: EISDIR). There, check
      // first and then rename. Any other problem makes `rename` fail as well.
      if (await isTaken(path.dirname(target), path.basename(target))) return false;
      await answered(rename(source, target));
      return true;
    }
  }

  /** Writes as long as at least `least` bytes wait, unless it is already writing or has failed. */
  #write(least: number): void {
    if (this.#failure) return;
    this.#writing ??= this.#drain(least)
      .catch((error: unknown) => {
        this.#failure = this.#error(error);
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async #drain(least: number): Promise<void> {
    while (this.#waitingBytes >= least) {
      const batch = this.#waiting.drain();
      this.#batch = writeAll(this.#file, batch, this.#written).catch((error: unknown) => {
        throw this.#error(error);
      });
      await this.#batch;
      const bytes = batch.reduce((sum, { length }) => sum + length, 0);
      batch.forEach(freeMemory);
      this.#waitingBytes -= bytes;
      this.#written += bytes;
      this.#verifier?.follow(this.#written);
      this.#flush();
    }
  }

  #flush(): void {
    const end = this.#written;
    if (end - this.#flushed < FLUSH) return;
    this.#flushing ??= answered(this.#file.datasync())
      .then(async () => {
        this.#flushed = end;
        if (this.#total === null) await checkRoom(this.#options.folder, RESERVE);
      })
      .catch((error: unknown) => {
        // The system reports a failed write-back only once.
        this.#failure = this.#error(error);
      })
      .finally(() => {
        this.#flushing = undefined;
      });
  }

  async #settle(): Promise<void> {
    await this.#writing;
    await this.#flushing;
  }

  /** Returns the error for a failure after everything was written: the temp file may have been removed. */
  async #errorAfterWrite(error: unknown): Promise<StashError> {
    const { folder } = this.#options;
    const [there, file] = await Promise.all([statIfExists(folder), statIfExists(this.#tempFile.path)]).catch(
      () => [],
    );
    return there && !file ? new StashError('DISK.vanished', { details: { folder } }) : this.#error(error);
  }

  #error(error: unknown): StashError {
    return diskError(error, this.#options.folder, formatBytesOf(this.#written, this.#total));
  }
}

/** @throws {StashError} TIMEOUT.check; the reason of the signal. */
async function answeredBy<T>({ signal, seconds }: CheckLimits, check: Promise<T>): Promise<T> {
  const late = () => new StashError('TIMEOUT.check', { details: { seconds } });
  return await answeredWithin(seconds * 1000, check, late, signal);
}

async function writeAll(file: FileHandle, batch: readonly Buffer[], start: number): Promise<void> {
  let left = batch;
  for (let position = start; left.length > 0;) {
    const { bytesWritten } = await answered(file.writev(left, position));
    // Otherwise a disk that takes nothing would be tried for ever.
    if (bytesWritten === 0) throw Object.assign(new Error('The disk takes nothing.'), { code: 'EIO' });
    position += bytesWritten;
    left = withoutStart(left, bytesWritten);
  }
}

/**
 * Frees the memory of a written buffer at once. Otherwise Node.js 24 lets buffers of a connection pile up to a hundred MiB, and
 * blocks the event loop each time it collects them (`npm run bench -- backups`). Node.js 20 cannot free them, but collects them
 * sooner.
 */
function freeMemory({ buffer, length }: Buffer): void {
  // Only a buffer with memory of its own; an empty buffer may share it.
  if (length === 0 || length !== buffer.byteLength) return;
  (buffer as ArrayBufferLike & { transfer?: (length: number) => void }).transfer?.(0);
}

function withoutStart(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let skipped = 0;
  return buffers.flatMap((buffer) => {
    const from = Math.min(buffer.length, Math.max(0, bytes - skipped));
    skipped += buffer.length;
    return from < buffer.length ? [buffer.subarray(from)] : [];
  });
}
