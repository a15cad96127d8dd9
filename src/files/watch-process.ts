import os from 'node:os';
import { FileWatcher, type Watch } from './file-watcher';
import type { Answer, Order } from './file-watches';
import type { WatchTimes } from './watched-path';

// Runs as a process of its own (see file-watches.ts). Watches the paths that Node-RED's process orders, and answers with how
// each watch ends. An answer without any is a sign of life.

try {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = os.constants.priority;
  os.setPriority(Math.min(os.getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
} catch {
  // A system that does not allow it lets both run alike.
}

const [, , times = ''] = process.argv;
const { interval } = JSON.parse(times) as WatchTimes;
const watcher = new FileWatcher(JSON.parse(times) as WatchTimes);
const watches = new Map<number, { watch: Watch; turn: number }>();
let ended: Answer['ended'] = [];

process.on('message', ({ watch: orders, forget }: Order) => {
  for (const { id, turn, path, ...options } of orders) {
    const known = watches.get(id);
    if (known) {
      known.turn = turn;
      known.watch.renew();
      continue;
    }
    const watch = watcher.watch(path, options, (how) => {
      ended.push({ id, turn: watches.get(id)?.turn ?? turn, how });
      watches.delete(id);
      if (ended.length === 1) setImmediate(answer);
    });
    watches.set(id, { watch, turn });
  }
  for (const id of forget) {
    watches.get(id)?.watch.forget();
    watches.delete(id);
  }
});

setInterval(answer, interval);

// The channel is closed when Node-RED ends, however it ends. A thread that is blocked would delay any other exit.
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGKILL');
});

// Ctrl+C and service managers end all processes of Node-RED at once. To it, the end of this one would look like a failure.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

function answer(): void {
  process.send?.({ ended, late: watcher.late } satisfies Answer);
  ended = [];
}
