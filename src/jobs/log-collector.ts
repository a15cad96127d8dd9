import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, isString } from '../guards';
import type { Problem } from '../records';
import { timing } from '../timing';
import { isTime } from './server-job';

const MOST_TIMES = 100_000;
const MOST_PROBLEMS = 1_000;
const MOST_OF_A_JOB = 100;
/** How much of a line decides whether a job may have caused it, in UTF-16 units. */
const LONGEST_BEGINNING = 1_000;

/**
 * The beginnings of lines that no job causes (from v0.17.2 and v0.30.1): sign-ins, requests from the internet, streams and
 * pictures, and the check for a new release.
 */
const BEGINNINGS = [
  'Error logging in:',
  'Stash has been accessed from the internet',
  '[stream] ',
  '[caption] ',
  // Generated transcodes log other lines.
  '[transcode] cannot live transcode',
  '[transcode] error parsing query form',
  '[transcode] error generating HLS',
  '[transcode] error generating DASH',
  '[transcode] error serving transcoded',
  '[transcode] error transcoding video file',
  '[transcode] error writing response',
  '[transcode] ffmpeg error when running command',
  'unable to write end of stream',
  'unable to flush buffer',
  'read transaction error on fetch',
  'error serving ',
  "Couldn't retrieve latest version",
  "Couldn't find latest version",
  'Error while retrieving latest ',
];
/** An error of the API: the path of the requested field, twice. */
const API_ERROR = /^([A-Za-z_]\w*(?:\.\w+|\[\d+\])*): input(?::\d+)?: \1 /;

/** Collects the warnings and errors of a server's log that may belong to a tracked job. */
export class LogCollector {
  readonly #redact: (text: string) => string;
  #problems: { at: number; problem: Problem }[] = [];
  #times: number[] = [];
  #latest = -Infinity;
  #heardAt = -Infinity;

  /** @param redact removes secrets and control characters from a text of the server. */
  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /**
   * Starts to collect. The server may have sent a batch just before, so the next one may take a second.
   */
  begin(): void {
    this.#heardAt = performance.now();
  }

  /** Adds a batch of `LogEntry`. */
  add(lines: unknown): void {
    if (!Array.isArray(lines)) return;
    this.#heardAt = performance.now();
    for (const line of lines) {
      if (!isRecord(line) || !isTime(line['time']) || !isString(line['message'])) continue;
      const { time, level, message } = line;
      const at = instantOf(time);
      this.#latest = Math.max(this.#latest, at);
      if ((level !== 'Warning' && level !== 'Error') || !mayBeOfJob(message)) continue;
      const text = this.#redact(message);
      this.#times.push(at);
      this.#problems.push({ at, problem: { time, level: level === 'Error' ? 'error' : 'warning', text } });
    }
    this.#times = newest(this.#times, MOST_TIMES);
    this.#problems = newest(this.#problems, MOST_PROBLEMS);
  }

  /** Resolves when the log lines up to `end` have arrived, a recent time by the clock of the server. */
  async settled(end: string): Promise<void> {
    // Lines within a few milliseconds may arrive in another order.
    if (this.#latest > instantOf(end) + timing.jobs.logMargin / 1000) return;
    const wait = Math.max(this.#heardAt + timing.jobs.logBatch - performance.now(), timing.jobs.logMargin);
    await sleep(wait, undefined, { ref: false });
  }

  /** Returns the last hundred lines between two times of the server, and the number of all. */
  between(start: string, end: string): { problems: Problem[]; problemCount: number } {
    const [from, to] = [instantOf(start), instantOf(end)];
    const within = (at: number) => at >= from && at <= to;
    return {
      problems: this.#problems
        .filter(({ at }) => within(at))
        .sort((one, other) => one.at - other.at)
        .slice(-MOST_OF_A_JOB)
        .map(({ problem }) => problem),
      problemCount: this.#times.filter(within).length,
    };
  }
}

/** Whether a job may have caused a line: false if something else is known to have. */
function mayBeOfJob(message: string): boolean {
  const beginning = message.slice(0, LONGEST_BEGINNING);
  return !BEGINNINGS.some((other) => beginning.startsWith(other)) && !API_ERROR.test(beginning);
}

/** Returns the last entries of a growing list; cuts it only now and then, because that copies all of them. */
function newest<T>(list: T[], most: number): T[] {
  return list.length > 2 * most ? list.slice(-most) : list;
}

/** Returns a time in seconds. Finer than Date, because jobs may follow each other within a millisecond. */
function instantOf(time: string): number {
  const fraction = /\.\d+/.exec(time)?.[0] ?? '';
  return Date.parse(time.replace(fraction, '')) / 1000 + Number(`0${fraction}`);
}
