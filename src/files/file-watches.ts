import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { timing } from '../timing';
import type { WatchOptions } from './file-watcher';
import type { Ended } from './watched-path';

/** What Node-RED's process orders: paths to watch, and watches to end. */
export interface Order {
  watch: WatchOrder[];
  forget: number[];
}

interface WatchOrder extends WatchOptions {
  id: number;
  path: string;
  /** How often the watch was renewed before. */
  turn: number;
}

/** What the process answers. */
export interface Answer {
  /** The watches that have ended, each with its turn. */
  ended: { id: number; turn: number; how: Ended }[];
  /** How many questions to disks and shares are late. */
  late: number;
}

/** The threads that ask disks and shares. Those that wait for a share without an answer are lost until the share is back. */
const THREADS = 64;
/** How many watches to order before other work of the event loop gets its turn. */
const ORDERED = 500;
/** The same for watches that have ended, because their messages go on. */
const ENDED = 50;

/**
 * Watches files until they are complete, in a process of its own: a look at a share that does not answer blocks a thread, and
 * Node-RED has four for all its files and host names. The process runs while there are watches.
 */
export class FileWatches {
  readonly #watches = new Map<number, { order: WatchOrder; onEnd: (ended: Ended) => void }>();
  /** What is still to be ordered. */
  readonly #toWatch = new Map<number, WatchOrder>();
  #toForget: number[] = [];
  #isOrdering = false;
  #process: ChildProcess | undefined;
  #isSilent = false;
  #late = 0;
  #check: NodeJS.Timeout | undefined;
  #lastId = 0;

  /**
   * Watches an absolute path of this machine.
   * @param onEnd called once, later, unless the watch is forgotten; with `unseen` if the process ends or does not answer.
   * @returns the id with which to renew or forget the watch.
   */
  watch(given: string, { settle, temporaryNames }: WatchOptions, onEnd: (ended: Ended) => void): number {
    const id = ++this.#lastId;
    // JSON has no Infinity.
    const finite = Math.min(settle, Number.MAX_SAFE_INTEGER);
    const order = { id, path: given, turn: 0, settle: finite, temporaryNames };
    this.#watches.set(id, { order, onEnd });
    this.#order(order);
    return id;
  }

  /** Ignores looks of a watch that have already begun. Call it when another message waits for the path. */
  renew(id: number): void {
    const watch = this.#watches.get(id);
    if (!watch) return;
    // An end that is on its way does not count.
    watch.order.turn += 1;
    this.#order(watch.order);
  }

  /** Ends a watch. Nobody is told. */
  forget(id: number): void {
    if (!this.#watches.delete(id)) return;
    this.#toWatch.delete(id);
    this.#toForget.push(id);
    void this.#sendOrders();
  }

  #order(order: WatchOrder): void {
    this.#toWatch.set(order.id, order);
    void this.#sendOrders();
  }

  /** Sends all orders, those of one turn of the event loop together. Throws nothing. */
  async #sendOrders(): Promise<void> {
    if (this.#isOrdering) return;
    this.#isOrdering = true;
    while (this.#toWatch.size + this.#toForget.length > 0) {
      await setImmediate();
      const watch: WatchOrder[] = [];
      for (const order of this.#toWatch.values()) if (watch.push(order) === ORDERED) break;
      for (const { id } of watch) this.#toWatch.delete(id);
      const forget = this.#toForget;
      this.#toForget = [];
      if (watch.length > 0 || this.#process) this.#send({ watch, forget });
    }
    this.#isOrdering = false;
  }

  #send(order: Order): void {
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
    started.on('message', ({ ended, late }: Answer) => {
      this.#isSilent = false;
      this.#late = late;
      void this.#end(ended);
    });
    this.#isSilent = false;
    this.#late = 0;
    this.#check = setInterval(() => void this.#checkLife(), timing.files.answer).unref();
    return started;
  }

  /**
   * Stops the process once there is nothing to watch, unless it owes an answer: its threads could not end, and the next process
   * would block as many. It gives a sign of life in each interval.
   */
  async #checkLife(): Promise<void> {
    // If Node-RED itself was busy, what was sent meanwhile arrives first.
    await setImmediate();
    if (this.#watches.size === 0 && this.#late === 0) this.#stop();
    else if (this.#isSilent) this.#lose('its process does not answer');
    this.#isSilent = true;
  }

  async #end(all: Answer['ended']): Promise<void> {
    for (const [index, { id, turn, how }] of all.entries()) {
      if (index % ENDED === ENDED - 1) await setImmediate();
      const watch = this.#watches.get(id);
      if (watch?.order.turn !== turn) continue;
      this.#watches.delete(id);
      watch.onEnd(how);
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
    const lost: Answer['ended'] = [];
    for (const [id, { order }] of this.#watches) {
      // What is not ordered yet gets a new process.
      if (this.#toWatch.has(id)) continue;
      lost.push({ id, turn: order.turn, how: { outcome: 'unseen', path: order.path } });
    }
    if (lost.length === 0) return;
    process.emitWarning(`stash-scan cannot tell whether files are complete: ${reason}`);
    void this.#end(lost);
  }
}
