import { untilAborted } from './abort';
import { LONGEST_TIMER } from './timer';

/** Lets one caller at a time sleep until a time that may change. */
export class Alarm {
  #wake = () => {};

  wake(): void {
    this.#wake();
  }

  /** Sleeps until `due()`, by `performance.now()`. Does not keep the process alive. */
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
