import type { JobProgress, JobStatus } from './job';
import { isRecord, isText, shaped } from './shape';

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
export interface Survey {
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

/** A change of a job, told once each. */
export type Change = 'seen' | 'started' | 'ended';

/** From which sample on a time is worth telling, and how many are kept. */
const SAMPLE_MILLISECONDS = 5_000;
const MOST_SAMPLES = 24;
/** After this a time left has changed so much that it is told anew. */
const OLD_MILLISECONDS = 10_000;
/** More than a server remembers itself. */
const MOST_ENDED = 100;
/** In the order in which a job has them. */
const STATUSES = ['READY', 'RUNNING', 'STOPPING'];

/** One job, from the first time it was seen to its end. */
export class TrackedJob {
  /** Counts the jobs that were seen before it. */
  readonly sighting: number;
  /** On which connection the log was followed from its start on, if on any. */
  readonly logged: Connection | undefined;
  job: ServerJob;
  /** How it ended; undefined until then. */
  outcome: JobStatus | undefined;
  /** Whether it was told that it has started. */
  announced = false;
  readonly #firstSeen = performance.now();
  #movedAt = performance.now();
  #endedAt: number | undefined;
  #samples: { at: number; progress: number }[] = [];

  constructor(job: ServerJob, sighting: number, logged: Connection | undefined) {
    this.sighting = sighting;
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
    if (moved) this.#movedAt = performance.now();
    this.job = job;
    this.#sample();
  }

  end(outcome: JobStatus): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    this.#endedAt = performance.now();
  }

