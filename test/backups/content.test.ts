import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { archive } from '../fake-stash/archive';
import { database } from '../fake-stash/database';
import { type BackupCheck, checkContent, exactSize, HEAD_BYTES, TAIL_BYTES } from '../../src/backups/content';
import { type ErrorCase, StashError } from '../../src/errors';

/** Checks the beginning and the end of a file, the only parts that a reader keeps. */
function check(file: Buffer): BackupCheck[] {
  const tail = file.subarray(Math.max(0, file.length - TAIL_BYTES));
  return checkContent(file.subarray(0, HEAD_BYTES), tail, file.length);
}

function assertRefused(file: Buffer, expected: ErrorCase, details: Record<string, string> = {}): void {
  assert.throws(
    () => check(file),
    (error) => {
      assert.ok(error instanceof StashError);
      assert.deepEqual({ case: error.case, details: error.details }, { case: expected, details });
      return true;
    },
  );
}

interface Header {
  pageSize: number;
  /** The page count in the header. */
  pageCount: number;
  /** Whether the page count is older than the last change of the file, as old programs leave it. */
  isOutdated?: boolean;
}

/** Returns the first page of a database that may be far too large for a test; the check ignores the other pages. */
function head({ pageSize, pageCount, isOutdated = false }: Header): Buffer {
  const page = database();
  page.writeUInt16BE(pageSize === 65_536 ? 1 : pageSize, 16);
  page.writeUInt32BE(pageCount, 28);
  page.writeUInt32BE(isOutdated ? 7 : 1, 24);
  return page;
}

