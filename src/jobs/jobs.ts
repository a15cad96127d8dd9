import { after, Semaphore, shielded, untilAborted } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { JobEvent, JobProgress, JobRecord, JobStatus, StartedJob } from '../records';
import type { JobStart, WaitOptions } from './job';
import { isEnd, ProgressFilter, readJob, redactedJob, type ServerJob, type TrackedJob } from './job-table';
import {
  fieldsOf,
  type Held,
  type JobSource,
  JobWatcher,
  readQueue,
  slotQuestion,
  type WatcherEvent,
} from './watcher';

/** Two fewer than ended jobs a server remembers, as others start jobs, too. */
const MOST_POLLED = 8;

export interface JobsOptions extends JobSource {
  /** How many messages may wait for jobs. */
  maxQueued: number;
  /** How long a server is asked whether it has taken a start, in milliseconds. */
  timeout: number;
}

/** A job that the server has accepted, as far as it is known then. */
interface PendingStart {
  /** Null where there is just one slot. */
  id: string | null;
  /** It is seen only after this many others. */
  firstSequence: number;
  tracked?: TrackedJob | undefined;
  adopted?: true;
  /** The server could not be asked after the start. */
  isAway?: boolean;
}

/** Whether the start of a job may have reached the server. */
interface Sent {
  isSent: boolean;
}

/** A start whose answer was lost. */
interface LostStart {
  descriptions: readonly string[];
  /** Another one like it was lost in the same time, so what appeared may be that one's. */
  ambiguous: boolean;
}

