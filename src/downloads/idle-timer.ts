/** Calls a function when nothing has happened for a time. */
export class IdleTimer {
  readonly #milliseconds: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** Starts the timer. */
  constructor(milliseconds: number, onIdle: () => void) {
    this.#milliseconds = milliseconds;
    this.#onIdle = onIdle;
    this.restart();
  }

  /** Starts the time again, because something has happened. */
  restart(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#onIdle, this.#milliseconds);
  }

  /** Stops the timer until it is restarted. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
