import { execFile, type ExecFileException } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { StashError } from '../errors';

const execute = promisify(execFile);

/** What ends a check before it is done. */
export interface CheckLimits {
  signal: AbortSignal;
  seconds: number;
}

/**
 * Lets SQLite look through the whole database (`PRAGMA quick_check`), which can take minutes, or hours where somebody
 * made it so. It does that in a process of its own: nothing stops SQLite in a thread, which then keeps Node-RED from
 * ending, too.
 * @returns whether it could: Node.js has SQLite from 22.13 on.
 * @throws {StashError} BACKUP_INVALID; TIMEOUT.check.
 * @throws the reason of the signal, once that is aborted.
 */
export async function quickCheck(file: string, { signal, seconds }: CheckLimits): Promise<boolean> {
  const text = await runCheck(file, { signal, seconds });
  if (text !== null && text !== 'ok') throw new StashError('BACKUP_INVALID.damaged', { details: { text } });
  return text !== null;
}

/** What SQLite says of the file; null where there is no SQLite. */
async function runCheck(file: string, { signal, seconds }: CheckLimits): Promise<string | null> {
  try {
    const { stdout } = await execute(
      process.execPath,
      ['--no-warnings', path.join(__dirname, 'quick-check-process.js'), file],
      {
        // It reads a file of somebody else, and needs none of the secrets that Node-RED's environment may hold.
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