  get isRunning(): boolean {
    return this.outcome === undefined && this.job.status !== 'READY';
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
    const { progress } = this.job;
    const [first] = this.#samples;
    if (progress === null || !first) return null;
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

/** What somebody was told of the progress of a job, for whom a time that runs down is no news. */
export class LastProgress {
  #text = '';
  #at = -Infinity;

  /** Whether it is worth telling; then it counts as told. */
  isNews({ secondsLeft, ...rest }: JobProgress): boolean {
    const text = JSON.stringify(rest);
    const now = performance.now();
    const isOld = secondsLeft !== null && now - this.#at >= OLD_MILLISECONDS;
    if (text === this.#text && !isOld) return false;
    this.#text = text;
    this.#at = now;
    return true;
  }
}

/**
 * What is known of the jobs of one server, of what it tells by events and by answers. Ids begin at 1 again when the server is
 * restarted, so a job is known by its id and the time when it was added.
 */
export class JobBoard {
  readonly #jobs = new Map<string, TrackedJob>();
  #tell: (change: Change, job: TrackedJob) => void = () => undefined;
  #newest: TrackedJob | undefined;
  #slot: TrackedJob | undefined;
  #sightings = 0;
  #restarts = 0;

  /** From now on `tell` is told of each change, and nobody else. */
  listen(tell: (change: Change, job: TrackedJob) => void): void {
    this.#tell = tell;
  }

  /** What is seen from now on has this sighting or a later one. */
  get mark(): number {
    return this.#sightings;
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
  loseCount(): void {
    this.#newest = undefined;
  }

  /** Those that have not ended, in the order in which they will. */
  get open(): TrackedJob[] {
    return [...this.#jobs.values()]
      .filter(({ outcome }) => outcome === undefined)
      .sort((one, other) => Number(one.job.id) - Number(other.job.id));
  }

  /** Those that were seen since. */
  since(mark: number): TrackedJob[] {
    return [...this.#jobs.values()].filter(({ sighting }) => sighting >= mark);
  }

  /** The job of an id, if it was seen since. */
  find(id: string, mark: number): TrackedJob | undefined {
    return this.since(mark).find(({ job }) => job.id === id);
  }

  /** Takes an event. @returns whether it leaves a doubt that only the server can resolve. */
  hear({ type, job }: ServerJobEvent, connection: Connection): boolean {
    const isNew = type === 'ADD' || job.status === 'READY' || connection.isSurveyed;
    const tracked = this.#see(job, isNew ? connection : undefined);
    if (tracked.outcome !== undefined) return false;
    tracked.update(job);
    this.#announce(tracked);
    if (isEnd(job.status)) this.#end(tracked, job.status);
    else if (type === 'REMOVE') return true;
    // Jobs run one after another: when this one runs, those before it have ended.
    return tracked.isRunning && this.open[0] !== tracked;
  }

  /**
   * Takes an answer.
   * @param mark when the question was sent: nothing can be said of what was seen later.
   * @param silent nothing is told of what has begun by now.
   * @returns whether it leaves a doubt.
   */
  survey(
    { queue, found }: Survey,
    { mark, silent, connection }: { mark: number; silent: boolean; connection: Connection | undefined },
  ): boolean {
    const open = this.open.filter(({ sighting }) => sighting < mark);
    const told = [...queue, ...found.values()].filter((job) => job !== null);
    // In the order in which it came about.
    for (const job of told.sort((one, other) => Number(one.id) - Number(other.id))) {
      const tracked = this.#see(job, job.status === 'READY' ? connection : undefined);
      if (tracked.outcome !== undefined) continue;
      tracked.update(job);
      if (silent && job.status !== 'READY') tracked.announced = true;
      this.#announce(tracked);
      if (isEnd(job.status)) this.#end(tracked, job.status, silent);
    }
    const keys = new Set(told.map(keyOf));
    const missing = open.filter(({ outcome, job }) => outcome === undefined && !keys.has(keyOf(job)));
    const lost = missing.filter(({ job }) => found.has(job.id));
    for (const tracked of lost) this.#end(tracked, 'LOST', silent);
    this.#forget();
    return lost.length < missing.length;
  }

  /**
   * Takes what servers before v0.8 tell: what runs in their one slot, and how far it is, if anything does.
   * @param away the server could not be asked since it was asked last.
   * @param silent as in `survey`.
   */
  surveySlot(
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
      this.#forget();
    }
    if (!slot) return;
    this.#slot = new TrackedJob(slotJob(slot.label, slot.progress), this.#sightings++, undefined);
    this.#jobs.set(`slot ${this.#slot.sighting}`, this.#slot);
    if (silent) this.#slot.announced = true;
    this.#announce(this.#slot);
  }

  #see(job: ServerJob, logged: Connection | undefined): TrackedJob {
    const key = keyOf(job);
    const known = this.#jobs.get(key);
    if (known) return known;
    const newest = this.#newest;
    if (newest && isOfNextRun(job, newest.job)) {
      this.#restarts++;
      this.#newest = undefined;
      for (const lost of this.open) this.#end(lost, 'LOST');
    }
    const tracked = new TrackedJob(job, this.#sightings++, logged);
    this.#jobs.set(key, tracked);
    this.#tell('seen', tracked);
    if (!this.#newest || Number(job.id) > Number(this.#newest.job.id)) this.#newest = tracked;
    return tracked;
  }

  /** One that was cancelled while it waited has never started. */
  #announce(tracked: TrackedJob): void {
    const { status, startTime } = tracked.job;
    const hasStarted = status !== 'READY' && (startTime !== null || !isEnd(status));
    if (tracked.announced || !hasStarted) return;
    tracked.announced = true;
    this.#tell('started', tracked);
  }

  #end(tracked: TrackedJob, outcome: JobStatus, silent = false): void {
    tracked.end(outcome);
    if (!silent) this.#tell('ended', tracked);
  }

  #forget(): void {
    const ended = [...this.#jobs].filter(([, { outcome }]) => outcome !== undefined);
    for (const [key] of ended.slice(0, -MOST_ENDED)) this.#jobs.delete(key);
  }
}

/** Reads what a server tells of a job. @throws {StashError} NOT_STASH for something else. */
export const readJob = shaped(isJob, (job): ServerJob => {
  const texts = Array.isArray(job.subTasks) ? job.subTasks.filter(isText) : null;
  return { ...job, error: isText(job.error) ? job.error : null, subTasks: texts };
});

type RawJob = ServerJob & { error?: unknown; subTasks: unknown };

function isJob(value: unknown): value is RawJob {
  return (
    isRecord(value) &&
    ['id', 'status', 'description', 'addTime'].every((name) => isText(value[name])) &&
    /^\d+$/.test(String(value['id'])) &&
    ['startTime', 'endTime'].every((name) => isText(value[name]) || value[name] === null) &&
    (typeof value['progress'] === 'number' || value['progress'] === null)
  );
}

/** Whether a job with this status has ended. */
export function isEnd(status: string): status is 'FINISHED' | 'FAILED' | 'CANCELLED' {
  return ['FINISHED', 'FAILED', 'CANCELLED'].includes(status);
}

function keyOf({ id, addTime }: ServerJob): string {
  return `${id} ${addTime}`;
}

/** A job with a lower number, or the same, that was added later: the server counts anew. */
function isOfNextRun(job: ServerJob, newest: ServerJob): boolean {
  return Number(job.id) <= Number(newest.id) && Date.parse(job.addTime) > Date.parse(newest.addTime);
}

function slotJob(description: string, progress: number | null): ServerJob {
  const unknown = { addTime: '', startTime: null, endTime: null, subTasks: null, error: null };
  return { id: '', status: 'RUNNING', description, progress, ...unknown };
}
