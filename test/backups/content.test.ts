import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { database } from '../fake-stash/database';
import { type BackupCheck, checkDatabase, exactSize, HEAD_BYTES, kindOf } from '../../src/backups/content';
import { type ErrorCase, StashError } from '../../src/errors';

/** Checks the beginning of a file, the only part that a reader keeps. */
function check(file: Buffer): BackupCheck[] {
  const head = file.subarray(0, HEAD_BYTES);
  assert.equal(kindOf(head), 'database');
  return checkDatabase(head, file.length);
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
      assert.deepEqual(checkDatabase(begin, bytes), ['header', 'pageCount']);
      for (const wrong of [bytes - 1, bytes + 1, bytes - pageSize, bytes + pageSize]) {
        assert.throws(
          () => checkDatabase(begin, wrong),
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
    | { DatabaseSync: new (file: string) => { exec: (sql: string) => void; close: () => void } }
    | undefined;
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
