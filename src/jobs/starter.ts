import { untilAborted } from '../async';
import { StashError } from '../errors';
import type { SendRequest } from '../graphql';
import type { JobStart, PendingStart } from './job-start';
import { LegacyStarts } from './legacy-slot';
import type { TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

/** How many answered starts are kept: a poll may still show one of their jobs. */
const MOST_ANSWERED = 100;

export interface JobStarterOptions {
  watcher: JobWatcher;
  request: SendRequest;
  /** How long a server before v0.8 is asked whether it has taken a start, in milliseconds. */
  timeout: number;
}

/** A start whose response was lost. */
interface LostStart {
  descriptions: readonly string[];
  /** Another start of the same kind was lost at the same time, so the job that appeared may be that one's. */
  ambiguous: boolean;
}

/** Starts jobs, each once. Where the response is lost, it finds the job that was meant, if only one can be. */
export class JobStarter {
  readonly #options: JobStarterOptions;
  readonly #legacy: LegacyStarts;
  /** The mutations under way. */
  readonly #starting = new Set<Promise<unknown>>();
  readonly #lost = new Set<LostStart>();
  /** The starts that were answered last. `at`: when, by `performance.now()`. */
  readonly #answered: { id: string; firstSequence: number; at: number }[] = [];

  constructor(options: JobStarterOptions) {
    this.#options = options;
    this.#legacy = new LegacyStarts(options.watcher.poller, options.timeout);
  }

  /**
   * Starts the job. A server before v0.8 runs one task at a time and drops a start without a word while it is busy: there
   * it waits until the server is idle.
   * @param waiting ends what is waited for before the start, and the search for a job whose response was lost.
   * @param onSent called when the start has reached the server, or may have.
   */
  async start(start: JobStart, waiting: AbortSignal, onSent?: () => void): Promise<PendingStart> {
    const { isLive, poller } = this.#options.watcher;
    if (!isLive && !poller.isSlot) await this.#look(waiting);
    const send = () => this.#send(start, waiting, onSent);
    return poller.isSlot ? this.#legacy.start(start, waiting, send) : send();
  }

  /** Returns how many jobs run before this one according to the last poll; null if that is unknown. */
  behind({ id }: PendingStart): number | null {
    // Before v0.8 the server was idle.
    if (id === null) return 0;
    const { isLive, table } = this.#options.watcher;
    const ahead = table.open.filter(({ job }) => Number(job.id) < Number(id)).length;
    if (isLive) return ahead;
    // What others have queued since the last poll may have ended, or not.
    const { newest } = table;
    const isNext = newest === undefined || Number(id) <= Number(newest.job.id) + 1;
    return isNext && !this.#hasStarted(id) ? ahead : null;
  }

  /** Sees what the server is at before a start, unless it cannot tell. */
  async #look(waiting: AbortSignal): Promise<void> {
    const { watcher } = this.#options;
    try {
      // Whoever follows jobs wants to know this one, too, from its start on.
      if (watcher.isBeginning) await watcher.ready(waiting);
      else if (!watcher.poller.continuity.isFresh || this.#hasStarted()) await watcher.poller.poll(waiting);
    } catch (error) {
      if (!(error instanceof StashError && error.code === 'UNSUPPORTED')) throw error;
    }
  }

  async #send(
    { call, build, description, slot }: JobStart,
    waiting: AbortSignal,
    onSent?: () => void,
  ): Promise<PendingStart> {
    const { nextSequence: firstSequence, restarts } = this.#options.watcher.table;
    const asking = this.#options.request({ kind: 'mutation', call, build });
    this.#starting.add(asking);
    try {
      const id = await asking;
      onSent?.();
      if (id !== null) this.#claim(id, firstSequence);
      return { id, firstSequence };
    } catch (error) {
      if (!(error instanceof StashError && error.code === 'OUTCOME_UNKNOWN')) throw error;
      this.#starting.delete(asking);
      onSent?.();
      const start = { descriptions: [description, slot], ambiguous: false };
      const tracked = await this.#findLost(start, firstSequence, waiting).catch((reason: unknown) => {
        // If only the time limit ended the search, the lost response is the error to report.
        throw call.signal.aborted || call.waiting.aborted ? reason : error;
      });
      // What the server did before it was restarted is lost with it.
      if (!tracked || this.#options.watcher.table.restarts !== restarts) throw error;
      const { id } = tracked.job;
      if (id === '') return { id: null, firstSequence, tracked, adopted: true };
      this.#claim(id, firstSequence);
      return { id, firstSequence, tracked, adopted: true };
    } finally {
      this.#starting.delete(asking);
    }
  }

  /** Whether a job, other than this one, has been started since the last poll. */
  #hasStarted(but?: string): boolean {
    const { askedAt } = this.#options.watcher.poller;
    return this.#answered.some(({ id, at }) => id !== but && at >= askedAt);
  }

  /** Remembers who has started this job: it is nobody else's. */
  #claim(id: string, firstSequence: number): void {
    this.#answered.push({ id, firstSequence, at: performance.now() });
    if (this.#answered.length > MOST_ANSWERED) this.#answered.shift();
  }

  /** Returns the one job that has appeared since and can only be that of the lost start, if there is one. */
  async #findLost(
    start: LostStart,
    firstSequence: number,
    waiting: AbortSignal,
  ): Promise<TrackedJob | undefined> {
    const { poller, table } = this.#options.watcher;
    for (const other of this.#lost) {
      const isSameKind = other.descriptions.some((one) => start.descriptions.includes(one));
      if (isSameKind) other.ambiguous = start.ambiguous = true;
    }
    this.#lost.add(start);
    try {
      // What appeared may be the job of one that is under way.
      while (this.#starting.size > 0) await untilAborted(Promise.allSettled(this.#starting), waiting);
      // A server that could not be asked may have been restarted: what appeared then is another's.
      if (!(await poller.tryPoll('soon', waiting))) return undefined;
      const appeared = table.since(firstSequence).filter(({ job, sequence }) => {
        const isAnothers = this.#answered.some((one) => one.id === job.id && sequence >= one.firstSequence);
        return !isAnothers && start.descriptions.includes(job.description);
      });
      return appeared.length === 1 && !start.ambiguous ? appeared[0] : undefined;
    } finally {
      this.#lost.delete(start);
    }
  }
}
