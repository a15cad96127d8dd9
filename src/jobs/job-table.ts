import type { JobStatus } from '../records';
import type { JobSnapshot } from './documents';
import { LegacySlot } from './legacy-slot';
import type { Connection } from './live-connection';
import { isEnd, type ServerJob, type ServerJobEvent } from './server-job';
import { keyOf, TrackedJob } from './tracked-job';

/** A change that is told in the order in which the server did its jobs, which events may overtake. */
export interface OrderedChange {
  type: 'started' | 'ended';
  tracked: TrackedJob;
}

/** A change of a job, told once each; `seen` and `over` as soon as they are known. */
export type JobChange = OrderedChange | { type: 'seen' | 'over'; tracked: TrackedJob };

/** More than a server remembers itself. */
const MOST_ENDED = 100;
/** More than anybody queues. A job beyond it is added when there is room. */
const MOST_OPEN = 10_000;
/** How many changes wait for the end of earlier jobs; beyond that, the oldest is told anyway. */
const MOST_UNTOLD = 1_000;

/**
 * The jobs of one server, merged from events and snapshots. Ids begin at 1 again when the server is restarted, so a job
 * is known by its id and the time when it was added. An event costs the same however many jobs there were.
 */
export class JobTable {
  /** The one slot of servers before v0.8. */
  readonly slot: LegacySlot;
  /** All that are kept, and of each id the one that was seen last. */
  readonly #jobs = new Map<string, TrackedJob>();
  readonly #byId = new Map<string, TrackedJob>();
  /** Those that have not ended, in the order in which they will. */
  readonly #open: TrackedJob[] = [];
  /** Those that have ended, in the order in which that was found. */
  readonly #ended: TrackedJob[] = [];
  /** Changes that cannot be told yet, because an earlier job has not ended, in the order of the jobs. */
  readonly #untold: OrderedChange[] = [];
  #tell: (change: JobChange) => void = () => undefined;
  #newest: TrackedJob | undefined;
  #nextSequence = 0;
  #restarts = 0;

  constructor() {
    this.slot = new LegacySlot({
      add: (job) => this.#add(job, undefined),
      begin: (tracked, silent) => {
        if (silent) tracked.announced = true;
        this.#announce(tracked);
      },
      end: (tracked, outcome, silent) => {
        this.#end(tracked, outcome, silent);
      },
    });
  }

  /** From now on `tell` is told of each change, and nobody else. */
  listen(tell: (change: JobChange) => void): void {
    this.#tell = tell;
  }

  /** The sequence number of the next job that is seen. */
  get nextSequence(): number {
    return this.#nextSequence;
  }

  /** How often it was found that the server has been restarted. */
  get restarts(): number {
    return this.#restarts;
  }

  /** The job that was added last. */
  get newest(): TrackedJob | undefined {
    return this.#newest;
  }

  /** Forgets how far the server has counted: it was restarted, or has forgotten too much to be sure. */
  forgetNewest(): void {
    this.#newest = undefined;
  }

  /** Those that have not ended, in the order in which they will. */
  get open(): TrackedJob[] {
    return [...this.#open];
  }

  /** Whether no job waits or runs. */
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
    const tracked = this.#see(job, isNew ? connection : undefined);
    if (!tracked || tracked.outcome !== undefined) return false;
    tracked.update(job);
    this.#announce(tracked);
    if (isEnd(job.status)) this.#end(tracked, job.status);
    else if (type === 'REMOVE') return true;
    // Jobs run one after another: when this one has begun, those before it have ended.
    return tracked.hasRun && this.isBehind(tracked);
  }

