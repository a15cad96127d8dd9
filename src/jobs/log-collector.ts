import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, isString } from '../guards';
import type { Problem } from '../records';
import { timing } from '../timing';
import { isTime } from './server-job';

const MOST_TIMES = 100_000;
const MOST_LINES = 1_000;
const MOST_OF_A_JOB = 100;
/** The longest path of a file or folder that a clean task removes, in UTF-16 units. */
const LONGEST_PATH = 1_000;
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

/** How a server names what a clean task removes, in a dry run as well: v0.10 to v0.30, and before that. */
const MARKED = /^(?!\[Plugin ).*?(?:Marking to clean|Cleaning): "?(.*?)"?$/s;
/** The same for what is in an archive that it removes, since v0.17. */
const MARKED_INSIDE = /^Marking contained (?:file|folder) "(.*)" to clean$/s;

/** Collects the lines of a server's log that may belong to a tracked job: warnings, errors, and what a clean task removes. */
export class LogCollector {
  readonly #redact: (text: string) => string;
  readonly #problems = new Lines<Problem>();
  readonly #marked = new Lines<string>();
  /** The latest time in the last batch. Those before do not count, because the clock of the server may have been set back. */
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
    this.#latest = -Infinity;
    for (const line of lines) {
      if (!isRecord(line) || !isTime(line['time']) || !isString(line['message'])) continue;
      const { time, level, message } = line;
      const at = instantOf(time);
      this.#latest = Math.max(this.#latest, at);
      if (level === 'Info') {
        const marked = markedIn(message);
        if (marked !== undefined) this.#marked.add(at, this.#redact(marked));
      } else if ((level === 'Warning' || level === 'Error') && mayBeOfJob(message)) {
        const text = this.#redact(message);
        this.#problems.add(at, { time, level: level === 'Error' ? 'error' : 'warning', text });
      }
    }
  }

  /**
   * Resolves when the log lines up to `end` have arrived, a recent time by the clock of the server.
   * @param caughtUp resolves when everything that the server has sent so far has arrived, or nothing more can come.
   */
  async settled(end: string, caughtUp: () => Promise<void>): Promise<void> {
    // Lines within a few milliseconds may arrive in another order.
    if (this.#latest > instantOf(end) + timing.jobs.logMargin / 1000) return;
    const wait = Math.max(this.#heardAt + timing.jobs.logBatch - performance.now(), timing.jobs.logMargin);
    await sleep(wait, undefined, { ref: false });
    // The last batch may still be on its way.
    await caughtUp();
  }

  /** Returns the last hundred problems between two times of the server, and the number of all. */
  between(start: string, end: string): { problems: Problem[]; problemCount: number } {
    const { lines, count } = this.#problems.between(instantOf(start), instantOf(end));
    return { problems: lines, problemCount: count };
  }

  /** Returns the last hundred paths that a clean task removed between two times of the server, and the number of all. */
  markedBetween(start: string, end: string): { paths: string[]; count: number } {
    const { lines, count } = this.#marked.between(instantOf(start), instantOf(end));
    return { count, paths: lines };
  }
}

/** The newest lines of a kind, and the times of many more. */
class Lines<Line> {
  #lines: { at: number; line: Line }[] = [];
  #times: number[] = [];

  /** Adds a line of a time in seconds. */
  add(at: number, line: Line): void {
    this.#times.push(at);
    this.#lines.push({ at, line });
    this.#times = newest(this.#times, MOST_TIMES);
    this.#lines = newest(this.#lines, MOST_LINES);
  }

  /** Returns the last hundred lines between two times, oldest first, and the number of all. */
  between(from: number, to: number): { lines: Line[]; count: number } {
    const within = (at: number) => at >= from && at <= to;
    return {
      lines: this.#lines
        .filter(({ at }) => within(at))
        .sort((one, other) => one.at - other.at)
        .slice(-MOST_OF_A_JOB)
        .map(({ line }) => line),
      count: this.#times.filter(within).length,
    };
  }
}

/** Returns the path that a line of a clean task marks; undefined for other lines. */
function markedIn(message: string): string | undefined {
  if (message.length > 4 * LONGEST_PATH || !/clean/i.test(message)) return undefined;
  const path = (MARKED_INSIDE.exec(message) ?? MARKED.exec(message))?.[1];
  return path?.slice(0, LONGEST_PATH);
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
