import { Semaphore, untilAborted } from '../async';
import { StashError } from '../errors';
import { isIncompatible, type SendRequest } from '../graphql';
import type { PendingStart } from './job-start';
import type { OwnJob } from './own-job';
import type { OwnJobs } from './own-jobs';
import type { TrackedJob } from './tracked-job';
import type { JobWatcher } from './watcher';

/** The number of answered starts to keep, because a later poll may still show one of their jobs. */
const MOST_ANSWERED = 100;

/** A start whose response was lost. */
interface LostStart {
  description: string;
  /** Whether another start of the same kind was lost at the same time, so that a new job may belong to that one. */
  ambiguous: boolean;
}

/** Starts each job once. After a lost response, it finds the job if exactly one matches. */
export class JobStarter {
  readonly #watcher: JobWatcher;
  readonly #request: SendRequest;
  readonly #jobs: () => OwnJobs;
  /** The mutations in flight. */
  readonly #starting = new Set<Promise<unknown>>();
  readonly #lost = new Set<LostStart>();
  readonly #unnamed = new Semaphore(1);
  /** The last answered starts. `at`: the time of the response, by `performance.now()`. */
  readonly #answered: { id: string; firstSequence: number; at: number }[] = [];

  constructor(watcher: JobWatcher, request: SendRequest, jobs: () => OwnJobs) {
    this.#watcher = watcher;
    this.#request = request;
    this.#jobs = jobs;
  }

  /**
   * Starts the job, after a pause.
   * @param waiting ends the wait before the start, and the search for a job after a lost response.
   */
  async start(job: OwnJob, waiting: AbortSignal): Promise<PendingStart> {
    const start = () =>
      this.#jobs().start(job, waiting, {
        prepare: async () => {
          await job.start.prepare?.();
          // Before the last check of the pause, because a poll may take long.
          if (!this.#watcher.isLive) await this.#poll(waiting);
        },
        send: () => this.#send(job, waiting),
      });
    // Such starts wait for each other, because the server shows only by its description which job it was.
    return await (job.start.isUnnamed ? this.#unnamed.run(waiting, start) : start());
  }

  /** Returns the number of jobs ahead of this one in the last poll; null if unknown. */
  behind({ id }: PendingStart): number | null {
    if (id === null) return null;
    const { isLive, table } = this.#watcher;
    const ahead = table.open.filter(({ job }) => Number(job.id) < Number(id)).length;
    if (isLive) return ahead;
    // A job that was queued after the last poll may have ended already.
    const { newest } = table;
    const isNext = newest === undefined || Number(id) <= Number(newest.job.id) + 1;
    return isNext && !this.#hasStarted(id) ? ahead : null;
  }

  /** Polls before a start, to recognise new jobs after it. A start works without, if the release offers no poll or an unknown one. */
  async #poll(waiting: AbortSignal): Promise<void> {
    const watcher = this.#watcher;
    try {
      // A listener that has just subscribed must receive the start of this job, too.
      if (watcher.isBeginning) await this.#ready(waiting);
      else if (!watcher.poller.continuity.isFresh || this.#hasStarted()) await watcher.poller.poll(waiting);
    } catch (error) {
      if (!isIncompatible(error)) throw error;
    }
  }

  /** Waits for the first poll of the watcher. Holds the watcher meanwhile: one that nobody holds closes, and its poll fails. */
  async #ready(waiting: AbortSignal): Promise<void> {
    const watcher = this.#watcher;
    const release = watcher.acquire();
    try {
      await watcher.ready(waiting);
    } finally {
      release();
    }
  }

  async #send(job: OwnJob, waiting: AbortSignal): Promise<PendingStart> {
    const { call, build, description } = job.start;
    const { nextSequence: firstSequence, restarts } = this.#watcher.table;
    const sending = this.#request({ kind: 'mutation', call, build });
    this.#starting.add(sending);
    try {
      const id = await sending;
      job.sent();
      if (id === null) {
        this.#starting.delete(sending);
        return await this.#findUnnamed(description, firstSequence, waiting);
      }
      this.#claim(id, firstSequence);
      return { id, firstSequence };
    } catch (error) {
      if (!(error instanceof StashError && error.code === 'OUTCOME_UNKNOWN')) throw error;
      this.#starting.delete(sending);
      job.sent();
      const start = { description, ambiguous: false };
      const tracked = await this.#findLost(start, firstSequence, waiting).catch((reason: unknown) => {
        // If the time limit ended the search, the lost response remains the error.
        throw call.signal.aborted || call.waiting.aborted ? reason : error;
      });
      // A restart of the server loses its jobs.
      if (!tracked || this.#watcher.table.restarts !== restarts) throw error;
      const { id } = tracked.job;
      this.#claim(id, firstSequence);
      return { id, firstSequence, tracked, adopted: true };
    } finally {
      this.#starting.delete(sending);
    }
  }

  /** Finds the job that a start created without naming it; without an id if none or several match. */
  async #findUnnamed(
    description: string,
    firstSequence: number,
    waiting: AbortSignal,
  ): Promise<PendingStart> {
    const start = { description, ambiguous: false };
    const tracked = await this.#findLost(start, firstSequence, waiting).catch((error: unknown) => {
      // The job has been started, whatever the poll for it says.
      if (!(error instanceof StashError)) throw error;
      return undefined;
    });
    if (!tracked) return { id: null, firstSequence };
    this.#claim(tracked.job.id, firstSequence);
    return { id: tracked.job.id, firstSequence, tracked };
  }

  /** Whether another job was started since the last poll. */
  #hasStarted(but?: string): boolean {
    const { requestedAt } = this.#watcher.poller;
    return this.#answered.some(({ id, at }) => id !== but && at >= requestedAt);
  }

  /** Marks this job as started by this package, so that no lost start adopts it. */
  #claim(id: string, firstSequence: number): void {
    this.#answered.push({ id, firstSequence, at: performance.now() });
    if (this.#answered.length > MOST_ANSWERED) this.#answered.shift();
  }

  /** Returns the only new job that can belong to the lost start, if there is one. */
  async #findLost(
    start: LostStart,
    firstSequence: number,
    waiting: AbortSignal,
  ): Promise<TrackedJob | undefined> {
    const { poller, table } = this.#watcher;
    for (const other of this.#lost) {
      if (other.description === start.description) other.ambiguous = start.ambiguous = true;
    }
    this.#lost.add(start);
    try {
      // A new job may belong to a start in flight.
      while (this.#starting.size > 0) await untilAborted(Promise.allSettled(this.#starting), waiting);
      // A server that could not be polled may have restarted; its new jobs belong to others.
      if (!(await poller.tryPoll(waiting))) return undefined;
      const appeared = table.since(firstSequence).filter(({ job, sequence }) => {
        const isAnothers = this.#answered.some((one) => one.id === job.id && sequence >= one.firstSequence);
        return !isAnothers && job.description === start.description;
      });
      return appeared.length === 1 && !start.ambiguous ? appeared[0] : undefined;
    } finally {
      this.#lost.delete(start);
    }
  }
}
