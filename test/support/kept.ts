import type { Sink } from '../../src/downloads/transfer';

/** A sink that keeps all bytes in memory. */
export class MemorySink implements Sink {
  begins: (number | null)[] = [];
  pieces: Buffer[] = [];

  begin(total: number | null): Promise<void> | undefined {
    this.begins.push(total);
    this.pieces = [];
    return undefined;
  }

  take(piece: Buffer): Promise<void> | undefined {
    this.pieces.push(piece);
    return undefined;
  }

  get content(): Buffer {
    return Buffer.concat(this.pieces);
  }
}
