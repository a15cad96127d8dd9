import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';

// Runs as a process of its own (see quick-check.ts). Writes the result of SQLite's check of a file as JSON: "ok", the first
// damage or the error, or null if Node.js has no SQLite.

/** The part of `node:sqlite` that is used here. `@types/node` of Node.js 20 lacks it. */
interface Sqlite {
  DatabaseSync: new (
    location: URL,
    options: { readOnly: boolean },
  ) => { prepare: (sql: string) => { all: () => Record<string, unknown>[] }; close: () => void };
}

if (isMainThread) {
  // SQLite blocks this thread, so another one watches whether Node-RED still runs.
  new Worker(__filename).unref();
  const [file = ''] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(checkWithSqlite(file)));
} else {
  // The system closes Node-RED's end of the pipe, however Node-RED ends.
  new Socket({ fd: 0 })
    .on('error', () => undefined)
    .on('close', () => process.kill(process.pid, 'SIGKILL'))
    .resume();
}

function checkWithSqlite(file: string): string | null {
  const sqlite = loadSqlite();
  if (!sqlite) return null;
  // Nobody else writes to the file, and SQLite must not create files beside it.
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

function loadSqlite(): Sqlite | undefined {
  try {
    return createRequire(__filename)('node:sqlite') as Sqlite;
  } catch {
    return undefined;
  }
}

/** Makes one line of a message for Node-RED's log. It may quote any content of the database. */
function inOneLine(text: string): string {
  return text
    .slice(0, 300)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
}
