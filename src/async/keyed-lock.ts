import { Semaphore } from './semaphore';

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
