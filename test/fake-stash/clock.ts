import type { Quirks } from './quirks';

/** The server's clock, and the format of its times. */
export class Clock {
  /** How far the server's clock is ahead of its clients', in milliseconds. */
  ahead = 0;

  readonly #zone: string;
  readonly #precise: boolean;
  #stoppedAt: number | undefined;

  /** @param zone the server's time zone, e.g. "+02:00"; "Z" for UTC. */
  constructor(zone: string, { preciseTimes }: Quirks) {
    this.#zone = zone;
    this.#precise = preciseTimes;
  }

  /** Returns the time for jobs and the log: RFC 3339 in the server's zone. */
  now(): string {
    const { date, time, fraction } = this.#read();
    // Go leaves out the zeros at the end, and the point with them.
    const part = this.#precise ? `.${fraction}`.replace(/\.?0+$/, '') : '';
    return `${date}T${time}${part}${this.#zone}`;
  }

  /** Returns the time as the database keeps it, with whole seconds; `later` in milliseconds. */
  second(later = 0): string {
    const { date, time } = this.#read(later);
    return `${date}T${time}${this.#zone}`;
  }

  /** Returns the time for file names: yyyymmdd_hhmmss. */
  digits(): string {
    const { date, time } = this.#read();
    return `${date}_${time}`.replaceAll(/[-:]/g, '');
  }

  /** Returns the milliseconds since 1970. */
  milliseconds(): number {
    return (this.#stoppedAt ?? performance.timeOrigin + performance.now()) + this.ahead;
  }

  /** Stops the clock: only `ahead` moves it then. */
  stop(): void {
    this.#stoppedAt = performance.timeOrigin + performance.now();
  }

  #read(later = 0) {
    const milliseconds = this.milliseconds() + later;
    const [, sign = '+', hours = 0, minutes = 0] = /^([+-])(\d\d):(\d\d)$/.exec(this.#zone) ?? [];
    const offset = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    const [date = '', time = ''] = new Date(milliseconds + offset).toISOString().split(/[T.]/);
    const fraction = String(Math.floor((milliseconds % 1000) * 1e6)).padStart(9, '0');
    return { date, time, fraction };
  }
}
