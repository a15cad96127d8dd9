/** From this size on, a chunk is not copied. */
const LARGE = 16 * 1024;
const FIRST_BLOCK = 1024;
const LARGEST_BLOCK = 64 * 1024;

/**
 * Collects bytes that arrive in chunks. Copies small chunks into blocks, because a Buffer costs some 200 bytes beside its
 * content: a body of one-byte chunks would take 200 times its size.
 */
export class Chunks {
  length = 0;
  #pieces: Buffer[] = [];
  #block: Buffer = Buffer.alloc(0);
  /** The filled part of the block that is not yet a piece. */
  #filled = 0;
  #nextBlock = FIRST_BLOCK;

  /** Adds a chunk. The caller must not change its content, because large chunks are not copied. */
  append(chunk: Buffer): void {
    this.length += chunk.length;
    if (chunk.length >= LARGE) {
      this.#seal();
      this.#pieces.push(chunk);
      return;
    }
    if (this.#filled + chunk.length > this.#block.length) {
      this.#seal();
      this.#block = Buffer.allocUnsafe(Math.max(this.#nextBlock, chunk.length));
      this.#nextBlock = Math.min(this.#nextBlock * 2, LARGEST_BLOCK);
    }
    chunk.copy(this.#block, this.#filled);
    this.#filled += chunk.length;
  }

  drain(): Buffer[] {
    this.#seal();
    const taken = this.#pieces;
    this.#pieces = [];
    this.length = 0;
    return taken;
  }

  drainWhole(): Buffer {
    const pieces = this.drain();
    const [first] = pieces;
    return first && pieces.length === 1 ? first : Buffer.concat(pieces);
  }

  #seal(): void {
    if (this.#filled === 0) return;
    this.#pieces.push(this.#block.subarray(0, this.#filled));
    this.#block = this.#block.subarray(this.#filled);
    this.#filled = 0;
  }
}
