import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Chunks } from '../chunks';
import { formatBytes } from '../contract/units';
import { StashError } from '../errors';
import type { ReceivedBackup } from './backup-file';
import { checkArchive } from './archive';
import { checkDatabase, HEAD_BYTES, kindOf } from './content';

/** A backup that is downloaded into a message: the sink of the download, which hashes and checks what arrives. */
export class BackupBuffer {
  readonly #limit: number;
  #hash = createHash('sha256');
  #content = new Chunks();
  #total: number | null = null;

  /** @param limit the largest size in bytes. */
  constructor(limit: number) {
    this.#limit = Math.min(limit, constants.MAX_LENGTH);
  }

  /**
   * Begins the backup, and drops what arrived before.
   * @param total in bytes; null if the server does not say.
   * @throws {StashError} TOO_LARGE.
   */
  begin(total: number | null): undefined {
    this.#checkSize(total ?? 0);
    this.#hash = createHash('sha256');
    this.#content = new Chunks();
    this.#total = total;
  }

  /** @throws {StashError} TOO_LARGE. */
  take(piece: Buffer): undefined {
    this.#checkSize(this.#content.length + piece.length);
    this.#hash.update(piece);
    this.#content.append(piece);
  }

  /** @throws {StashError} BACKUP_INVALID; the reason of the signal. */
  async finish(signal: AbortSignal): Promise<ReceivedBackup & { content: Buffer }> {
    const content = this.#content.drainWhole();
    const bytes = content.length;
    const { checked, pictures } = await checkContent(content, signal);
    return {
      content,
      bytes,
      sha256: this.#hash.digest('hex'),
      checked: this.#total === null ? checked : ['length', ...checked],
      pictures,
    };
  }

  #checkSize(bytes: number): void {
    if (bytes <= this.#limit) return;
    const details = { size: formatBytes(bytes), limit: formatBytes(this.#limit) };
    throw new StashError('TOO_LARGE.backup', { details });
  }
}

async function checkContent(
  content: Buffer,
  signal: AbortSignal,
): Promise<Pick<ReceivedBackup, 'checked' | 'pictures'>> {
  const { length: bytes } = content;
  const head = content.subarray(0, HEAD_BYTES);
  if (kindOf(head) === 'database') return { checked: checkDatabase(head, bytes), pictures: null };
  return await checkArchive({ source: content, bytes }, () => signal.throwIfAborted());
}
