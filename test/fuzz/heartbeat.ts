const EVERY = 5;

/**
 * Measures how long the event loop of this process is busy without a pause. Time that other processes take away does not count, so
 * that a busy machine changes nothing.
 */
export class Heartbeat {
  /** The longest stall so far, in milliseconds. */
  longest = 0;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let last = now();
    this.#timer = setInterval(() => {
      const { wall, processor } = now();
      // The processor time is that of all threads, so it may be more than the time that has passed.
      const busy = Math.min(wall - last.wall, processor - last.processor);
      this.longest = Math.max(this.longest, busy - EVERY);
      last = { wall, processor };
    }, EVERY);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function now() {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), processor: (user + system) / 1000 };
}
