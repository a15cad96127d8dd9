import { isRecord, isString, parsed } from '../guards';
import type { JobProgress, JobStatus } from '../records';

/** A job as the server tells of it (v0.8.0 and later). */
export interface ServerJob {
  id: string;
  /** Servers from v0.17 on may tell one that their schema does not know. */
  status: string;
  description: string;
  /** From 0 to 1; null while it is not known. */
  progress: number | null;
  subTasks: readonly string[] | null;
  addTime: string;
  startTime: string | null;
  endTime: string | null;
  error: string | null;
}

/** What a subscription tells: ADD, UPDATE, REMOVE; not always in this order, and REMOVE is the end whatever follows. */
export interface ServerJobEvent {
  type: string;
  job: ServerJob;
}

/** What a server answers to the question for its jobs. */
export interface JobSnapshot {
  /** All that wait or run. */
  queue: readonly ServerJob[];
  /** Those that were asked for by their id; null for one that the server does not know. */
  found: ReadonlyMap<string, ServerJob | null>;
}

/** A connection on which events and the log are followed. */
export interface Connection {
  isOpen: boolean;
  /** Whether the queue was looked at since: what is seen later has been followed from its start on. */
  isSurveyed: boolean;
}

/**
 * A change of a job, told once each: `seen` and `over` as soon as they are known; `started` and `ended` in the order in which
 * the server did its jobs, which events may overtake.
 */
export type Change = 'seen' | 'over' | 'started' | 'ended';

/** From which sample on a time is worth telling, and how many are kept. */
const SAMPLE_MILLISECONDS = 5_000;
const MOST_SAMPLES = 24;
/** After this a time left has changed so much that it is told anew. */
const OLD_MILLISECONDS = 10_000;
/** More than a server remembers itself. */
const MOST_ENDED = 100;
/** More than anybody queues; what is beyond is seen when there is room. */
const MOST_OPEN = 10_000;
/** How many changes wait for those of the jobs before; then the first is told all the same. */
const MOST_UNTOLD = 1_000;
/** How many of a job's texts are kept that tell what it is at. */
const MOST_SUBTASKS = 10;
/** Longer than any time that a server tells. */
const LONGEST_TIME = 40;
/** In the order in which a job has them. */
const STATUSES = ['READY', 'RUNNING', 'STOPPING'];

/** One job, from the first time it was seen to its end. */
export class TrackedJob {
  /** Tells it from all others, also from those of the same id before the server was restarted. */
  readonly key: string;
  /** Its id as a number; 0 in the one slot, where there is none. */
  readonly number: number;
  /** Counts the jobs that were seen before it. */
  readonly sequence: number;
  /** On which connection the log was followed from its start on, if on any. */
  readonly logged: Connection | undefined;
  job: ServerJob;
  /** How it ended; undefined until then. */
  outcome: JobStatus | undefined;
  /** Whether it was told that it has started. */
  announced = false;
  readonly #firstSeen = performance.now();
  #heardAt = performance.now();
  #movedAt = performance.now();
  #endedAt: number | undefined;
  #samples: { at: number; progress: number }[] = [];

  constructor(job: ServerJob, sighting: number, logged: Connection | undefined) {
    this.key = job.id === '' ? `slot ${sighting}` : keyOf(job);
    this.number = Number(job.id);
    this.sequence = sighting;
    this.logged = logged;
    this.job = job;
    this.#sample();
  }

  /** Takes what is newer; answers and events may overtake each other. */
  update(job: ServerJob): void {
    const { status, progress, subTasks } = this.job;
    if (STATUSES.indexOf(job.status) < STATUSES.indexOf(status) && !isEnd(job.status)) return;
    const moved =
      job.status !== status || job.progress !== progress || String(job.subTasks) !== String(subTasks);
    this.#heardAt = performance.now();
    if (moved) this.#movedAt = this.#heardAt;
    this.job = job;
    this.#sample();
  }

