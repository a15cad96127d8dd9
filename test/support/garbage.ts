import { setImmediate as immediately } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects all garbage of this process, as Node.js does when it needs memory. */
export async function collectGarbage(): Promise<void> {
  // What a weak reference named in this turn of the event loop is kept until its end.
  await immediately();
  gc();
}
