import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { withTimeLimit } from '../async';

/**
 * Finds out which folders this machine sees, in their order. Asks in a process of its own: a share that does not answer blocks
 * a thread, and Node-RED has four for all its files and host names.
 * @returns undefined if a share does not answer in time.
 * @param atMost how long to wait, in milliseconds.
 * @throws the signal's reason once it is aborted.
 */
export async function seenFolders(
  folders: readonly string[],
  atMost: number,
  signal: AbortSignal,
): Promise<readonly boolean[] | undefined> {
  const limit = new AbortController();
  let child: ChildProcess | undefined;
  try {
    child = fork(path.join(__dirname, 'see-process.js'), [], {
      // It needs none of the secrets in Node-RED's environment.
      env: { UV_THREADPOOL_SIZE: String(Math.min(folders.length + 1, 64)) },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Without a listener, one that comes late would end Node-RED.
    child.on('error', () => undefined);
    child.send(folders, () => undefined);
    const over = { signal: AbortSignal.any([signal, limit.signal]) };
    const answer = once(child, 'message', over) as Promise<[boolean[]]>;
    const exit = once(child, 'exit', over).then(() => undefined);
    const [seen] = (await withTimeLimit(limit, atMost / 1000, () => Promise.race([answer, exit]))) ?? [];
    return seen;
  } catch {
    signal.throwIfAborted();
    // Too late, or a Node.js that may not start processes.
    return undefined;
  } finally {
    child?.kill('SIGKILL');
  }
}