  end(outcome: JobStatus): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    this.#endedAt = performance.now();
  }

  /** After a time in which nothing could be heard of it: what is measured begins anew. */
  resume(): void {
    this.#samples = [];
    this.#sample();
  }

  get isRunning(): boolean {
    return this.outcome === undefined && this.job.status !== 'READY';
  }

  /** Whether it has begun to run, as one has not that was cancelled while it waited. */
  get hasRun(): boolean {
    const { status, startTime } = this.job;
    return status !== 'READY' && (startTime !== null || !isEnd(status));
  }

  /** When the server told of it last, by `performance.now()`. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** From when it was seen to its end, as this machine measured it. */
  get secondsSeen(): number {
    return Math.round((this.#endedAt ?? performance.now()) - this.#firstSeen) / 1000;
  }

  /** @param stalledAfter in milliseconds. */
  progress(stalledAfter: number): JobProgress {
    const { progress, subTasks } = this.job;
    return {
      percent: progress === null ? null : Math.floor(Math.min(Math.max(progress, 0), 1) * 100),
      task: subTasks?.[0] ?? null,
      secondsLeft: this.#secondsLeft,
      stalled: this.isRunning && performance.now() - this.#movedAt >= stalledAfter,
    };
  }

  /** At the pace of the last two minutes. */
  get #secondsLeft(): number | null {
    const { progress, status } = this.job;
    const [first] = this.#samples;
    // One that is being stopped ends long before it is done.
    if (progress === null || !first || status === 'STOPPING') return null;
    const elapsed = performance.now() - first.at;
    const done = progress - first.progress;
    if (elapsed < SAMPLE_MILLISECONDS || done <= 0) return null;
    return Math.round((elapsed * (1 - progress)) / done / 1000);
  }

  #sample(): void {
    const { progress } = this.job;
    const last = this.#samples.at(-1);
    if (progress === null || !this.isRunning) return;
    // A job may begin anew with what it counts.
    if (last && progress < last.progress) this.#samples = [];
    const at = performance.now();
    if (last && at - last.at < SAMPLE_MILLISECONDS && this.#samples.length > 0) return;
    this.#samples.push({ at, progress });
    if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
  }
}

/**
 * What somebody was told of the progress of a job, for whom a time that runs down is no news; nor is one that only grows
 * because the server tells nothing.
 */
export class ProgressFilter {
  #text = '';
  #at = -Infinity;

  /** Whether it is worth telling; then it counts as told. */
  changed({ secondsLeft, ...rest }: JobProgress, { job: { status }, heardAt }: TrackedJob): boolean {
    const text = JSON.stringify([status, rest]);
    const now = performance.now();
    const isOld = secondsLeft !== null && now - this.#at >= OLD_MILLISECONDS && heardAt > this.#at;
    if (text === this.#text && !isOld) return false;
    this.#text = text;
    this.#at = now;
    return true;
  }
}

/**
 * What is known of the jobs of one server, of what it tells by events and by answers. Ids begin at 1 again when the server is
 * restarted, so a job is known by its id and the time when it was added. An event costs the same however many jobs there
 * were.
 */
export class JobTable {
  /** All that are kept, and of each id the one that was seen last. */
  readonly #jobs = new Map<string, TrackedJob>();
  readonly #byId = new Map<string, TrackedJob>();
  /** Those that have not ended, in the order in which they will. */
  readonly #open: TrackedJob[] = [];
  /** Those that have, in the order in which that was found. */
  readonly #ended: TrackedJob[] = [];
  /** What cannot be told yet, as a job that ran before has not ended, in the order of the jobs. */
  readonly #untold: { change: Change; tracked: TrackedJob }[] = [];
  #tell: (change: Change, job: TrackedJob) => void = () => undefined;
  #newest: TrackedJob | undefined;
  #slot: TrackedJob | undefined;
  #nextSequence = 0;
  #restarts = 0;

  /** From now on `tell` is told of each change, and nobody else. */
  listen(tell: (change: Change, job: TrackedJob) => void): void {
    this.#tell = tell;
  }

  /** What is seen from now on has this sighting or a later one. */
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

  /** What runs in the one slot that there was before v0.8. */
  get slot(): TrackedJob | undefined {
    return this.#slot;
  }

