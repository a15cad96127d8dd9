import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Forget } from '../async';
import { timing } from '../timing';
import type { WatchOptions } from './file-watcher';
import type { Ended } from './watched-path';

/** What Node-RED's process orders: paths to watch, and watches to end. */
export interface Order {
  watch: ({ id: number; path: string } & WatchOptions)[];
  forget: number[];
}

/** The watches that have ended. */
export type Answer = ({ id: number } & Ended)[];

/** The threads that ask disks and shares. Those that wait for a share without an answer are lost until the share is back. */
const THREADS = 64;
/** How many watches to end before other work of the event loop gets its turn. */
const SLICE = 50;

/**
 * Watches files until they are complete, in a process of its own: a look at a share that does not answer blocks a thread, and
 * Node-RED has four for all its files and host names. The process runs while there are watches.
 */
export class FileWatches {
  readonly #watches = new Map<number, { path: string; onEnd: (ended: Ended) => void }>();
  #process: ChildProcess | undefined;
  #order: Order | undefined;
  #isSilent = false;
  #check: NodeJS.Timeout | undefined;
  #lastId = 0;

  /**
   * Watches an absolute path of this machine.
   * @param onEnd called once, later, unless the watch is forgotten; with `unseen` if the process ends or does not answer.
   */
  watch(given: string, options: WatchOptions, onEnd: (ended: Ended) => void): Forget {
    const id = ++this.#lastId;
    this.#watches.set(id, { path: given, onEnd });
    this.#nextOrder().watch.push({ id, path: given, ...options });
    return () => {
      if (this.#watches.delete(id)) this.#nextOrder().forget.push(id);
    };
  }

  /** Returns the order that is sent as soon as the event loop has its turn. */
  #nextOrder(): Order {
    if (this.#order) return this.#order;
    const order: Order = { watch: [], forget: [] };
    void this.#send(order);
    return (this.#order = order);
  }

  async #send(order: Order): Promise<void> {
    await setImmediate();
    this.#order = undefined;
    try {
      this.#process ??= this.#start();
      // If the process has ended, its end is reported.
      this.#process.send(order, () => undefined);
    } catch (error) {
      // Such as a Node.js that may not start processes.
      this.#lose(String(error));
    }
  }

  #start(): ChildProcess {
    const started = fork(path.join(__dirname, 'watch-process.js'), [JSON.stringify(timing.files)], {
      // It needs none of the secrets in Node-RED's environment.
      env: { UV_THREADPOOL_SIZE: String(THREADS) },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    started.unref();
    started.channel?.unref();
    const lose = (reason: unknown) => {
      if (this.#process === started) this.#lose(String(reason));
    };
    started.on('error', lose).on('exit', (code, signal) => {
      lose(`its process ended with ${signal ?? code ?? '?'}`);
    });
    started.on('message', (answer: Answer) => {
      this.#isSilent = false;
      void this.#end(answer);
    });
    this.#isSilent = false;
    this.#check = setInterval(() => void this.#checkLife(), timing.files.answer).unref();
    return started;
  }

  /** Stops the process once there is nothing to watch. It gives a sign of life in each interval. */
  async #checkLife(): Promise<void> {
    // If Node-RED itself was busy, what was sent meanwhile arrives first.
    await setImmediate();
    if (this.#watches.size === 0) this.#stop();
    else if (this.#isSilent) this.#lose('its process does not answer');
    this.#isSilent = true;
  }

  async #end(all: Answer): Promise<void> {
    for (const [index, { id, ...ended }] of all.entries()) {
      if (index % SLICE === SLICE - 1) await setImmediate();
      const watch = this.#watches.get(id);
      this.#watches.delete(id);
      watch?.onEnd(ended);
    }
  }

  #stop(): void {
    clearInterval(this.#check);
    const stopped = this.#process;
    this.#process = undefined;
    stopped?.kill('SIGKILL');
  }

  /** Ends all watches: what cannot be seen must not hold up a message. */
  #lose(reason: string): void {
    this.#stop();
    if (this.#watches.size === 0) return;
    process.emitWarning(`stash-scan cannot tell whether files are complete: ${reason}`);
    void this.#end(
      [...this.#watches].map(([id, { path: given }]) => ({ id, outcome: 'unseen', path: given })),
    );
  }
}
