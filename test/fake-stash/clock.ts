import type { Quirks } from './quirks';

/** The server's clock, and how its release writes a time down. */
export class Clock {
  /** Milliseconds by which the server's clock differs from that of its clients. */
  ahead = 0;

  readonly #zone: string;
  readonly #precise: boolean;
  #stoppedAt: number | undefined;

  /** The zone is that of the server, e.g. "+02:00"; "Z" for UTC. */
  constructor(zone: string, { preciseTimes }: Quirks) {
    this.#zone = zone;
    this.#precise = preciseTimes;
  }

  /** What is told of jobs and in the log: RFC 3339 in the server's zone. */
  now(): string {
    const { date, time, fraction } = this.#read();
    // Go leaves out the zeros at the end, and the point with them.
    const part = this.#precise ? `.${fraction}`.replace(/\.?0+$/, '') : '';
    return `${date}T${time}${part}${this.#zone}`;
  }

  /** What is kept in the database, with whole seconds on all releases; now, or so many milliseconds later. */
  second(later = 0): string {
    const { date, time } = this.#read(later);
    return `${date}T${time}${this.#zone}`;
  }

  /** In the names of files: yyyymmdd_hhmmss. */
  digits(): string {
    const { date, time } = this.#read();
    return `${date}_${time}`.replaceAll(/[-:]/g, '');
  }

  /** Since 1970, as all computers count them. */
  milliseconds(): number {
    return (this.#stoppedAt ?? performance.timeOrigin + performance.now()) + this.ahead;
  }

  /** From now on only `ahead` moves it. */
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
