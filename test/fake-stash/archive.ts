import { crc32, deflateRawSync } from 'node:zlib';
import { database } from './database';
import { poster } from './poster';

/** A file in an archive. What is given beyond its content makes an archive that no server sends. */
export interface ArchivedFile {
  name: string;
  content: Buffer;
  /** Bytes before its header, and behind its content. */
  before?: Buffer;
  behind?: Buffer;
  isStored?: boolean;
  /** Whether its sizes are in its header and not behind its content. */
  hasSizes?: boolean;
  /** Changes the record of the directory, or the header before the content. */
  list?: (record: Buffer) => void;
  head?: (header: Buffer) => void;
  /** Replaces the packed content. */
  packed?: Buffer;
}

export interface ArchiveOptions {
  files?: readonly ArchivedFile[];
  isZip64?: boolean;
  comment?: Buffer;
  /** Bytes between the content and the directory. */
  beforeDirectory?: Buffer;
}

/** Returns what a server sends with `includeBlobs`: the database, and its pictures by their checksums. */
export function filesOf(content = database()): ArchivedFile[] {
  const blobs = [1, 2, 3].map((number) => ({
    name: `blobs/0${number}/a${number}/0${number}a${number}ffffffffffffffffffffffffffff`,
    content: poster('A', number),
  }));
  return [{ name: 'stash-go.sqlite', content }, ...blobs];
}

/**
 * Returns an archive as Stash makes it since v0.31.0 with Go's `archive/zip`: deflated, each checksum and size behind the content.
 * As PKWARE's APPNOTE describes it.
 */
export function archive({
  files = filesOf(),
  isZip64 = false,
  comment = Buffer.alloc(0),
  beforeDirectory = Buffer.alloc(0),
}: ArchiveOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const put = (...buffers: Buffer[]) => {
    for (const buffer of buffers) {
      parts.push(buffer);
      at += buffer.length;
    }
  };
  for (const file of files) {
    const {
      content,
      isStored = false,
      hasSizes = false,
      before = Buffer.alloc(0),
      behind = Buffer.alloc(0),
    } = file;
    const name = Buffer.from(file.name);
    const packed = file.packed ?? (isStored ? content : deflateRawSync(content));
    put(before);
    const start = at;
    const facts = Buffer.alloc(12);
    facts.writeUInt32LE(crc32(content), 0);
    facts.writeUInt32LE(packed.length, 4);
    facts.writeUInt32LE(content.length, 8);
    const header = Buffer.alloc(30);
    header.write('PK\x03\x04', 'latin1');
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE((hasSizes ? 0 : 8) | 0x800, 6);
    header.writeUInt16LE(isStored ? 0 : 8, 8);
    if (hasSizes) facts.copy(header, 14);
    header.writeUInt16LE(name.length, 26);
    const record = Buffer.alloc(46);
    record.write('PK\x01\x02', 'latin1');
    record.writeUInt16LE(20, 4);
    header.copy(record, 6, 4);
    facts.copy(record, 16);
    record.writeUInt32LE(start, 42);
    file.list?.(record);
    file.head?.(header);
    put(header, name, packed, behind);
    if (!hasSizes) put(Buffer.from('PK\x07\x08', 'latin1'), facts);
    directory.push(record, name);
  }
  put(beforeDirectory);
  const start = at;
  put(...directory);
  const size = at - start;

  const count = files.length;
  const end64 = Buffer.alloc(56);
  end64.write('PK\x06\x06', 'latin1');
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(size), 40);
  end64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(start + size), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(isZip64 ? 0xffffffff : size, 12);
  end.writeUInt32LE(isZip64 ? 0xffffffff : start, 16);
  end.writeUInt16LE(comment.length, 20);
  put(...(isZip64 ? [end64, locator, end] : [end]), comment);
  return Buffer.concat(parts);
}
