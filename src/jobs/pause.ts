import { after, untilAborted } from '../async';
import type { Call } from '../call';
import type { JobRecord } from '../records';

/** Why a pause has ended without a message. */
export type PauseEnd = 'AT_MOST' | 'BUTTON';

/** What a node asks for. */
export interface PauseWish {
  /** The ID of the node itself: instances of a subflow have pauses of their own. */
  node: string;
  /** Whether to stop running jobs that can be started again. */
  interrupt: boolean;
  /** How long at most, in milliseconds; Infinity for no limit. */
  atMost: number;
  /** Called if the pause ends by itself. `waiting`: how many messages have waited for that. */
  onEnd: (reason: PauseEnd, waiting: number) => void;
}

interface Hold extends PauseWish {
  /** By `performance.now()`. */
  since: number;
  cancelLimit: () => void;
}

/** A running job that a pause may stop, and that is started again afterwards. */
export interface Interruptible {
  /** The call that has started it. */
  call: Call;
  /**
   * Makes the server stop it. @returns its record; undefined if it has ended, or is being stopped already.
   * @throws {StashError} as a mutation.
   */
  stop: (call: Call) => Promise<JobRecord | undefined>;
}

/** By the address of the server: several config nodes may have the same one, and a deploy may replace them. */
const pauses = new Map<string, Pause>();

/** Holds back the jobs of this Node-RED on one server, in memory. */
export class Pause {
  static of(url: string): Pause {
    const pause = pauses.get(url) ?? new Pause();
    pauses.set(url, pause);
    return pause;
  }

  /** By the ID of the node that asked for each, in their order. */
  readonly #holds = new Map<string, Hold>();
  /** The jobs that can be interrupted. */
  readonly #running = new Set<Interruptible>();
  /** The calls of messages whose jobs have not been started yet. */
  readonly #pending = new Set<Call>();
  /** When each call first came to start a job, as a number: a job that was interrupted keeps its place. */
  readonly #orders = new WeakMap<Call, number>();
  #nextOrder = 0;
  /** The calls whose jobs start one after another, in this order; that of a job that is being stopped will come back. */
  #line: readonly Call[] = [];
  /** Continue those that wait in the line. */
  readonly #waiters = new Map<Call, () => void>();
  #isOn = false;
  /** When it began: by `performance.now()`, and in milliseconds since 1970. */
  #since = 0;
  #begun = 0;
  /** How long earlier pauses have lasted in all, in milliseconds. */
  #earlier = 0;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** When the pause began, in milliseconds since 1970; undefined without one. */
  get begun(): number | undefined {
    return this.isOn ? this.#begun : undefined;
  }

  /** How many messages wait for the end of the pause. */
  get waiting(): number {
    if (!this.isOn) return 0;
    return [...this.#pending].reduce((count, { messages = 1 }) => count + messages, 0);
  }

  /** Adds a call whose job is not started yet: it may wait for others before it comes to `pass`. */
  enter(call: Call): void {
    this.#pending.add(call);
  }

  /** Removes a call that has ended, or started its job. */
  leave(call: Call): void {
    this.#pending.delete(call);
    this.#waiters.delete(call);
    this.#line = this.#line.filter((one) => one !== call);
    this.#wake();
  }

  #join(call: Call): void {
    if (this.#line.includes(call)) return;
    this.#line = [...this.#line, call].sort((one, other) => this.#orderOf(one) - this.#orderOf(other));
  }

  #orderOf(call: Call): number {
    const order = this.#orders.get(call) ?? this.#nextOrder++;
    this.#orders.set(call, order);
    return order;
  }

