import { sleep, unlessAnswered } from '../async';
import { isRecord, isString } from '../guards';
import type { JobRecord, Problem } from '../records';
import { timing } from '../timing';
import { isTime } from './server-job';

const MOST_TIMES = 100_000;
const MOST_LINES = 5_000;
const MOST_OF_A_JOB = 100;
/** How much to keep of the path of a file or folder that a clean task removes, in UTF-16 units. */
const LONGEST_PATH = 1_000;
/** Levels of log lines (all releases with a socket). */
const LEVELS = ['Trace', 'Debug', 'Info', 'Progress', 'Warning', 'Error'];
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

/** What a dry run of a clean task says first, since v0.11. */
const DRY_RUN = 'Running in Dry Mode';

/** A scene that an identify task has changed, or something that an auto tag task has added to an item, since v0.11. */
const CHANGE = /^(?:Successfully identified |Added (?:performer|studio|tag|scene|image|gallery) ')/;

/** The beginnings of errors after which a clean task has not checked everything, since v0.11. */
const BROKEN_OFF = /^(?:error cleaning |error getting count|Error finding empty galleries)/;

/** A line of a server's log. */
export interface LogEntry {
  time: string;
  level: string;
  message: string;
}

/**
 * Collects the lines of a server's log that may belong to a job: warnings, errors, and what a clean task removes. It is the log
 * of one connection, without a gap: a line that is missing would make a number smaller than the truth.
 */
export class LogCollector {
  readonly #redact: (text: string) => string;
  readonly #problems = new Lines<Problem>();
  readonly #marked = new Lines<string>();
  readonly #brokenOff = new Lines<true>();
  readonly #dryRuns = new Lines<true>();
  readonly #changes = new Lines<true>();
  readonly #checks = new Set<() => void>();
  #earliest = Infinity;
  #latest = -Infinity;
  /** The smallest difference between this machine's clock and a batch, in seconds. */
  #leastLag = Infinity;
  #isOpen = true;

  /** Since when no line is missing, by `performance.now()`. */
  readonly since: number;

  /** @param redact removes secrets and control characters from a text of the server. */
  constructor(redact: (text: string) => string, since = performance.now()) {
    this.#redact = redact;
    this.since = since;
  }

  /** Whether nothing is missing until now. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Adds a batch, or closes the log. @returns whether no line is missing before it. */
  add(lines: unknown): lines is readonly LogEntry[] {
    if (!this.#isOpen) return false;
    if (!Array.isArray(lines) || !lines.every(isLogEntry)) {
      // Whatever it was, it may have been a problem of a job.
      this.close();
      return false;
    }
    const { latest, earliest } = this.#read(lines);
    // Times in whole seconds would hide less.
    const overlap = lines.some(({ time }) => time.includes('.')) ? timing.jobs.logMargin / 1000 : 1;
    const lag = performance.now() / 1000 - latest;
    this.#leastLag = Math.min(this.#leastLag, lag);
    // The clock of the server was set back, so the times no longer show which lines belong to a job. Or the connection is so slow
    // that the server may have discarded lines: it keeps a hundred batches for each client, at most one a second.
    const isLate = lag - this.#leastLag > timing.jobs.longestLag;
    if (isLate || earliest < this.#latest - overlap) {
      this.close();
      return !isLate;
    }
    this.#earliest = Math.min(this.#earliest, earliest);
    this.#latest = Math.max(this.#latest, latest);
    this.#check();
    return true;
  }

  /** Marks that no further lines arrive, and discards all: ended jobs keep the log, and nothing of it is certain any more. */
  close(): void {
    this.#isOpen = false;
    for (const lines of [this.#problems, this.#marked, this.#brokenOff, this.#dryRuns, this.#changes]) {
      lines.clear();
    }
    this.#check();
  }

  /**
   * Resolves with whether all lines between two times of the server have arrived, once that is certain or remains unknown for too
   * long. With a line from before and one from after, everything between has arrived, too: batches keep their order.
   * @param flush makes the server write a line, which is then the one after.
   */
  async isComplete(start: string, end: string, flush: () => void): Promise<boolean> {
    const from = instantOf(start);
    const to = instantOf(end);
    const after = lastOf(end);
    const isWhole = () => this.#isOpen && this.#earliest < from && from <= to && this.#latest > after;
    const over = new AbortController();
    const finish = () => over.abort(new Error('The wait is over.'));
    const check = () => {
      const isLate = this.#earliest >= from && this.#earliest < Infinity;
      if (!this.#isOpen || isLate || isWhole()) finish();
    };
    this.#checks.add(check);
    const stop = unlessAnswered(timing.jobs.longestLog, finish);
    check();
    for (let wait = timing.jobs.firstFlush; !over.signal.aborted; wait = timing.jobs.nextFlush) {
      await sleep(wait, over.signal).then(flush, () => undefined);
    }
    stop();
    this.#checks.delete(check);
    return isWhole();
  }

  /**
   * Returns the last hundred problems of a job, and the number of all; undefined if some of them were discarded. Some servers write
   * lines of a job shortly after its end.
   * @param next the start of the next job, to which the lines since then belong; null while there is none.
   */
  problemsBetween(
    start: string,
    end: string,
    next: string | null,
  ): { problems: Problem[]; problemCount: number } | undefined {
    const found = this.#problems.between(...windowOf(start, end, next));
    return found && { problems: found.lines, problemCount: found.count };
  }

  /** Returns the same for the paths that a clean task marked; undefined also if it broke off, so that it would be too few. */
  markedBetween(start: string, end: string, next: string | null): JobRecord['marked'] {
    const [from, to] = windowOf(start, end, next);
    if (this.#brokenOff.between(from, to)?.count !== 0) return undefined;
    const found = this.#marked.between(from, to);
    const dryRuns = this.#dryRuns.between(from, to);
    return found && dryRuns && { count: found.count, dryRun: dryRuns.count > 0, paths: found.lines };
  }

  /** Returns how many changes an identify or auto tag task has logged; undefined like `problemsBetween`. */
  changesBetween(start: string, end: string, next: string | null): number | undefined {
    return this.#changes.between(...windowOf(start, end, next))?.count;
  }

  /** Keeps the lines that matter. @returns the times of the first and the last line of the batch, which is in no exact order. */
  #read(lines: readonly LogEntry[]): { earliest: number; latest: number } {
    let earliest = Infinity;
    let latest = -Infinity;
    for (const { time, level, message } of lines) {
      const at = instantOf(time);
      earliest = Math.min(earliest, at);
      latest = Math.max(latest, at);
      if (level === 'Info') {
        const marked = markedIn(message);
        if (marked !== undefined) this.#marked.add(at, this.#redact(marked));
        else if (message === DRY_RUN) this.#dryRuns.add(at, true);
        else if (CHANGE.test(message)) this.#changes.add(at, true);
      } else if ((level === 'Warning' || level === 'Error') && mayBeOfJob(message)) {
        if (BROKEN_OFF.test(message)) this.#brokenOff.add(at, true);
        const text = this.#redact(message);
        this.#problems.add(at, { time, level: level === 'Error' ? 'error' : 'warning', text });
      }
    }
    return { earliest, latest };
  }

  #check(): void {
    for (const check of this.#checks) check();
  }
}

/** The newest lines of a kind, and the times of many more. */
class Lines<Line> {
  #lines: { at: number; line: Line }[] = [];
  #times: number[] = [];
  /** The latest time that was discarded. */
  #discarded = -Infinity;

  /** Adds a line of a time in seconds. */
  add(at: number, line: Line): void {
    this.#times.push(at);
    this.#lines.push({ at, line });
    // Only now and then, because that copies all of them.
    if (this.#lines.length > 2 * MOST_LINES) this.#lines = this.#lines.slice(-MOST_LINES);
    if (this.#times.length <= 2 * MOST_TIMES) return;
    for (const time of this.#times.slice(0, -MOST_TIMES)) this.#discarded = Math.max(this.#discarded, time);
    this.#times = this.#times.slice(-MOST_TIMES);
  }

  clear(): void {
    this.#lines = [];
    this.#times = [];
    this.#discarded = Infinity;
  }

  /**
   * Returns the last hundred lines between two times, oldest first, and the number of all; undefined if some of them were
   * discarded.
   */
  between(from: number, to: number): { lines: Line[]; count: number } | undefined {
    const within = (at: number) => at >= from && at <= to;
    const count = this.#times.filter(within).length;
    const lines = this.#lines
      .filter(({ at }) => within(at))
      .sort((one, other) => one.at - other.at)
      .slice(-MOST_OF_A_JOB)
      .map(({ line }) => line);
    const isWhole = this.#discarded < from && lines.length >= Math.min(count, MOST_OF_A_JOB);
    return isWhole ? { lines, count } : undefined;
  }
}

function isLogEntry(line: unknown): line is LogEntry {
  if (!isRecord(line)) return false;
  const { time, level, message } = line;
  return isTime(time) && isString(level) && LEVELS.includes(level) && isString(message);
}

/** Returns the path that a line of a clean task marks; undefined for other lines. */
function markedIn(message: string): string | undefined {
  if (!/clean/i.test(message)) return undefined;
  const path = (MARKED_INSIDE.exec(message) ?? MARKED.exec(message))?.[1];
  return path?.slice(0, LONGEST_PATH);
}

/** Whether a job may have caused a line: false if something else is known to have. */
function mayBeOfJob(message: string): boolean {
  const beginning = message.slice(0, LONGEST_BEGINNING);
  return !BEGINNINGS.some((other) => beginning.startsWith(other)) && !API_ERROR.test(beginning);
}

/** Returns the times of the first and the last line of a job, in seconds. */
function windowOf(start: string, end: string, next: string | null): [from: number, to: number] {
  const limit = next === null ? Infinity : Math.max(instantOf(end), instantOf(next));
  return [instantOf(start), Math.min(lastOf(end), limit)];
}

/** Returns the latest time of a line of a job that has ended, in seconds. */
function lastOf(end: string): number {
  // A time in whole seconds is that of any moment in its second.
  return instantOf(end) + (end.includes('.') ? 0 : 1) + timing.jobs.logMargin / 1000;
}

/** Returns a time in seconds. Finer than Date, because jobs may follow each other within a millisecond. */
function instantOf(time: string): number {
  const fraction = /\.\d+/.exec(time)?.[0] ?? '';
  return Date.parse(time.replace(fraction, '')) / 1000 + Number(`0${fraction}`);
}
