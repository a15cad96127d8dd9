import { untilAborted } from './abort';

/** Limits the number of holders at a time; the others wait, first in, first out. */
export class Semaphore {
  readonly #permits: number;
  #taken = 0;
  /** A Set, because an aborted caller leaves from any position. */
  readonly #waiting = new Set<(release: () => void) => void>();

  constructor(permits: number) {
    this.#permits = permits;
  }

  get isIdle(): boolean {
    return this.#taken === 0;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** @returns a function that gives the permit back, to be called once; undefined if none is free. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.#permits) return undefined;
    this.#taken++;
    return this.#release;
  }

  /** @returns a function that gives the permit back; call it once. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    let cancel!: () => boolean;
    const turn = new Promise<() => void>((resolve) => {
      cancel = this.whenFree(resolve);
    });
    try {
      return await untilAborted(turn, signal);
    } catch (error) {
      // Already admitted: the permit goes to the next one.
      if (!cancel()) this.#release();
      throw error;
    }
  }

  /** Runs `task` with a permit. @throws the signal's reason if it is aborted before; what `task` throws. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /**
   * Calls `admit` when a permit is free, or at once. It makes no promise, because each of thousands of waiting requests would
   * pay for one.
   * @param admit gets a function that gives the permit back; call it once.
   * @returns a function that gives up the wait, and returns whether it waited.
   */
  whenFree(admit: (release: () => void) => void): () => boolean {
    const free = this.tryAcquire();
    if (free) admit(free);
    else this.#waiting.add(admit);
    return () => this.#waiting.delete(admit);
  }

  readonly #release = () => {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next(this.#release);
    } else this.#taken--;
  };
}

/** Runs tasks with the same key one after another, first in, first out. Tasks with different keys run at the same time. */
export class KeyedLock<Key> {
  readonly #permits: number;
  /** Those that are in use. */
  readonly #locks = new Map<Key, Semaphore>();

  /** @param permits how many tasks with the same key run at a time. */
  constructor(permits = 1) {
    this.#permits = permits;
  }

  /** Whether a task with this key is running. */
  isLocked(key: Key): boolean {
    return this.#locks.has(key);
  }

  /** How many tasks wait for this key. */
  waiting(key: Key): number {
    return this.#locks.get(key)?.waiting ?? 0;
  }

  /**
   * Runs `task` when those before it have ended.
   * @param task takes a function that lets the next one begin before this one ends.
   * @throws the signal's reason if it is aborted before the task begins; what `task` throws.
   */
  async run<T>(key: Key, signal: AbortSignal, task: (release: () => void) => Promise<T>): Promise<T> {
    const lock = this.#locks.get(key) ?? new Semaphore(this.#permits);
    this.#locks.set(key, lock);
    let giveBack: (() => void) | undefined;
    const release = () => {
      giveBack?.();
      giveBack = undefined;
      if (lock.isIdle && this.#locks.get(key) === lock) this.#locks.delete(key);
    };
    try {
      giveBack = await lock.acquire(signal);
      return await task(release);
    } finally {
      release();
    }
  }
}
