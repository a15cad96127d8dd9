import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';

// A process of its own (see quick-check.ts): it writes what SQLite says of a file as JSON, or null where Node.js has no
// SQLite.

/** The part of Node.js' own SQLite that is used: `@types/node` of Node.js 20 does not know it. */
interface Sqlite {
  DatabaseSync: new (
    location: URL,
    options: { readOnly: boolean },
  ) => { prepare: (sql: string) => { all: () => Record<string, unknown>[] }; close: () => void };
}

if (isMainThread) {
  // SQLite keeps this thread from noticing anything.
  new Worker(__filename).unref();
  const [file = ''] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(quickCheck(file)));
} else {
  // However Node-RED ends, its end of the pipe is closed then.
  new Socket({ fd: 0 })
    .on('error', () => undefined)
    .on('close', () => {
      process.kill(process.pid, 'SIGKILL');
    })
    .resume();
}

function quickCheck(file: string): string | null {
  const sqlite = load();
  if (!sqlite) return null;
  // Nobody else writes to it, and SQLite shall write nothing beside it.
  const location = pathToFileURL(file);
  location.searchParams.set('immutable', '1');
  try {
    const database = new sqlite.DatabaseSync(location, { readOnly: true });
    try {
      const [row = {}] = database.prepare('PRAGMA quick_check(1)').all();
      return inOneLine(String(Object.values(row)[0]));
    } finally {
      database.close();
    }
  } catch (error) {
    return inOneLine(error instanceof Error ? error.message : String(error));
  }
}

function load(): Sqlite | undefined {
  try {
    return createRequire(__filename)('node:sqlite') as Sqlite;
  } catch {
    return undefined;
  }
}

/** It may quote what is in the database, which may be anything, and stands in Node-RED's log. */
function inOneLine(text: string): string {
  return text
    .slice(0, 300)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
}
