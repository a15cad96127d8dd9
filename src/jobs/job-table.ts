import type { JobStatus } from '../records';
import type { JobSnapshot } from './documents';
import type { Connection } from './live-connection';
import type { LogCollector } from './log-collector';
import { isOfNextRun, missingJobs } from './lost-jobs';
import { isEnd, type ServerJob, type ServerJobEvent } from './server-job';
import { jobKey, TrackedJob } from './tracked-job';

/** A change that is reported in the order in which the server ran its jobs. Events may arrive in another order. */
export interface OrderedChange {
  type: 'started' | 'ended';
  tracked: TrackedJob;
}

/** A change of a job, reported once. `seen` and `over` are reported immediately, whatever the order. */
export type JobChange = OrderedChange | { type: 'seen' | 'over'; tracked: TrackedJob };

/** The most ended jobs to keep: more than a server remembers. */
const MOST_ENDED = 100;
/** The most open jobs to keep. A further job is added when one has ended. */
const MOST_OPEN = 10_000;
/** The most changes that wait for the end of an earlier job; beyond that, the oldest is reported out of order. */
const MOST_DELAYED = 1_000;

/**
 * The jobs of one server, merged from events and snapshots. IDs begin at 1 again after a restart of the server, so the ID
 * and the time when a job was added identify it together. The cost of an event does not depend on the number of jobs.
 */
export class JobTable {
  /** The kept jobs, by key; by ID, the one that was seen last. */
  readonly #jobs = new Map<string, TrackedJob>();
  readonly #byId = new Map<string, TrackedJob>();
  /** The jobs that have not ended, in the order of the queue. */
  readonly #open: TrackedJob[] = [];
  /** The ended jobs, in the order in which their ends were noticed. */
  readonly #ended: TrackedJob[] = [];
  /** Changes that are not reported yet, because an earlier job has not ended; in the order of the jobs. */
  readonly #delayed: OrderedChange[] = [];
  #emit: (change: JobChange) => void = () => undefined;
  /** The job that was added last. */
  newest: TrackedJob | undefined;
  /** The sequence number of the next new job. */
  nextSequence = 0;
  /** The number of noticed restarts of the server. */
  restarts = 0;

  /** Reports each change to `emit` from now on, and to no other listener. */
  listen(emit: (change: JobChange) => void): void {
    this.#emit = emit;
  }