  /** Whether a call is the first of the line, and no pause holds it back; undefined: whether the line is empty. */
  #isNext(call: Call | undefined): boolean {
    return !this.isOn && this.#line[0] === call;
  }

  /** Continues the first call of the line, if no pause holds it back. */
  #wake(): void {
    const [first] = this.#line;
    if (first && this.#isNext(first)) this.#waiters.get(first)?.();
  }

  /** How long all pauses have lasted so far, in milliseconds. */
  get time(): number {
    return this.#earlier + (this.isOn ? performance.now() - this.#since : 0);
  }

  /** Begins, or goes on. A node that asks again changes nothing but its options: the limit counts from when it asked first. */
  hold(wish: PauseWish): void {
    const { node, atMost } = wish;
    const before = this.#holds.get(node);
    before?.cancelLimit();
    const now = performance.now();
    const hold: Hold = { ...wish, since: before?.since ?? now, cancelLimit: () => undefined };
    this.#holds.set(node, hold);
    this.#begin();
    hold.cancelLimit = after(hold.since + atMost - now, () => {
      const { waiting } = this;
      this.release(node);
      wish.onEnd('AT_MOST', waiting);
    });
  }

  #begin(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#since = performance.now();
    this.#begun = Date.now();
  }

  /** Ends what a node has asked for; nothing if it has not. */
  release(node: string): void {
    this.#drop(node);
    if (this.#holds.size === 0) this.#end();
  }

  /** Ends what all nodes have asked for. */
  releaseAll(reason?: PauseEnd): void {
    const { waiting } = this;
    const holds = [...this.#holds.values()];
    for (const { node } of holds) this.#drop(node);
    this.#end();
    if (reason) for (const { onEnd } of holds) onEnd(reason, waiting);
  }

  #drop(node: string): void {
    this.#holds.get(node)?.cancelLimit();
    this.#holds.delete(node);
  }

  #end(): void {
    if (!this.#isOn) return;
    this.#earlier = this.time;
    this.#isOn = false;
    this.#wake();
  }

  /**
   * Starts a job now, or after the pause; then those that have waited start one after another.
   * @param prepare runs before the start, and again if a pause has begun meanwhile.
   * @throws the reason of `waiting` once it is aborted; as `prepare` and `start`.
   */
  async pass<Result>(
    { call, prepare }: { call: Call; prepare?: (() => Promise<void>) | undefined },
    waiting: AbortSignal,
    start: () => Promise<Result>,
  ): Promise<Result> {
    this.#orderOf(call);
    if (this.#isNext(undefined)) {
      await prepare?.();
      if (this.#isNext(undefined)) {
        this.leave(call);
        return await start();
      }
    }
    this.#join(call);
    try {
      if (this.isOn) call.report?.({ delay: { paused: true } });
      do {
        while (!this.#isNext(call)) {
          await untilAborted(new Promise<void>((resolve) => this.#waiters.set(call, resolve)), waiting);
        }
        await prepare?.();
      } while (!this.#isNext(call));
    } catch (error) {
      this.leave(call);
      throw error;
    } finally {
      call.report?.({ delay: null });
    }
    this.#pending.delete(call);
    return await start().finally(() => {
      this.leave(call);
    });
  }

  /** Whether running jobs are to be stopped. */
  get interrupts(): boolean {
    return [...this.#holds.values()].some(({ interrupt }) => interrupt);
  }

  /** Adds a job that can be interrupted. @returns a function that removes it. */
  add(job: Interruptible): () => void {
    this.#running.add(job);
    return () => {
      this.#running.delete(job);
    };
  }

  /** Stops a job for the pause. It keeps its place before those that came later. @throws {StashError} as a mutation. */
  async interrupt(job: Interruptible, call: Call): Promise<JobRecord | undefined> {
    const record = await job.stop(call);
    // It may have ended meanwhile.
    if (record && this.#running.has(job)) this.#join(job.call);
    return record;
  }

  /**
   * Stops all jobs that can be interrupted, the last one first, so that none starts because the one before it was stopped.
   * @throws the first error, after it has tried all.
   */
  async interruptAll(call: Call): Promise<JobRecord[]> {
    const stopped: JobRecord[] = [];
    const errors: unknown[] = [];
    for (const job of [...this.#running].reverse()) {
      // The pause may have ended meanwhile.
      if (!this.interrupts) break;
      try {
        const record = await this.interrupt(job, call);
        if (record) stopped.unshift(record);
      } catch (error) {
        call.signal.throwIfAborted();
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return stopped;
  }
}
