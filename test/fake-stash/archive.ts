import { database } from './database';

/** Returns an archive of one uncompressed file, as PKWARE's APPNOTE describes it. */
export function archive({ isZip64 = false, comment = Buffer.alloc(0), content = database() } = {}): Buffer {
  const name = Buffer.from('stash-go.sqlite');
  const local = Buffer.alloc(30);
  local.write('PK\x03\x04', 'latin1');
  local.writeUInt16LE(20, 4);
  local.writeUInt32LE(content.length, 18);
  local.writeUInt32LE(content.length, 22);
  local.writeUInt16LE(name.length, 26);
  const listed = Buffer.alloc(46);
  listed.write('PK\x01\x02', 'latin1');
  local.copy(listed, 6, 4);
  const at = local.length + name.length + content.length;
  const size = listed.length + name.length;

  const end64 = Buffer.alloc(56);
  end64.write('PK\x06\x06', 'latin1');
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(1n, 24);
  end64.writeBigUInt64LE(1n, 32);
  end64.writeBigUInt64LE(BigInt(size), 40);
  end64.writeBigUInt64LE(BigInt(at), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(at + size), 8);
  locator.writeUInt32LE(1, 16);

  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(isZip64 ? 0xffffffff : size, 12);
  end.writeUInt32LE(isZip64 ? 0xffffffff : at, 16);
  end.writeUInt16LE(comment.length, 20);
  const records = isZip64 ? [end64, locator, end] : [end];
  return Buffer.concat([local, name, content, listed, name, ...records, comment]);
}