  /** The jobs that have not ended, in the order of the queue. */
  get open(): TrackedJob[] {
    return [...this.#open];
  }

  /** Whether no job runs or waits. */
  get isIdle(): boolean {
    return this.#open.length === 0;
  }

  /** The jobs that were first seen at this sequence number or later. */
  since(firstSequence: number): TrackedJob[] {
    return [...this.#jobs.values()].filter(({ sequence }) => sequence >= firstSequence);
  }

  /** The job of an id, if it was first seen at this sequence number or later. */
  find(id: string, firstSequence: number): TrackedJob | undefined {
    const found = this.#byId.get(id);
    return found && found.sequence >= firstSequence ? found : undefined;
  }

  /** Applies a subscription event. @returns whether the result is ambiguous, so that the server must be polled. */
  applyEvent({ type, job }: ServerJobEvent, connection: Connection): boolean {
    const isNew = type === 'ADD' || job.status === 'READY' || connection.isSynced;
    const tracked = this.#see(job, isNew ? connection.log : undefined);
    if (!tracked || tracked.outcome !== undefined) return false;
    tracked.update(job);
    this.#announce(tracked);
    if (isEnd(job.status)) this.#end(tracked, job.status);
    else if (type === 'REMOVE') return true;
    // Jobs run one after another: if this one has started, the earlier ones have ended.
    return tracked.hasRun && this.isBehind(tracked);
  }

  /**
   * Applies the response to a poll.
   * @param firstSequence `nextSequence` when the poll was sent: the response says nothing about jobs seen later.
   * @param silent reports no starts and ends, because the jobs were not tracked until now.
   * @returns whether the result is ambiguous, so that the server must be polled again.
   */
  applySnapshot(
    { queue, found }: Pick<JobSnapshot, 'queue' | 'found'>,
    {
      firstSequence,
      silent,
      connection,
    }: { firstSequence: number; silent: boolean; connection: Connection | undefined },
  ): boolean {
    if (silent) this.#delayed.length = 0;
    const open = this.#open.filter(({ sequence }) => sequence < firstSequence);
    const listed = [...queue, ...found.values()].filter((job) => job !== null);
    // In the order in which the server ran them.
    for (const job of listed.sort((one, other) => Number(one.id) - Number(other.id))) {
      // A job that is new since the connection is in step began after it, even if it has started or ended meanwhile.
      const isNew = job.status === 'READY' || connection?.isSynced;
      const tracked = this.#see(job, isNew ? connection?.log : undefined, silent);
      if (!tracked || tracked.outcome !== undefined) continue;
      tracked.update(job);
      if (silent && job.status !== 'READY') tracked.announced = true;
      this.#announce(tracked);
      if (isEnd(job.status)) this.#end(tracked, job.status, silent);
    }
    const { lost, unclear } = missingJobs(open, listed, found);
    for (const tracked of lost) this.#end(tracked, 'LOST', silent);
    // Up to v0.30, no server runs several jobs at a time. If one does, there is no order to wait for.
    const running = queue.filter(({ status }) => status !== 'READY' && !isEnd(status));
    if (running.length > 1) this.#emitDelayed(() => true);
    return unclear.length > 0;
  }

  /** Returns when the next job after one started, by the clock of the server; null while that is unknown. */
  startAfter({ number, job: { addTime } }: TrackedJob): string | null {
    for (let next = number + 1; ; next++) {
      const job = this.#byId.get(String(next))?.job;
      // One with this number that was added before is of an earlier run of the server.
      if (job && Date.parse(job.addTime) < Date.parse(addTime)) return null;
      // One that was cancelled while it waited never started.
      if (!job || job.startTime !== null || !isEnd(job.status)) return job?.startTime ?? null;
    }
  }

  /** Restarts the estimates of all open jobs after an interruption. */
  resume(): void {
    for (const tracked of this.#open) tracked.resume();
  }

  /** Adds or updates a job. @returns undefined if there are too many to add another. */
  #see(job: ServerJob, log: LogCollector | undefined, silent = false): TrackedJob | undefined {
    const existing = this.#jobs.get(jobKey(job));
    if (existing) return existing;
    const newest = this.newest;
    if (newest && isOfNextRun(job, newest.job)) {
      this.restarts++;
      this.newest = undefined;
      for (const lost of this.open) this.#end(lost, 'LOST', silent);
    }
    if (this.#open.length >= MOST_OPEN) return undefined;
    const tracked = this.#add(job, log);
    this.#emit({ type: 'seen', tracked });
    if (!this.newest || isBefore(this.newest, tracked)) this.newest = tracked;
    return tracked;
  }

  #add(job: ServerJob, log: LogCollector | undefined): TrackedJob {
    const tracked = new TrackedJob(job, this.nextSequence++, log);
    this.#jobs.set(tracked.key, tracked);
    this.#byId.set(job.id, tracked);
    let index = this.#open.length;
    // Almost always, the new job is the last one.
    while (index > 0 && isBefore(tracked, this.#open[index - 1])) index--;
    this.#open.splice(index, 0, tracked);
    return tracked;
  }

  /** Whether an earlier job has not ended. */
  isBehind(tracked: TrackedJob): boolean {
    return isBefore(this.#open[0], tracked);
  }

  /** Reports the start of a job, unless it was cancelled while it waited. */
  #announce(tracked: TrackedJob): void {
    if (tracked.announced || !tracked.hasRun) return;
    tracked.announced = true;
    this.#emitInOrder({ type: 'started', tracked });
  }

  #end(tracked: TrackedJob, outcome: JobStatus, silent = false): void {
    const place = this.#open.indexOf(tracked);
    if (place !== -1) this.#open.splice(place, 1);
    tracked.end(outcome);
    this.#emit({ type: 'over', tracked });
    if (!silent) this.#emitInOrder({ type: 'ended', tracked });
    this.#emitDelayed(() => false);
    this.#ended.push(tracked);
    if (this.#ended.length > MOST_ENDED) this.#discard(this.#ended.shift());
  }

  #emitInOrder(change: OrderedChange): void {
    const { tracked } = change;
    if (!tracked.hasRun || !this.isBehind(tracked)) {
      this.#emit(change);
      return;
    }
    let place = this.#delayed.length;
    while (place > 0 && isBefore(tracked, this.#delayed[place - 1]?.tracked)) place--;
    this.#delayed.splice(place, 0, change);
    this.#emitDelayed(() => this.#delayed.length > MOST_DELAYED);
  }

  /** Emits delayed changes whose earlier jobs have all ended; further ones, out of order, while `must` returns true. */
  #emitDelayed(must: () => boolean): void {
    for (let next = this.#delayed[0]; next; next = this.#delayed[0]) {
      if (this.isBehind(next.tracked) && !must()) return;
      this.#delayed.shift();
      this.#emit(next);
    }
  }

  #discard(tracked: TrackedJob | undefined): void {
    if (!tracked) return;
    this.#jobs.delete(tracked.key);
    if (this.#byId.get(tracked.job.id) === tracked) this.#byId.delete(tracked.job.id);
  }
}

/** Whether a job has a lower number than another. */
function isBefore(one: TrackedJob | undefined, other: TrackedJob | undefined): boolean {
  return one !== undefined && other !== undefined && one.number < other.number;
}
