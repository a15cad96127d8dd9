import type { Forget } from '../async';
import { FileWatcher } from './file-watcher';
import type { Answer, Order } from './file-watches';
import type { WatchTimes } from './watched-path';

// Runs as a process of its own (see file-watches.ts). Watches the paths that Node-RED's process orders, and answers with how
// each watch ends. An empty answer is a sign of life.

const [, , times = ''] = process.argv;
const { interval } = JSON.parse(times) as WatchTimes;
const watcher = new FileWatcher(JSON.parse(times) as WatchTimes);
const watches = new Map<number, Forget>();
let ended: Answer = [];

process.on('message', ({ watch, forget }: Order) => {
  for (const { id, path, ...options } of watch) {
    const end = watcher.watch(path, options, (how) => {
      watches.delete(id);
      ended.push({ id, ...how });
      if (ended.length === 1) setImmediate(answer);
    });
    watches.set(id, end);
  }
  for (const id of forget) {
    watches.get(id)?.();
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
  process.send?.(ended);
  ended = [];
}
