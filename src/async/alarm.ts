import { untilAborted } from './abort';
import { LONGEST_TIMER } from './timer';

/** Lets one caller at a time sleep until a time that may change. */
export class Alarm {
  #wake = () => {};

  /** Wakes the caller, which then checks the time again. */
  wake(): void {
    this.#wake();
  }

  /**
   * Sleeps until `due()` is over, by `performance.now()`; for Infinity until it is woken and looks again. Does not keep
   * the process alive.
   * @throws the signal's reason once it is aborted.
   */
  async sleepUntil(due: () => number, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const wait = due() - performance.now();
      if (wait <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (wait < Infinity) timer = setTimeout(resolve, Math.min(Math.ceil(wait), LONGEST_TIMER)).unref();
      });
      await untilAborted(woken, signal).finally(() => {
        clearTimeout(timer);
      });
    }
  }
}
