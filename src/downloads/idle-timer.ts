/** Calls a function when nothing has happened for a time. */
export class IdleTimer {
  readonly #milliseconds: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, onIdle: () => void) {
    this.#milliseconds = milliseconds;
    this.#onIdle = onIdle;
    this.restart();
  }

  restart(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(this.#onIdle, this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