  /**
   * Applies the answer to a poll.
   * @param firstSequence `nextSequence` when the poll was sent: it says nothing of jobs that were seen later.
   * @param silent tells no start or end: nobody has followed the jobs until now.
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
    if (silent) this.#untold.length = 0;
    const open = this.#open.filter(({ sequence }) => sequence < firstSequence);
    const told = [...queue, ...found.values()].filter((job) => job !== null);
    // In the order in which it came about.
    for (const job of told.sort((one, other) => Number(one.id) - Number(other.id))) {
      const tracked = this.#see(job, job.status === 'READY' ? connection : undefined, silent);
      if (!tracked || tracked.outcome !== undefined) continue;
      tracked.update(job);
      if (silent && job.status !== 'READY') tracked.announced = true;
      this.#announce(tracked);
      if (isEnd(job.status)) this.#end(tracked, job.status, silent);
    }
    const keys = new Set(told.map(keyOf));
    const missing = open.filter(({ outcome, job }) => outcome === undefined && !keys.has(keyOf(job)));
    const lost = missing.filter(({ job }) => found.has(job.id));
    for (const tracked of lost) this.#end(tracked, 'LOST', silent);
    // A server that runs several at a time, as none does up to v0.30, has no order to wait for.
    const running = queue.filter(({ status }) => status !== 'READY' && !isEnd(status));
    if (running.length > 1) this.#tellUntold(() => true);
    return lost.length < missing.length;
  }

  /** After a time in which nothing could be heard. */
  resume(): void {
    for (const tracked of this.#open) tracked.resume();
  }

  /** @returns undefined where there is no room for another one. */
  #see(job: ServerJob, logged: Connection | undefined, silent = false): TrackedJob | undefined {
    const known = this.#jobs.get(keyOf(job));
    if (known) return known;
    const newest = this.#newest;
    if (newest && isOfNextRun(job, newest.job)) {
      this.#restarts++;
      this.#newest = undefined;
      for (const lost of this.open) this.#end(lost, 'LOST', silent);
    }
    if (this.#open.length >= MOST_OPEN) return undefined;
    const tracked = this.#add(job, logged);
    this.#tell({ type: 'seen', tracked });
    if (!this.#newest || isBefore(this.#newest, tracked)) this.#newest = tracked;
    return tracked;
  }

  #add(job: ServerJob, logged: Connection | undefined): TrackedJob {
    const tracked = new TrackedJob(job, this.#nextSequence++, logged);
    this.#jobs.set(tracked.key, tracked);
    this.#byId.set(job.id, tracked);
    let place = this.#open.length;
    // Nearly always the last one.
    while (place > 0 && isBefore(tracked, this.#open[place - 1])) place--;
    this.#open.splice(place, 0, tracked);
    return tracked;
  }

  /** Whether one that has not ended comes before it. */
  isBehind(tracked: TrackedJob): boolean {
    return isBefore(this.#open[0], tracked);
  }

  /** One that was cancelled while it waited has never started. */
  #announce(tracked: TrackedJob): void {
    if (tracked.announced || !tracked.hasRun) return;
    tracked.announced = true;
    this.#tellInOrder({ type: 'started', tracked });
  }

  #end(tracked: TrackedJob, outcome: JobStatus, silent = false): void {
    const place = this.#open.indexOf(tracked);
    if (place !== -1) this.#open.splice(place, 1);
    tracked.end(outcome);
    this.#tell({ type: 'over', tracked });
    if (!silent) this.#tellInOrder({ type: 'ended', tracked });
    this.#tellUntold(() => false);
    this.#ended.push(tracked);
    if (this.#ended.length > MOST_ENDED) this.#forget(this.#ended.shift());
  }

  #tellInOrder(change: OrderedChange): void {
    const { tracked } = change;
    if (!tracked.hasRun || !this.isBehind(tracked)) {
      this.#tell(change);
      return;
    }
    let place = this.#untold.length;
    while (place > 0 && isBefore(tracked, this.#untold[place - 1]?.tracked)) place--;
    this.#untold.splice(place, 0, change);
    this.#tellUntold(() => this.#untold.length > MOST_UNTOLD);
  }

  /** Tells what no job is in the way of any more, and the rest as long as it must. */
  #tellUntold(must: () => boolean): void {
    for (let next = this.#untold[0]; next; next = this.#untold[0]) {
      if (this.isBehind(next.tracked) && !must()) return;
      this.#untold.shift();
      this.#tell(next);
    }
  }

  #forget(tracked: TrackedJob | undefined): void {
    if (!tracked) return;
    this.#jobs.delete(tracked.key);
    if (this.#byId.get(tracked.job.id) === tracked) this.#byId.delete(tracked.job.id);
  }
}

/** Whether one has a lower number than another; those of the legacy slot have none. */
function isBefore(one: TrackedJob | undefined, other: TrackedJob | undefined): boolean {
  return one !== undefined && other !== undefined && one.number < other.number;
}

/** Whether a job has a lower number, or the same, but was added later: the server counts anew. */
function isOfNextRun(job: ServerJob, newest: ServerJob): boolean {
  return Number(job.id) <= Number(newest.id) && Date.parse(job.addTime) > Date.parse(newest.addTime);
}
