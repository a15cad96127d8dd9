import type { Clock } from './clock';
import { Emitter } from './emitter';

/** Trace is known to v0.11 and later. */
export type LogLevel = 'Trace' | 'Debug' | 'Info' | 'Progress' | 'Warning' | 'Error';

/** A line of the log as the server tells it. */
export interface LogEntry {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

const KEPT = 30;

/** The server's log. */
export class ServerLog {
  /** Milliseconds from one batch to the next at least; tests that have no time set less. */
  every = 1000;
  /** What those get who listen, every level in it. */
  readonly batches = new Emitter<readonly LogEntry[]>();

  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #kept: LogEntry[] = [];
  #waiting: LogEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lastBatch = performance.now();

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
    });
  }

  /** The newest lines, newest first; what the configured level leaves out (Debug and Trace) is not kept. */
  get newest(): readonly LogEntry[] {
    return this.#kept;
  }

  /** Writes a line: it goes out at once if the last batch is old enough, otherwise when it is. */
  write(level: LogLevel, message: string): void {
    if (this.#signal.aborted) return;
    const entry = { time: this.#clock.now(), level, message };
    if (level !== 'Trace' && level !== 'Debug') this.#kept = [entry, ...this.#kept].slice(0, KEPT);
    this.#waiting.push(entry);
    if (this.#timer) return;
    const left = this.#lastBatch + this.every - performance.now();
    if (left <= 0) this.#broadcast();
    else {
      this.#timer = setTimeout(() => {
        this.#broadcast();
      }, left);
    }
  }

  // Within a batch the lines of real servers come in no order: often the last one is the first.
  #broadcast(): void {
    this.#timer = undefined;
    this.#lastBatch = performance.now();
    const lines = this.#waiting;
    this.#waiting = [];
    this.batches.emit([...lines.slice(-1), ...lines.slice(0, -1)]);
  }
}
