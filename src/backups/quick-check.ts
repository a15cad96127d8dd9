import { execFile, type ExecFileException } from 'node:child_process';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { StashError } from '../errors';

const execute = promisify(execFile);

export interface CheckLimits {
  signal: AbortSignal;
  seconds: number;
}

/** Since Node.js 22.13. */
export function canQuickCheck(): boolean {
  return isBuiltin('node:sqlite');
}

/**
 * Runs SQLite's `PRAGMA quick_check` on a database, which takes minutes, or hours for a malicious database. Runs in a process
 * of its own: nothing can stop SQLite in a thread, and such a thread would keep Node-RED from ending.
 * @returns whether the check was possible (see `canQuickCheck`).
 * @throws {StashError} BACKUP_INVALID; TIMEOUT.check.
 */
export async function quickCheck(file: string, { signal, seconds }: CheckLimits): Promise<boolean> {
  const text = await runCheck(file, { signal, seconds });
  if (text !== null && text !== 'ok') throw new StashError('BACKUP_INVALID.damaged', { details: { text } });
  return text !== null;
}

/** @returns `ok` for a file without damage; null if Node.js has no SQLite. */
async function runCheck(file: string, { signal, seconds }: CheckLimits): Promise<string | null> {
  try {
    const { stdout } = await execute(
      process.execPath,
      ['--no-warnings', path.join(__dirname, 'quick-check-process.js'), file],
      {
        // It reads a file from outside and needs none of the secrets in Node-RED's environment.
        env: {},
        killSignal: 'SIGKILL',
        signal,
        timeout: Math.ceil(1000 * seconds),
        windowsHide: true,
      },
    );
    return JSON.parse(stdout) as string | null;
  } catch (error) {
    signal.throwIfAborted();
    const { killed, signal: end, code } = error as ExecFileException;
    if (killed) throw new StashError('TIMEOUT.check', { details: { seconds } });
    const reason = end ?? code ?? String(error);
    throw new StashError('BACKUP_INVALID.unchecked', { details: { reason } });
  }
}