describe('A database', () => {
  for (const [what, file] of [
    ['is empty', database()],
    ['is small', database({ studios: ['Alder', 'Birch'] })],
    ['is larger than the checked ends', database({ bytes: 300_000 })],
  ] as const) {
    it(`that ${what} passes if it is complete, and fails if it is cut off`, () => {
      assert.deepEqual(check(file), ['header', 'pageCount']);
      const expected = exactSize(file.length);
      for (const part of [100, 4095, 4096, file.length - 1]) {
        const actual = exactSize(part);
        assertRefused(file.subarray(0, part), 'BACKUP_INVALID.wrongSize', { expected, actual });
      }
    });
  }

  const whole: [pageSize: number, pageCount: number][] = [
    [512, 1],
    [1024, 3],
    [4096, 262_144],
    [32_768, 70_000],
    [65_536, 2],
    [65_536, 0xfffffffe],
  ];
  for (const [pageSize, pageCount] of whole) {
    it(`must have exactly ${pageCount} pages of ${pageSize} bytes`, () => {
      const begin = head({ pageSize, pageCount });
      const bytes = pageSize * pageCount;
      assert.deepEqual(checkContent(begin, begin, bytes), ['header', 'pageCount']);
      for (const wrong of [bytes - 1, bytes + 1, bytes - pageSize, bytes + pageSize]) {
        assert.throws(
          () => checkContent(begin, begin, wrong),
          (error) => {
            assert.ok(error instanceof StashError && error.case === 'BACKUP_INVALID.wrongSize');
            assert.deepEqual(error.details, { expected: exactSize(bytes), actual: exactSize(wrong) });
            return true;
          },
        );
      }
    });
  }

  for (const [what, header] of [
    ['is outdated', { pageSize: 1024, pageCount: 99, isOutdated: true }],
    ['is missing, as before SQLite 3.7', { pageSize: 1024, pageCount: 0 }],
  ] as const) {
    it(`whose page count ${what} may have any number of whole pages`, () => {
      assert.deepEqual(check(head(header)), ['header']);
      const rest = Buffer.concat([head(header), Buffer.alloc(1)]);
      assertRefused(rest, 'BACKUP_INVALID.wrongSize', { expected: 'n × 1024 B', actual: '8 KiB (8193 B)' });
    });
  }

  for (const pageSize of [0, 2, 256, 511, 513, 4095, 40_000, 65_535]) {
    it(`is refused with pages of ${pageSize} bytes`, () => {
      assertRefused(head({ pageSize, pageCount: 1 }), 'BACKUP_INVALID.notBackup');
    });
  }

  it('is refused if it ends inside its header', () => {
    for (const length of [16, 18, 32, 99]) {
      assertRefused(database().subarray(0, length), 'BACKUP_INVALID.notBackup');
    }
  });

  // Node.js has SQLite since 22.13.
  const sqlite = process.getBuiltinModule('node:sqlite') as
    { DatabaseSync: new (file: string) => { exec: (sql: string) => void; close: () => void } } | undefined;
  for (const pageSize of sqlite ? [512, 4096, 65_536] : []) {
    it(`that SQLite has made passes if it is complete, and fails if it is cut off (pages of ${pageSize} bytes)`, () => {
      assert.ok(sqlite);
      const folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
      try {
        const database = new sqlite.DatabaseSync(path.join(folder, 'stash.sqlite'));
        database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = wal; CREATE TABLE scenes (title);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
          INSERT INTO scenes SELECT 'scene ' || i FROM n;
          DELETE FROM scenes WHERE rowid % 3 = 0;`);
        database.exec(`VACUUM INTO '${path.join(folder, 'backup')}'`);
        database.close();
        const backup = readFileSync(path.join(folder, 'backup'));
        assert.deepEqual(check(backup), ['header', 'pageCount']);
        assert.deepEqual(check(readFileSync(path.join(folder, 'stash.sqlite'))), ['header', 'pageCount']);
        assert.throws(() => check(backup.subarray(0, -pageSize)), StashError);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

describe('An archive', () => {
  const endRecord = archive().subarray(-22);
  const whole: [what: string, file: Buffer][] = [
    ['a database', archive()],
    ['zip64 records', archive({ isZip64: true })],
    ['more content than is checked', archive({ content: Buffer.alloc(200_000) })],
    [
      'more content than is checked, and zip64 records',
      archive({ isZip64: true, content: Buffer.alloc(200_000) }),
    ],
    ['a comment', archive({ comment: Buffer.from('made by hand') })],
    ['a comment of the maximum length', archive({ isZip64: true, comment: Buffer.alloc(65_535, 'x') })],
    [
      'a comment that looks like its end record',
      archive({ comment: Buffer.concat([endRecord, Buffer.from('x')]) }),
    ],
  ];
  for (const [what, file] of whole) {
    it(`with ${what} passes if it is complete, and fails if its end is missing`, () => {
      assert.deepEqual(check(file), ['zip']);
      for (const part of [1, 22, 23, 42, 98, 200, file.length - 30]) {
        assertRefused(file.subarray(0, -part), 'BACKUP_INVALID.brokenZip');
      }
    });

    it(`with ${what} is refused if a part in the middle is missing or repeated`, () => {
      const [begin, end] = [file.subarray(0, 1000), file.subarray(1001)];
      assertRefused(Buffer.concat([begin, end]), 'BACKUP_INVALID.brokenZip');
      assertRefused(Buffer.concat([begin, begin, end]), 'BACKUP_INVALID.brokenZip');
    });
  }

  it('of more than 4 GiB passes', () => {
    const tail = archive({ isZip64: true });
    const more = 5 * 1024 ** 3;
    const [end64, locator] = [tail.length - 98, tail.length - 42];
    tail.writeBigUInt64LE(tail.readBigUInt64LE(end64 + 48) + BigInt(more), end64 + 48);
    tail.writeBigUInt64LE(tail.readBigUInt64LE(locator + 8) + BigInt(more), locator + 8);
    assert.deepEqual(checkContent(tail, tail, tail.length + more), ['zip']);
    assert.throws(() => checkContent(tail, tail, tail.length + more - 1), StashError);
  });

  const bytesThatCount: [what: string, isZip64: boolean, bytes: [from: number, to: number][]][] = [
    [
      'its end record',
      false,
      [
        [0, 4],
        [12, 22],
      ],
    ],
    [
      'its zip64 end records',
      true,
      [
        [0, 4],
        [40, 60],
        [64, 72],
        [76, 80],
        [96, 98],
      ],
    ],
  ];
  for (const [what, isZip64, ranges] of bytesThatCount) {
    it(`is refused if a byte of ${what} changes`, () => {
      const file = archive({ isZip64 });
      const records = file.length - (isZip64 ? 98 : 22);
      for (const [from, to] of ranges) {
        for (let at = records + from; at < records + to; at++) {
          const changed = Buffer.from(file);
          changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
          assertRefused(changed, 'BACKUP_INVALID.brokenZip');
        }
      }
    });
  }

  it('without a file is refused', () => {
    const empty = Buffer.alloc(22);
    empty.write('PK\x05\x06', 'latin1');
    assertRefused(empty, 'BACKUP_INVALID.notBackup');
    assertRefused(Buffer.concat([Buffer.from('PK\x03\x04'), empty]), 'BACKUP_INVALID.brokenZip');
  });

  it('is refused if its zip64 records are in its comment', () => {
    const file = archive({ isZip64: true, comment: Buffer.from('PK\x06\x06') });
    const locator = file.length - 46;
    file.writeBigUInt64LE(BigInt(file.length - 4), locator + 8);
    assertRefused(file, 'BACKUP_INVALID.brokenZip');
  });
});

describe('The check of a backup', () => {
  const pages: [what: string, text: string][] = [
    ['of HTML 5', '<!DOCTYPE html><html><head><title>Sign in</title>'],
    ['in lower case', '<!doctype html>'],
    ['of HTML 4', '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">'],
    ['without a document type', '<html lang="en">'],
    ['after blank lines', '\r\n\t <HTML>'],
    ['with a byte order mark', '\ufeff<!doctype html>'],
    ['with comments', '<!-- one --> <!-- <two> -->\n<!doctype html>'],
    ['of XHTML', '<?xml version="1.0" encoding="UTF-8"?>\r\n<!DOCTYPE html>'],
  ];
  for (const [what, text] of pages) {
    it(`recognizes a web page: ${what}`, () => {
      assertRefused(Buffer.from(text), 'BACKUP_INVALID.page');
      assertRefused(Buffer.from(text.padEnd(300_000, ' x')), 'BACKUP_INVALID.page');
    });
  }

  const others: [what: string, content: Buffer][] = [
    ['an empty file', Buffer.alloc(0)],
    ['an error as text', Buffer.from('404 page not found\n')],
    ['an error as JSON', Buffer.from('{"error":"<html>"}')],
    ['XML', Buffer.from('<?xml version="1.0"?><feed/>')],
    ['text that only begins like a page', Buffer.from('<htmlx>')],
    ['zeros', Buffer.alloc(8192)],
    ['a compressed database', Buffer.from('\x1f\x8b\x08\0', 'latin1')],
    ['an encrypted database', Buffer.alloc(4096, 0xa5)],
    ['a database after another byte', Buffer.concat([Buffer.from('\n'), database()])],
    ['unclosed comments', Buffer.from('<!--'.repeat(2000))],
    ['comments without a page', Buffer.from('<!---->'.repeat(2000))],
  ];
  for (const [what, content] of others) {
    it(`refuses ${what}`, () => {
      assertRefused(content, 'BACKUP_INVALID.notBackup');
    });
  }
});

describe('An exact size', () => {
  it('gives the rounded size, then the exact one in bytes', () => {
    assert.equal(exactSize(1_073_741_825), '1 GiB (1073741825 B)');
    assert.equal(exactSize(1023), '1023 B');
    assert.equal(exactSize(0), '0 B');
  });
});
