import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { StashError } from '../errors';

/** The part of Node.js' own SQLite that is used: `@types/node` of Node.js 20 does not know it. */
interface Sqlite {
  DatabaseSync: new (
    location: URL,
    options: { readOnly: boolean },
  ) => { prepare: (sql: string) => { all: () => Record<string, unknown>[] }; close: () => void };
}

/**
 * Lets SQLite look through the whole database (`PRAGMA quick_check`), which can take minutes, during which nothing else
 * happens in this thread.
 * @returns whether it could: Node.js has SQLite from 22.13 on.
 * @throws {StashError} BACKUP_INVALID.damaged.
 */
export function quickCheck(file: string): boolean {
  const sqlite = load();
  if (!sqlite) return false;
  // Nobody else writes to it, and SQLite shall write nothing beside it.
  const location = pathToFileURL(file);
  location.searchParams.set('immutable', '1');
  let text: string;
  try {
    const database = new sqlite.DatabaseSync(location, { readOnly: true });
    try {
      const rows = database.prepare('PRAGMA quick_check(1)').all();
      text = String(Object.values(rows[0] ?? {})[0]);
    } finally {
      database.close();
    }
  } catch (error) {
    text = error instanceof Error ? error.message : String(error);
  }
  if (text !== 'ok')
    throw new StashError('BACKUP_INVALID.damaged', {
      details: { text: text.replace(/\s+/g, ' ').slice(0, 300) },
    });
  return true;
}

function load(): Sqlite | undefined {
  try {
    return createRequire(__filename)('node:sqlite') as Sqlite;
  } catch {
    return undefined;
  }
}
