import { stat } from 'node:fs/promises';
import path from 'node:path';

// Runs as a process of its own (see seen-folders.ts). Answers which of the paths that it receives are folders of this machine.

process.once('message', (paths: string[]) => {
  void Promise.all(paths.map(isFolder)).then((seen) => process.send?.(seen));
});

async function isFolder(text: string): Promise<boolean> {
  // A server may run another system.
  if (!path.isAbsolute(text)) return false;
  return stat(text).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
