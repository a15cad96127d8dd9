import type { Clock } from './clock';
import { Emitter } from './emitter';

/** The schema has Trace since v0.11. */
export type LogLevel = 'Trace' | 'Debug' | 'Info' | 'Progress' | 'Warning' | 'Error';

/** A line of the log as the server reports it. */
export interface LogEntry {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

const KEPT = 30;

/** The server's log. */
export class ServerLog {
  /** The minimum time between two batches, in milliseconds; a test may reduce it. */
  every = 1000;
  /** The batches of `loggingSubscribe`, with all levels. */
  readonly batches = new Emitter<readonly LogEntry[]>();

  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #kept: LogEntry[] = [];
  #waiting: LogEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lastBatch = performance.now();
  #held: LogEntry[] | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
    });
  }

  /** The newest lines, newest first, without Debug and Trace. */
  get newest(): readonly LogEntry[] {
    return this.#kept;
  }

  /** Writes a line. Sends it at once if the last batch is old enough, otherwise later with other lines. */
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

  /** Holds batches back, as the time that a large one takes does. */
  hold(): void {
    this.#held ??= [];
  }

  /** Delivers the lines that are held back as one batch, or only the first ones. */
  deliver(count = Infinity): void {
    const lines = this.#held?.splice(0, count) ?? [];
    if (lines.length > 0) this.#emit(lines);
  }

  /** Discards the lines that are held back, and holds no further ones. */
  drop(): void {
    this.#held = undefined;
  }

  /** Delivers the lines that are held back, and holds no further ones. */
  release(): void {
    this.deliver();
    this.#held = undefined;
  }

  #broadcast(): void {
    this.#timer = undefined;
    this.#lastBatch = performance.now();
    const lines = this.#waiting;
    this.#waiting = [];
    if (this.#held) this.#held.push(...lines);
    else this.#emit(lines);
  }

  // Real servers do not order the lines of a batch: often the last one comes first.
  #emit(lines: readonly LogEntry[]): void {
    this.batches.emit([...lines.slice(-1), ...lines.slice(0, -1)]);
  }
}