  /** Takes it that the server has been restarted, or has forgotten too much to tell. */
  forgetNewest(): void {
    this.#newest = undefined;
  }

  /** Those that have not ended, in the order in which they will. */
  get open(): TrackedJob[] {
    return [...this.#open];
  }

  get isIdle(): boolean {
    return this.#open.length === 0;
  }

  /** Those that were seen since. */
  since(firstSequence: number): TrackedJob[] {
    return [...this.#jobs.values()].filter(({ sequence }) => sequence >= firstSequence);
  }

  /** The job of an id, if it was seen since. */
  find(id: string, firstSequence: number): TrackedJob | undefined {
    const found = this.#byId.get(id);
    return found && found.sequence >= firstSequence ? found : undefined;
  }

  /** Takes an event. @returns whether it leaves a doubt that only the server can resolve. */
  applyEvent({ type, job }: ServerJobEvent, connection: Connection): boolean {
    const isNew = type === 'ADD' || job.status === 'READY' || connection.isSurveyed;
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
   * Takes an answer.
   * @param firstSequence when the question was sent: nothing can be said of what was seen later.
   * @param silent nothing is told of what has begun by now.
   * @returns whether it leaves a doubt.
   */
  applySnapshot(
    { queue, found }: JobSnapshot,
    {
      firstSequence,
      silent,
      connection,
    }: { firstSequence: number; silent: boolean; connection: Connection | undefined },
  ): boolean {
    const open = this.#open.filter(({ sequence }) => sequence < firstSequence);
    const told = [...queue, ...found.values()].filter((job) => job !== null);
    // In the order in which it came about.
    for (const job of told.sort((one, other) => Number(one.id) - Number(other.id))) {
      const tracked = this.#see(job, job.status === 'READY' ? connection : undefined);
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

  /**
   * Takes what servers before v0.8 tell: what runs in their one slot, and how far it is, if anything does.
   * @param away the server could not be asked since it was asked last.
   * @param silent as in `survey`.
   */
  applyLegacySlot(
    slot: { label: string; progress: number | null } | undefined,
    { away, silent }: { away: boolean; silent: boolean },
  ): void {
    const last = this.#slot;
    if (last && slot?.label === last.job.description) {
      last.update({ ...last.job, progress: slot.progress });
      return;
    }
    if (last) {
      this.#slot = undefined;
      // A server that was restarted is idle, too.
      this.#end(last, away && !slot ? 'LOST' : 'ENDED', silent);
    }
    if (!slot) return;
    this.#slot = this.#track(slotJob(slot.label, slot.progress), undefined);
    if (silent) this.#slot.announced = true;
    this.#announce(this.#slot);
  }

  /** After a time in which nothing could be heard. */
  resume(): void {
    for (const tracked of this.#open) tracked.resume();
  }

  /** @returns undefined where there is no room for another one. */
  #see(job: ServerJob, logged: Connection | undefined): TrackedJob | undefined {
    const known = this.#jobs.get(keyOf(job));
    if (known) return known;
    const newest = this.#newest;
    if (newest && isOfNextRun(job, newest.job)) {
      this.#restarts++;
      this.#newest = undefined;
      for (const lost of this.open) this.#end(lost, 'LOST');
    }
    if (this.#open.length >= MOST_OPEN) return undefined;
    const tracked = this.#track(job, logged);
    this.#tell('seen', tracked);
    if (!this.#newest || isBefore(this.#newest, tracked)) this.#newest = tracked;
    return tracked;
  }

  #track(job: ServerJob, logged: Connection | undefined): TrackedJob {
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
    this.#tellInOrder('started', tracked);
  }

  #end(tracked: TrackedJob, outcome: JobStatus, silent = false): void {
    const place = this.#open.indexOf(tracked);
    if (place !== -1) this.#open.splice(place, 1);
    tracked.end(outcome);
    this.#tell('over', tracked);
    if (!silent) this.#tellInOrder('ended', tracked);
    this.#tellUntold(() => false);
    this.#ended.push(tracked);
    if (this.#ended.length > MOST_ENDED) this.#forget(this.#ended.shift());
  }

  #tellInOrder(change: Change, tracked: TrackedJob): void {
    if (!tracked.hasRun || !this.isBehind(tracked)) {
      this.#tell(change, tracked);
      return;
    }
    let place = this.#untold.length;
    while (place > 0 && isBefore(tracked, this.#untold[place - 1]?.tracked)) place--;
    this.#untold.splice(place, 0, { change, tracked });
    this.#tellUntold(() => this.#untold.length > MOST_UNTOLD);
  }

  /** Tells what no job is in the way of any more, and the rest as long as it must. */
  #tellUntold(must: () => boolean): void {
    for (let next = this.#untold[0]; next; next = this.#untold[0]) {
      if (this.isBehind(next.tracked) && !must()) return;
      this.#untold.shift();
      this.#tell(next.change, next.tracked);
    }
  }

  #forget(tracked: TrackedJob | undefined): void {
    if (!tracked) return;
    this.#jobs.delete(tracked.key);
    if (this.#byId.get(tracked.job.id) === tracked) this.#byId.delete(tracked.job.id);
  }
}

/**
 * Reads what a server tells of a job: just what is asked, so that nothing else is kept.
 * @throws {StashError} NOT_STASH for something else.
 */
export const readJob = parsed(isJob, (job): ServerJob => {
  const { id, status, description, progress, addTime, startTime, endTime, subTasks, error } = job;
  return {
    ...{ id, status, description, progress, addTime, startTime, endTime },
    subTasks: Array.isArray(subTasks) ? subTasks.filter(isString) : null,
    error: isString(error) ? error : null,
  };
});

/** The job with its texts fit to be shown, and not longer than what is: of many jobs that are kept none takes much room. */
export function redactedJob(job: ServerJob, redact: (text: string) => string): ServerJob {
  const { description, subTasks, error } = job;
  return {
    ...job,
    description: redact(description),
    // Only the first is told; of the others it shows that something moves.
    subTasks: subTasks && subTasks.slice(0, MOST_SUBTASKS).map(redact),
    error: error === null ? null : redact(error),
  };
}

type RawJob = ServerJob & { error?: unknown; subTasks: unknown };

function isJob(value: unknown): value is RawJob {
  return (
    isRecord(value) &&
    isString(value['id']) &&
    /^\d{1,15}$/.test(value['id']) &&
    isString(value['status']) &&
    /^\w{1,40}$/.test(value['status']) &&
    isString(value['description']) &&
    isTime(value['addTime']) &&
    ['startTime', 'endTime'].every((name) => value[name] === null || isTime(value[name])) &&
    (typeof value['progress'] === 'number' || value['progress'] === null)
  );
}

/** Whether this is a time as servers tell it: ISO 8601, with up to nine places. */
export function isTime(value: unknown): value is string {
  return (
    isString(value) &&
    value.length <= LONGEST_TIME &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  );
}

/** Whether a job with this status has ended. */
export function isEnd(status: string): status is 'FINISHED' | 'FAILED' | 'CANCELLED' {
  return ['FINISHED', 'FAILED', 'CANCELLED'].includes(status);
}

function keyOf({ id, addTime }: ServerJob): string {
  return `${id} ${addTime}`;
}

/** Whether one has a lower number than another; those of the one slot have none. */
function isBefore(one: TrackedJob | undefined, other: TrackedJob | undefined): boolean {
  return one !== undefined && other !== undefined && one.number < other.number;
}

/** A job with a lower number, or the same, that was added later: the server counts anew. */
function isOfNextRun(job: ServerJob, newest: ServerJob): boolean {
  return Number(job.id) <= Number(newest.id) && Date.parse(job.addTime) > Date.parse(newest.addTime);
}

function slotJob(description: string, progress: number | null): ServerJob {
  const unknown = { addTime: '', startTime: null, endTime: null, subTasks: null, error: null };
  return { id: '', status: 'RUNNING', description, progress, ...unknown };
}
