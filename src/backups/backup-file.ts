import { type FileHandle, link, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { formatBytesOf } from '../bytes';
import { Chunks } from '../chunks';
import { StashError } from '../errors';
import type { Check } from './content';
import { checkRoom, codeOrMessage, diskError, isTaken, statIfExists, syncFolder, TempFile } from './folder';
import { withSuffix } from './name';
import { type CheckLimits, quickCheck } from './quick-check';
import { type Verification, Verifier } from './verifier';

/** So much is written in one go at least. */
const BATCH = 1024 * 1024;
/** So much may wait to be written before no more is taken. */
const MOST_WAITING = 4 * BATCH;
/** When so much has been written it is sent on to the disk, so that this need not all be waited for at the end. */
const FLUSH = 32 * 1024 * 1024;
/** A backup that does not tell its length must leave so much free, as it might never end. */
const RESERVE = 4 * FLUSH;

/** A backup that has arrived whole. */
export interface ReceivedBackup {
  bytes: number;
  sha256: string;
  checked: Check[];
}

/** Where a backup goes. */
export interface BackupFileOptions {
  /** As `openFolder` gives it. */
  folder: string;
  /** The id of the node that writes it. */
  node: string;
}

/** A backup on its way into a folder: hidden, until it is known to be whole. All it throws is DISK or BACKUP_INVALID. */
export class BackupFile {
  readonly #options: BackupFileOptions;
  readonly #tempFile: TempFile;
  readonly #file: FileHandle;
  #verifier: Verifier | undefined;
  #total: number | null = null;
  readonly #waiting = new Chunks();
  /** With what is being written. */
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
      return new BackupFile(options, temporary, await open(temporary.path, 'wx', 0o600));
    } catch (error) {
      await temporary.remove();
      throw diskError(error, folder);
    }
  }

  /** Begins with the first byte, also of one that had come further: `total` bytes, or null where that is not told. */
  async begin(total: number | null): Promise<void> {
    const { folder } = this.#options;
    await this.#settle();
    this.#verifier?.stop();
    this.#waiting.take();
    this.#total = total;
    this.#waitingBytes = this.#written = this.#flushed = 0;
    try {
      await this.#file.truncate(0);
      if (total !== null) await checkRoom(folder, total);
      this.#verifier = new Verifier(this.#tempFile.path);
    } catch (error) {
      throw this.#error(error);
    }
  }

  /** Takes the next bytes, which are its own from then on. @returns what is to be waited for before the ones that follow. */
  take(piece: Buffer): Promise<void> | undefined {
    if (this.#failure) throw this.#failure;
    this.#waiting.append(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes >= BATCH) this.#write(BATCH);
    return this.#waitingBytes > MOST_WAITING ? this.#batch : undefined;
  }

  /**
   * What was found of the whole file, which by then is on the disk.
   * @param check SQLite shall look through it, where Node.js has one.
   * @throws {StashError} also TIMEOUT.check.
   * @throws the reason of the check's signal, once that is aborted.
   */
  async finish(check?: CheckLimits): Promise<ReceivedBackup> {
    await this.#settle();
    this.#write(1);
    await this.#settle();
    const examiner = this.#verifier;
    if (this.#failure ?? !examiner) throw this.#failure ?? new Error('Nothing has begun.');
    try {
      const [{ sha256, checked }] = await Promise.all([this.#verify(examiner, check), this.#file.sync()]);
      const bytes = this.#written;
      return { bytes, sha256, checked: this.#total === null ? checked : ['length', ...checked] };
    } catch (error) {
      check?.signal.throwIfAborted();
      throw await this.#errorAfterWrite(error);
    }
  }

  /**
   * Gives the file its name.
   * @param mayNumber whether one that is taken gets a number.
   * @returns the name it has got.
   * @throws {StashError} DISK.exists where the name is taken.
   */
  async commit(
    name: string,
    { overwrite, mayNumber }: { overwrite: boolean; mayNumber: boolean },
  ): Promise<string> {
    const { folder } = this.#options;
    try {
      await this.#file.close();
      for (let count = 1; ; count += 1) {
        const candidate = withSuffix(name, count);
        if (await this.#rename(path.join(folder, candidate), overwrite)) {
          // From now on it is there, and what is left of its other name is swept up some time.
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

  /** Ends whatever it is at, and removes it. Throws nothing: what cannot be removed now is swept up later. */
  async discard(): Promise<void> {
    await this.#settle();
    this.#verifier?.stop();
    await this.#file.close().catch(() => undefined);
    await this.#tempFile.remove().catch(() => undefined);
  }

  async #verify(examiner: Verifier, check?: CheckLimits): Promise<Verification> {
    const findings = await examiner.finish(this.#written, (code) => this.#error(code));
    const { sha256, checked } = findings;
    if (!check || checked.includes('zip')) return findings;
    const wasPossible = await quickCheck(this.#tempFile.path, check);
    return { sha256, checked: wasPossible ? [...checked, 'quickCheck'] : checked };
  }

  /** @returns false where there is such a file, which is left as it is. */
  async #rename(target: string, overwrite: boolean): Promise<boolean> {
    const { path: source } = this.#tempFile;
    if (overwrite) {
      await rename(source, target);
      return true;
    }
    try {
      // Unlike `rename`, this never takes the place of another.
      await link(source, target);
      return true;
    } catch (error) {
      if (codeOrMessage(error) === 'EEXIST') return false;
      // Where there are no further names for a file (FAT, some shares), looking first is all that can be done. Systems
      // do not agree on how to say so: Windows, for one, says EISDIR. What else is wrong, `rename` tells, too.
      if (await isTaken(path.dirname(target), path.basename(target))) return false;
      await rename(source, target);
      return true;
    }
  }

  /** Sees to it that what waits is written, while there is so much of it; nothing more is after a failure. */
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
      const batch = this.#waiting.take();
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
    this.#flushing ??= this.#file
      .datasync()
      .then(async () => {
        this.#flushed = end;
        if (this.#total === null) await checkRoom(this.#options.folder, RESERVE);
      })
      .catch((error: unknown) => {
        // A system tells of such an error only once.
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

  /** What an error means when all had been written: perhaps somebody else has removed the file. */
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

/** Writes all of it, in as many goes as the system takes. */
async function writeAll(file: FileHandle, batch: readonly Buffer[], start: number): Promise<void> {
  let left = batch;
  for (let position = start; left.length > 0;) {
    const { bytesWritten } = await file.writev(left, position);
    position += bytesWritten;
    left = withoutStart(left, bytesWritten);
  }
}

/**
 * Gives the memory of what has been written back at once. Node.js 24 lets what a connection has brought grow to a hundred
 * MiB, and holds everything up each time that it collects it (`npm run bench -- backups`); Node.js 20, which cannot do this,
 * collects it sooner.
 */
function freeMemory({ buffer, length }: Buffer): void {
  // One that is a part of something larger is not all that is there, and what is empty may be everybody's.
  if (length === 0 || length !== buffer.byteLength) return;
  (buffer as ArrayBufferLike & { transfer?: (length: number) => void }).transfer?.(0);
}

/** What of some buffers comes behind so many bytes. */
function withoutStart(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let skipped = 0;
  return buffers.flatMap((buffer) => {
    const from = Math.min(buffer.length, Math.max(0, bytes - skipped));
    skipped += buffer.length;
    return from < buffer.length ? [buffer.subarray(from)] : [];
  });
}
