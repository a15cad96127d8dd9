import type { TrackedJob } from './tracked-job';

/** The number of starts to remember, of all servers together. */
const MOST_STARTS = 1_000;
/** The longest time between two clocks for the same moment, in milliseconds: those of this machine and of the server. */
const CLOCK_SKEW = 10 * 60_000;

/** A job that a node has started. */
interface Start {
  /** The address of the server. */
  url: string;
  id: string;
  /** The ID of the node in the editor. */
  origin: string;
  /** When the server named the job, in milliseconds since 1970. */
  at: number;
  /** When the server queued it; undefined until somebody has looked at the job. */
  addTime?: string;
  /** The server may have restarted before that. */
  isDoubtful?: true;
}

/**
 * The last starts, oldest first. Module-level, because a job goes on when a deploy replaces its config node, and by address,
 * because several config nodes may have the same.
 */
const starts = new Map<string, Start>();

/** Remembers which node started a job of a server, if it was one of this package. */
export class JobOrigins {
  readonly #url: string;
  /** Jobs without an ID, before v0.8. */
  readonly #unnamed = new WeakMap<TrackedJob, string>();
  /** The starts in flight: each has the lowest sequence number that its job can have. */
  readonly #starting = new Set<{ firstSequence: number }>();

  /** @param url the address of the server. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Marks a start in flight, whose job may appear before the response names it. @returns a function to call at its end. */
  expect(firstSequence: number): () => void {
    const start = { firstSequence };
    this.#starting.add(start);
    return () => {
      this.#starting.delete(start);
    };
  }

  /** Remembers the start of a job. @param tracked the job, where it has no ID. */
  add(origin: string, id: string | null, tracked?: TrackedJob): void {
    if (id === null) {
      if (tracked) this.#unnamed.set(tracked, origin);
      return;
    }
    const key = this.#keyOf(id);
    // The newest ones are at the end.
    starts.delete(key);
    starts.set(key, { url: this.#url, id, origin, at: Date.now() });
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
    if (id === '') return this.#unnamed.get(tracked) ?? this.#unlessExpected(tracked);
    const start = starts.get(this.#keyOf(id));
    if (!start || !this.#fits(start, addTime)) return this.#unlessExpected(tracked);
    if (start.isDoubtful) return undefined;
    start.addTime = addTime;
    return start.origin;
  }

  #unlessExpected({ sequence }: TrackedJob): null | undefined {
    const isExpected = [...this.#starting].some(({ firstSequence }) => sequence >= firstSequence);
    return isExpected ? undefined : null;
  }

  /** Whether the server queued a job at the time of a start, and not after the job of a later start. */
  #fits(start: Start, addTime: string): boolean {
    if (start.addTime !== undefined) return start.addTime === addTime;
    const added = Date.parse(addTime);
    if (Math.abs(added - start.at) > CLOCK_SKEW) return false;
    return !this.#own().some(
      (later) =>
        later.addTime !== undefined &&
        later.at >= start.at &&
        Number(later.id) > Number(start.id) &&
        Date.parse(later.addTime) < added,
    );
  }

  #own(): Start[] {
    return [...starts.values()].filter(({ url }) => url === this.#url);
  }

  #keyOf(id: string): string {
    return `${id} ${this.#url}`;
  }
}