/** The jobs of one server: starting them, waiting for them, following them. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #watcher: JobWatcher;
  readonly #places = new Semaphore(MOST_POLLED);
  readonly #turn = new Semaphore(1);
  readonly #records = new WeakMap<TrackedJob, Promise<JobRecord>>();
  readonly #starting = new Set<Promise<unknown>>();
  readonly #lost = new Set<LostStart>();
  /** The jobs that were answered last to who had started them. */
  readonly #answered: { id: string; firstSequence: number; at: number }[] = [];
  #waiting = 0;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#watcher = new JobWatcher(options);
  }

  /** As `Server.startJob`. */
  async start(start: JobStart): Promise<StartedJob> {
    const waiting = AbortSignal.any([start.call.signal, start.call.waiting]);
    return this.#bounded(async () => {
      const begun = await this.#begin(start, waiting, { isSent: false });
      const { id, adopted } = begun;
      const behind = this.#behind(begun);
      return {
        id,
        status: 'STARTED',
        ...(adopted && { adopted: true }),
        ...(behind !== 0 && { behind }),
      };
    });
  }

  /** As `Server.runJob`. */
  async run(start: JobStart, { stalledAfter, waitLimit }: WaitOptions): Promise<JobRecord> {
    const { call } = start;
    const late = new AbortController();
    const forget = after(waitLimit, () => {
      late.abort();
    });
    const waiting = AbortSignal.any([call.signal, call.waiting, late.signal]);
    const release = this.#watcher.acquire();
    const sent: Sent = { isSent: false };
    const place: { leave?: () => void } = {};
    try {
      return await this.#bounded(async () => {
        await this.#watcher.ready(waiting);
        if (!this.#watcher.isLive && !this.#watcher.isSlot) {
          call.onTurn?.('waiting');
          place.leave = await this.#places.acquire(waiting);
        }
        const begun = await this.#begin(start, waiting, sent);
        call.onTurn?.('asking');
        const record = await this.#ended(start, begun, stalledAfter, waiting);
        return begun.adopted ? { ...record, adopted: true } : record;
      });
    } catch (error) {
      if (error !== late.signal.reason) throw error;
      const details = { minutes: Math.round(waitLimit / 600) / 100 };
      throw new StashError(sent.isSent ? 'TIMEOUT.job' : 'TIMEOUT.turn', { details, retry: !sent.isSent });
    } finally {
      forget();
      place.leave?.();
      release();
    }
  }

  /** As `Server.followJobs`. */
  follow(listener: (event: JobEvent) => void): () => void {
    const { missed, end } = this.#watcher.subscribe();
    let isOver = false;
    let last = Promise.resolve();
    const untold = new Set<Held>();
    // A record may be complete a little later than the next job's start; they are told in their order.
    const tell = (event: Promise<JobEvent> | JobEvent, held?: Held) => {
      if (held) untold.add(held);
      last = Promise.all([event, last]).then(
        ([ready]) => {
          if (isOver) return;
          if (held) untold.delete(held);
          shielded(() => {
            listener(ready);
          }, this.#options.log);
        },
        () => undefined,
      );
    };
    const tellChange = (held: Held) => {
      const { change, tracked } = held;
      if (change === 'started') tell({ type: 'started', job: begun(this.#recordOf(tracked)) }, held);
      else
        tell(
          this.#final(tracked).then((job) => ({ type: 'ended', job })),
          held,
        );
    };
    missed.forEach(tellChange);
    let told = new WeakMap<TrackedJob, ProgressFilter>();
    const unlisten = this.#watcher.listen((event) => {
      if (event.type === 'started' || event.type === 'ended') {
        tellChange({ change: event.type, tracked: event.job });
      } else if (event.type === 'gap' || event.type === 'failed') tell(event);
      else if (event.type === 'away') told = new WeakMap();
      else if (event.type === 'tick') {
        for (const tracked of this.#watcher.board.open) {
          // Of one that seems to run beside another nothing is told before the other's end.
          if (!tracked.isRunning || this.#watcher.board.isBehind(tracked)) continue;
          const progress = tracked.progress(STALLED_AFTER);
          const last = told.get(tracked) ?? new ProgressFilter();
          told.set(tracked, last);
          if (last.changed(progress, tracked)) {
            tell({ type: 'progress', job: this.#recordOf(tracked), progress });
          }
        }
      }
    });
    return () => {
      if (isOver) return;
      isOver = true;
      unlisten();
      end([...untold]);
    };
  }

  /** As `Server.jobQueue`. */
  async queue(call: Call): Promise<JobRecord[]> {
    return this.#options.request({
      kind: 'query',
      call,
      build: (schema) => {
        if (schema.has('Query', 'jobQueue')) {
          return {
            rootField: 'jobQueue',
            document: `{ jobQueue { ${fieldsOf(schema)} } }`,
            read: (queue) =>
              readQueue(queue)
                .map((job) => redactedJob(readJob(job), this.#options.redact))
                // For a moment one that has ended is still there.
                .filter(({ status }) => !isEnd(status))
                .map((job) => this.#record(job, job.status as JobStatus)),
          };
        }
        const { read, ...question } = slotQuestion(schema);
        return {
          ...question,
          read: (answer) => {
            const { slot } = read(answer);
            if (!slot) return [];
            const description = this.#options.redact(slot.label);
            return [{ id: null, status: 'RUNNING', description, ...NOTHING_KNOWN }];
          },
        };
      },
    });
  }

  /** Lets those who follow jobs know soon of what the server tells nothing, such as that one is to stop. */
  requestPoll(): void {
    this.#watcher.requestPoll();
  }

  close(): void {
    this.#watcher.close();
  }

  /** Lets no more wait than may. */
  async #bounded<T>(task: () => Promise<T>): Promise<T> {
    const { maxQueued: count } = this.#options;
    if (this.#waiting >= count) throw new StashError('QUEUE_FULL.jobs', { details: { count }, retry: true });
    this.#waiting++;
    try {
      return await task();
    } finally {
      this.#waiting--;
    }
  }

  /** Starts the job. Where there is just one slot, a start while it is taken is dropped without a word: there it waits. */
  async #begin(start: JobStart, waiting: AbortSignal, sent: Sent): Promise<PendingStart> {
    const { call, slot } = start;
    const watcher = this.#watcher;
    if (!watcher.isLive && !watcher.isSlot) await this.#look(waiting);
    if (!watcher.isSlot) return this.#send(start, waiting, sent);
    call.onTurn?.('waiting');
    const leave = await this.#turn.acquire(waiting);
    try {
      await watcher.poll(waiting);
      while (this.#running()) await watcher.pollSoon(waiting);
      call.onTurn?.('asking');
      const begun = await this.#send(start, waiting, sent);
      const until = performance.now() + this.#options.timeout;
      let isAway = false;
      while (!(await this.#isSurveyed(waiting, isAway))) {
        isAway = true;
        if (performance.now() > until) throw new StashError('OUTCOME_UNKNOWN.lost');
      }
      const running = this.#running();
      // Somebody else was faster: whether this start was dropped is not known.
      if (running && running.job.description !== slot) throw new StashError('OUTCOME_UNKNOWN.busy');
      return { ...begun, tracked: running, isAway };
    } finally {
      leave();
    }
  }

  /** What is in the one slot. */
  #running(): TrackedJob | undefined {
    return this.#watcher.board.slot;
  }

  /** Sees what the server is at before a start, unless it cannot tell. */
  async #look(waiting: AbortSignal): Promise<void> {
    try {
      // Who follows jobs wants to know this one, too, from its start on.
      if (this.#watcher.isBeginning) await this.#watcher.ready(waiting);
      else if (!this.#watcher.isFresh || this.#hasStarted()) await this.#watcher.poll(waiting);
    } catch (error) {
      if (!(error instanceof StashError && error.code === 'UNSUPPORTED')) throw error;
    }
  }

  async #send(
    { call, build, description, slot }: JobStart,
    waiting: AbortSignal,
    sent: Sent,
  ): Promise<PendingStart> {
    const { nextSequence, restarts } = this.#watcher.board;
    const asking = this.#options.request({ kind: 'mutation', call, build });
    this.#starting.add(asking);
    try {
      const id = await asking;
      sent.isSent = true;
      if (id !== null) this.#claim(id, nextSequence);
      return { id, firstSequence: nextSequence };
    } catch (error) {
      if (!(error instanceof StashError && error.code === 'OUTCOME_UNKNOWN')) throw error;
      this.#starting.delete(asking);
      const start = { descriptions: [description, slot], ambiguous: false };
      sent.isSent = true;
      const tracked = await this.#findLost(start, nextSequence, waiting).catch((reason: unknown) => {
        // A message that may wait no longer has still not got its answer.
        throw call.signal.aborted || call.waiting.aborted ? reason : error;
      });
      // What the server did before it was restarted is lost with it.
      if (!tracked || this.#watcher.board.restarts !== restarts) throw error;
      const { id } = tracked.job;
      if (id === '') return { id: null, firstSequence: nextSequence, tracked, adopted: true };
      this.#claim(id, nextSequence);
      return { id, firstSequence: nextSequence, tracked, adopted: true };
    } finally {
      this.#starting.delete(asking);
    }
  }

  /** Behind how many others a job waits that has just been started, as far as the last look at the queue tells. */
  #behind({ id }: PendingStart): number | null {
    // Where there is just one slot, it was free.
    if (id === null) return 0;
    const { isLive, board } = this.#watcher;
    const ahead = board.open.filter(({ job }) => Number(job.id) < Number(id)).length;
    if (isLive) return ahead;
    // What others have queued since the queue was looked at may have ended, or not.
    const { newest } = board;
    const isNext = newest === undefined || Number(id) <= Number(newest.job.id) + 1;
    return isNext && !this.#hasStarted(id) ? ahead : null;
  }

  /** Whether a job, other than this one, has been started since the queue was looked at. */
  #hasStarted(but?: string): boolean {
    return this.#answered.some(({ id, at }) => id !== but && at >= this.#watcher.askedAt);
  }

  /** Somebody is known to have started this job, so it is no other's. */
  #claim(id: string, firstSequence: number): void {
    this.#answered.push({ id, firstSequence, at: performance.now() });
    if (this.#answered.length > MOST_ANSWERED) this.#answered.shift();
  }

  /** The one job that appeared since and can only be that of a start whose answer was lost, if there is one. */
  async #findLost(
    start: LostStart,
    firstSequence: number,
    waiting: AbortSignal,
  ): Promise<TrackedJob | undefined> {
    const { board } = this.#watcher;
    for (const other of this.#lost) other.ambiguous = start.ambiguous = true;
    this.#lost.add(start);
    try {
      // What appeared may be theirs.
      while (this.#starting.size > 0) await untilAborted(Promise.allSettled(this.#starting), waiting);
      // A server that could not be asked may have been restarted: what appeared then is another's.
      if (!(await this.#isSurveyed(waiting, true))) return undefined;
      const appeared = board.since(firstSequence).filter(({ job, sequence }) => {
        const isAnothers = this.#answered.some((one) => one.id === job.id && sequence >= one.firstSequence);
        return !isAnothers && start.descriptions.includes(job.description);
      });
      return appeared.length === 1 && !start.ambiguous ? appeared[0] : undefined;
    } finally {
      this.#lost.delete(start);
    }
  }

  /** Asks the server for its jobs, at once or a second after it was asked last. @returns whether it answered. */
  async #isSurveyed(waiting: AbortSignal, soon: boolean): Promise<boolean> {
    try {
      await (soon ? this.#watcher.pollSoon(waiting) : this.#watcher.pollAgain(waiting));
      return true;
    } catch {
      waiting.throwIfAborted();
      return false;
    }
  }

  /** The record of a job that has ended. @throws what ends the waiting. */
  async #ended(
    start: JobStart,
    begun: PendingStart,
    stalledAfter: number,
    waiting: AbortSignal,
  ): Promise<JobRecord> {
    const { call } = start;
    const { id, firstSequence, isAway = false } = begun;
    const description = id === null ? start.slot : start.description;
    const unseen = (status: JobStatus): JobRecord => ({ id, status, description, ...NOTHING_KNOWN });
    const tell = (job: JobRecord, progress: JobProgress | null = null) => {
      shielded(() => call.onJob?.(job, progress), this.#options.log);
    };
    tell(unseen('READY'));
    const tracked =
      begun.tracked ?? (id === null ? undefined : await this.#identified(id, firstSequence, waiting));
    // In the one slot, what is over before it is seen has ended.
    if (!tracked) return unseen(id === null && !isAway ? 'ENDED' : 'LOST');
    tell(this.#recordOf(tracked));
    let last = new ProgressFilter();
    await this.#heard<true>((event) => {
      if (tracked.outcome !== undefined) return true;
      if (event?.type === 'away') {
        last = new ProgressFilter();
        tell(this.#recordOf(tracked));
      }
      if (event?.type !== 'tick' || !tracked.isRunning) return undefined;
      const progress = tracked.progress(stalledAfter);
      if (last.changed(progress, tracked)) tell(this.#recordOf(tracked), progress);
      return undefined;
    }, waiting);
    // What was logged may come a little later.
    tell(this.#recordOf(tracked));
    const record = await untilAborted(this.#final(tracked), waiting);
    if (record.status === 'FINISHED' && tracked.job.progress === null) start.onIdle?.();
    tell(record);
    return record;
  }

  /** The job that the server has answered to its start; undefined if it has none of that number any more. */
  async #identified(
    id: string,
    firstSequence: number,
    waiting: AbortSignal,
  ): Promise<TrackedJob | undefined> {
    const { outages } = this.#watcher;
    const unwant = this.#watcher.track(id);
    // The sooner it is seen, the less may have happened.
    if (!this.#watcher.isLive) void this.#watcher.pollAgain(waiting).catch(() => undefined);
    try {
      const found = await this.#heard((event) => {
        const tracked = this.#watcher.board.find(id, firstSequence);
        // After a restart that came before it was seen, the number is another job's.
        if (tracked) return { tracked: this.#watcher.outages === outages ? tracked : undefined };
        const isForgotten = event?.type === 'surveyed' && event.unknown.has(id);
        return isForgotten ? { tracked: undefined } : undefined;
      }, waiting);
      return found.tracked;
    } finally {
      unwant();
    }
  }

  /** Resolves with the first thing that `find` makes of what the watcher tells; it is asked at once, too. */
  async #heard<T>(find: (event?: WatcherEvent) => T | undefined, waiting: AbortSignal): Promise<T> {
    const now = find();
    if (now !== undefined) return now;
    let unlisten = () => {};
    const heard = new Promise<T>((resolve, reject) => {
      unlisten = this.#watcher.listen((event) => {
        if (event.type === 'failed') reject(event.error);
        const result = find(event);
        if (result !== undefined) resolve(result);
      });
    });
    return untilAborted(heard, waiting).finally(unlisten);
  }

  /** The record of a job that has ended, when all is known that was logged in its time. */
  async #final(tracked: TrackedJob): Promise<JobRecord> {
    const known = this.#records.get(tracked) ?? this.#complete(tracked);
    this.#records.set(tracked, known);
    return known;
  }

  async #complete(tracked: TrackedJob): Promise<JobRecord> {
    const record = this.#recordOf(tracked);
    const { start, end } = record;
    const { log } = this.#watcher;
    if (!isFollowed(tracked) || end === null) return record;
    await log.settled(end);
    return isFollowed(tracked) ? { ...record, ...log.between(start ?? end, end) } : record;
  }

  #recordOf(tracked: TrackedJob): JobRecord {
    const { job, outcome } = tracked;
    const record = this.#record(job, outcome ?? (job.status as JobStatus));
    // The one slot tells no times.
    const isMeasured = job.addTime === '' && outcome !== 'LOST';
    return isMeasured ? { ...record, seconds: tracked.secondsSeen } : record;
  }

  #record({ id, description, addTime, startTime, endTime, error }: ServerJob, status: JobStatus): JobRecord {
    const seconds =
      startTime !== null && endTime !== null ? (Date.parse(endTime) - Date.parse(startTime)) / 1000 : null;
    return {
      id: id === '' ? null : id,
      status,
      description,
      ...NOTHING_KNOWN,
      added: addTime === '' ? null : addTime,
      start: startTime,
      end: endTime,
      seconds,
      error,
    };
  }
}

/** How it was when it began, be it over by now. */
function begun(record: JobRecord): JobRecord {
  return record.end === null
    ? record
    : { ...record, status: 'RUNNING', end: null, seconds: null, error: null };
}

/** Whether the log has been followed since before it began. */
function isFollowed({ logged }: TrackedJob): boolean {
  return logged?.isOpen ?? false;
}

/** How many answered starts are kept, of which one may be asked for. */
const MOST_ANSWERED = 100;
/** For those who have no wish of their own. */
const STALLED_AFTER = 10 * 60_000;

const NOTHING_KNOWN = {
  added: null,
  start: null,
  end: null,
  seconds: null,
  error: null,
  problems: null,
  problemCount: null,
  problemsBy: 'time',
} as const;
