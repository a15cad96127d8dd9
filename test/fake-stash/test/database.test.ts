import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { damaged, database } from '../database';

interface Sqlite {
  DatabaseSync: new (file: string) => {
    prepare: (sql: string) => { all: () => Record<string, unknown>[] };
    close: () => void;
  };
}

// Node.js 20 has no SQLite to check these databases with.
const sqlite = process.getBuiltinModule('node:sqlite') as Sqlite | undefined;

describe('Fake server: the made-up database', () => {
  it('has at least the requested size, in whole pages', () => {
    assert.equal(database().length, 8192);
    assert.equal(database({ bytes: 100_001 }).length, 102_400);
    const tall = database({ bytes: 5_000_000 });
    assert.equal(tall.readUInt16BE(16) * tall.readUInt32BE(28), tall.length);
  });

  it('has no two equal pages, so that a test notices mixed-up pages', () => {
    const content = database({ bytes: 200 * 4096 });
    const pages = Array.from({ length: 200 }, (_, page) =>
      content.toString('latin1', page * 4096, (page + 1) * 4096),
    );
    assert.equal(new Set(pages).size, 200);
  });

  it('keeps its header when it is damaged', () => {
    const whole = database();
    const broken = damaged(whole);
    assert.deepEqual(broken.subarray(0, 4096), whole.subarray(0, 4096));
    assert.notDeepEqual(broken, whole);
  });

  if (sqlite) {
    const { DatabaseSync } = sqlite;
    let folder: string;
    before(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'stash-'));
    });
    after(() => {
      rmSync(folder, { recursive: true });
    });

    function ask(content: Buffer, sql: string): Record<string, unknown>[] {
      const file = path.join(folder, 'database.sqlite');
      writeFileSync(file, content);
      const opened = new DatabaseSync(file);
      try {
        return opened
          .prepare(sql)
          .all()
          .map((row) => ({ ...row }));
      } finally {
        opened.close();
      }
    }

    const many = Array.from({ length: 20_000 }, (_, index) => `Studio Nº ${index + 1}`);
    for (const [what, options] of [
      ['no rows', {}],
      ['a few rows', { studios: ['Amber Lantern', 'Zephyr & Söhne', ''] }],
      ['many rows', { studios: many }],
      ['many rows and free pages', { bytes: 20_000_000, studios: many }],
      ['a single free page', { bytes: 3 * 4096 }],
    ] as const) {
      it(`passes the integrity check of SQLite with ${what}`, () => {
        const content = database(options);
        assert.deepEqual(ask(content, 'PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
        const names = 'studios' in options ? options.studios : [];
        assert.deepEqual(
          ask(content, 'SELECT id, name FROM studios'),
          names.map((name, index) => ({ id: index + 1, name })),
        );
      });
    }

    it('fails the integrity check of SQLite when it is damaged', () => {
      for (const options of [{ bytes: 100_000 }, { studios: many }]) {
        const [found] = ask(damaged(database(options)), 'PRAGMA quick_check');
        assert.match(String(found?.['quick_check']), /^\*\*\* in database main \*\*\*\n.*page 2/);
      }
    });
  }
});
