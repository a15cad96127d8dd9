import type { TrackedJob } from './tracked-job';

/** The number of starts to remember, of all servers together. */
const MOST_STARTS = 1_000;
/**
 * How much the times of one moment may differ, in milliseconds: the time of a job is in whole seconds in some releases, and so is
 * the server's time in a response.
 */
const INEXACT = 3_000;
/** By how much the server's time may be wrong, in milliseconds: it may be that of a proxy, or unknown. */
const WRONG = 10 * 60_000;

/** A job that a node has started. */
interface Start {
  /** The address of the server. */
  url: string;
  id: string;
  /** The ID of the node in the editor. */
  origin: string;
  /** When the start began and when the server named the job, in milliseconds since 1970, by the clock of the server. */
  from: number;
  to: number;
  /** When the server queued it; undefined until somebody has looked at the job. */
  addTime?: string;
  /** The server may have restarted before that. */
  isDoubtful?: true;
}

/** A start whose job the server has just named. */
interface NamedStart {
  id: string | null;
  began: number;
}

/**
 * The last starts, oldest first. Module-level, because a job goes on when a deploy replaces its config node, and by address,
 * because several config nodes may have the same.
 */
const starts = new Map<string, Start>();

/** Remembers which node started a job of a server, if it was one of this package. */
export class JobOrigins {
  readonly #url: string;
  readonly #clockSkew: () => number;
  /** The starts in flight: each has the lowest sequence number that its job can have. */
  readonly #starting = new Set<{ firstSequence: number }>();

  /**
   * @param url the address of the server.
   * @param clockSkew returns how far its clock is ahead of that of this machine, in milliseconds.
   */
  constructor(url: string, clockSkew = () => 0) {
    this.#url = url;
    this.#clockSkew = clockSkew;
  }

  /** Marks a start in flight, whose job may appear before the response names it. @returns a function to call at its end. */
  expect(firstSequence: number): () => void {
    const start = { firstSequence };
    this.#starting.add(start);
    return () => {
      this.#starting.delete(start);
    };
  }

  /**
   * Remembers the start of a job, if the server has just named it.
   * @param began when the start began, in milliseconds since 1970.
   */
  add(origin: string, { id, began }: NamedStart): void {
    if (id === null) return;
    const key = this.#keyOf(id);
    const skew = this.#clockSkew();
    // The newest ones are at the end.
    starts.delete(key);
    starts.set(key, { url: this.#url, id, origin, from: began + skew, to: Date.now() + skew });
    const [oldest] = starts.keys();
    if (starts.size > MOST_STARTS && oldest !== undefined) starts.delete(oldest);
  }

  /** Marks that the server may have restarted, after which it gives the same IDs to other jobs. */
  doubt(): void {
    for (const start of this.#own()) if (start.addTime === undefined) start.isDoubtful = true;
  }

  /**
   * Returns the ID of the node that started a job; null for a job that somebody else started, and undefined while that is
   * unknown.
   */
  of(tracked: TrackedJob): string | null | undefined {
    const { id, addTime } = tracked.job;
    const start = starts.get(this.#keyOf(id));
    if (!start || !this.#mayBeOf(start, addTime)) return this.#unlessExpected(tracked);
    if (start.addTime === undefined && (start.isDoubtful || !isDuring(start, addTime, INEXACT)))
      return undefined;
    start.addTime = addTime;
    return start.origin;
  }

  #unlessExpected({ sequence }: TrackedJob): null | undefined {
    const isExpected = [...this.#starting].some(({ firstSequence }) => sequence >= firstSequence);
    return isExpected ? undefined : null;
  }

  /** Whether the server may have queued a job at the time of a start, and not after the job of a later start. */
  #mayBeOf(start: Start, addTime: string): boolean {
    if (start.addTime !== undefined) return start.addTime === addTime;
    if (!isDuring(start, addTime, WRONG)) return false;
    return !this.#own().some(
      (later) =>
        later.addTime !== undefined &&
        later.to >= start.to &&
        Number(later.id) > Number(start.id) &&
        Date.parse(later.addTime) < Date.parse(addTime),
    );
  }

  #own(): Start[] {
    return [...starts.values()].filter(({ url }) => url === this.#url);
  }

  #keyOf(id: string): string {
    return `${id} ${this.#url}`;
  }
}

/** Whether a job was queued during a start. @param tolerance in milliseconds. */
function isDuring({ from, to }: Start, addTime: string, tolerance: number): boolean {
  const added = Date.parse(addTime);
  return added >= from - tolerance && added <= to + tolerance;
}
