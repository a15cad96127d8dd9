import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { StashError } from '../errors';
import { sizeOf } from '../size';
import { checkContent, HEAD_BYTES, TAIL_BYTES } from './content';
import type { Arrived } from './partial';

/** A backup on its way into a message. */
export class InMemory {
  readonly #limit: number;
  #hash = createHash('sha256');
  #pieces: Buffer[] = [];
  #bytes = 0;
  #total: number | null = null;

  /** @param limit how many bytes it may have. */
  constructor(limit: number) {
    this.#limit = Math.min(limit, constants.MAX_LENGTH);
  }

  /**
   * Begins with the first byte, also of one that had come further: `total` bytes, or null where that is not told.
   * @throws {StashError} TOO_LARGE.
   */
  begin(total: number | null): undefined {
    this.#checkSize(total ?? 0);
    this.#hash = createHash('sha256');
    this.#pieces = [];
    this.#bytes = 0;
    this.#total = total;
  }

  /** @throws {StashError} TOO_LARGE. */
  take(piece: Buffer): undefined {
    this.#bytes += piece.length;
    this.#checkSize(this.#bytes);
    this.#hash.update(piece);
    this.#pieces.push(piece);
  }

  /** The whole and what was found of it. @throws {StashError} BACKUP_INVALID. */
  finish(): Arrived & { content: Buffer } {
    const content = Buffer.concat(this.#pieces);
    const bytes = this.#bytes;
    const checked = checkContent(content.subarray(0, HEAD_BYTES), content.subarray(-TAIL_BYTES), bytes);
    return {
      content,
      bytes,
      sha256: this.#hash.digest('hex'),
      checked: this.#total === null ? checked : ['length', ...checked],
    };
  }

  #checkSize(bytes: number): void {
    if (bytes <= this.#limit) return;
    const details = { size: sizeOf(bytes), limit: sizeOf(this.#limit) };
    throw new StashError('TOO_LARGE.backup', { details });
  }
}
