import { stat } from 'node:fs/promises';
import path from 'node:path';

// Runs as a process of its own (see seen-folders.ts). Answers which of the paths that it receives are folders of this machine.

process.once('message', (paths: string[]) => {
  void Promise.all(paths.map(isFolder)).then((seen) => process.send?.(seen));
});

/** The begin of a path to another machine or to a device, on Windows. */
const ELSEWHERE = /^[\\/]{2}/;

async function isFolder(text: string): Promise<boolean> {
  // A server may run another system. It must not choose the machines that Windows connects and signs in to.
  if (!path.isAbsolute(text) || ELSEWHERE.test(text)) return false;
  return await stat(text).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
