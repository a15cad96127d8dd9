// Only for servers before v0.8: they have one slot instead of a queue, and their jobs have neither IDs nor results.
import { Semaphore } from '../async';
import { StashError } from '../errors';
import type { Operation, Schema } from '../graphql';
import { hasString, parsed } from '../guards';
import type { JobStart, PendingStart } from './job-start';
import type { ServerJob } from './server-job';
import type { TrackedJob } from './tracked-job';

/** The job in the slot; undefined while the server is idle. The progress is from 0 to 1, null while unknown. */
export type Slot = { label: string; progress: number | null } | undefined;

/** The part of the job table that the slot needs. */
interface Table {
  add: (job: ServerJob) => TrackedJob;
  begin: (tracked: TrackedJob, silent: boolean) => void;
  end: (tracked: TrackedJob, outcome: 'LOST' | 'ENDED', silent: boolean) => void;
}

/** Requests the job in the slot. @throws {StashError} UNSUPPORTED if the server does not offer that. */
export function slotOperation(schema: Schema, redact: (text: string) => string): Operation<Slot> {
  if (!schema.has('Query', 'jobStatus')) throw schema.lacks('jobQueue', 'v0.8.0');
  return {
    rootField: 'jobStatus',
    document: '{ jobStatus { progress status } }',
    read: parsed(hasString('status'), ({ status, ...others }) => {
      const { progress } = others as Record<string, unknown>;
      if (status === 'Idle') return undefined;
      const isKnown = typeof progress === 'number' && progress >= 0;
      return { label: redact(status), progress: isKnown ? progress : null };
    }),
  };
}

/** Tracks the job in the slot. A job with another label is another job. */
export class LegacySlot {
  readonly #table: Table;
  #running: TrackedJob | undefined;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The job in the slot. */
  get running(): TrackedJob | undefined {
    return this.#running;
  }

  /**
   * Applies the response to a poll.
   * @param wasAway whether a poll has failed since the last response.
   * @param silent reports no starts and ends, because the jobs were not tracked until now.
   */
  apply(slot: Slot, { wasAway, silent }: { wasAway: boolean; silent: boolean }): void {
    const last = this.#running;
    if (last && slot?.label === last.job.description) {
      last.update({ ...last.job, progress: slot.progress });
      return;
    }
    if (last) {
      this.#running = undefined;
      // A restarted server is idle, too.
      this.#table.end(last, wasAway && !slot ? 'LOST' : 'ENDED', silent);
    }
    if (!slot) return;
    this.#running = this.#table.add(slotJob(slot));
    this.#table.begin(this.#running, silent);
  }
}

/** Returns a job for the slot, which has no further data. */
export function slotJob({ label: description, progress }: NonNullable<Slot>): ServerJob {
  const unknown = { addTime: '', startTime: null, endTime: null, subTasks: null, error: null };
  return { id: '', status: 'RUNNING', description, progress, ...unknown };
}

/** The part of the poller that starting a job needs. */
interface Polls {
  poll: (signal: AbortSignal) => Promise<void>;
  pollSoon: (signal: AbortSignal) => Promise<void>;
  tryPoll: (when: 'now' | 'soon', signal: AbortSignal) => Promise<boolean>;
  readonly table: { readonly slot: LegacySlot };
}

/** Starts jobs one after another, each when the server is idle, because a busy server silently drops a start. */
export class LegacyStarts {
  readonly #poller: Polls;
  readonly #timeout: number;
  readonly #turn = new Semaphore(1);

  /** @param timeout how long to poll for the result of a start, in milliseconds. */
  constructor(poller: Polls, timeout: number) {
    this.#poller = poller;
    this.#timeout = timeout;
  }

  /**
   * Starts the job when the server is idle, and polls until the server shows the running job.
   * @param send sends the mutation.
   * @throws {StashError} OUTCOME_UNKNOWN if another client started a job first, or the server does not show what runs.
   */
  async start(
    { call, slot }: JobStart,
    waiting: AbortSignal,
    send: () => Promise<PendingStart>,
  ): Promise<PendingStart> {
    call.report?.({ queue: 'waiting' });
    const release = await this.#turn.acquire(waiting);
    try {
      await this.#poller.poll(waiting);
      while (this.#running()) await this.#poller.pollSoon(waiting);
      call.report?.({ queue: 'asking' });
      const pending = await send();
      const until = performance.now() + this.#timeout;
      let wasAway = false;
      while (!(await this.#poller.tryPoll(wasAway ? 'soon' : 'now', waiting))) {
        wasAway = true;
        if (performance.now() > until) throw new StashError('OUTCOME_UNKNOWN.lost');
      }
      const running = this.#running();
      // Another client started a job first, so the server may have dropped this start.
      if (running && running.job.description !== slot) throw new StashError('OUTCOME_UNKNOWN.busy');
      return { ...pending, tracked: running, wasAway };
    } finally {
      release();
    }
  }

  #running(): TrackedJob | undefined {
    return this.#poller.table.slot.running;
  }
}
