// What exists only for servers before v0.8: one slot instead of a queue, whose jobs have neither ids nor outcomes.
import { Semaphore } from '../async';
import { StashError } from '../errors';
import type { Operation, Schema } from '../graphql';
import { hasString, parsed } from '../guards';
import type { JobStart, PendingStart } from './job-start';
import type { ServerJob } from './server-job';
import type { TrackedJob } from './tracked-job';

/** What runs in the slot; undefined while the server is idle. The progress is from 0 to 1, null while unknown. */
export type Slot = { label: string; progress: number | null } | undefined;

/** The part of the job table that the slot needs. */
interface Table {
  add: (job: ServerJob) => TrackedJob;
  begin: (tracked: TrackedJob, silent: boolean) => void;
  end: (tracked: TrackedJob, outcome: 'LOST' | 'ENDED', silent: boolean) => void;
}

/** Asks what runs. @throws {StashError} UNSUPPORTED where that cannot be asked. */
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

/** The slot over time: a job with another label is another job. */
export class LegacySlot {
  readonly #table: Table;
  #running: TrackedJob | undefined;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The job that runs in it. */
  get running(): TrackedJob | undefined {
    return this.#running;
  }

  /**
   * Applies what the server has answered.
   * @param wasAway whether the server could not be asked since it was asked last.
   * @param silent tells no start or end: nobody has followed the jobs until now.
   */
  apply(slot: Slot, { wasAway, silent }: { wasAway: boolean; silent: boolean }): void {
    const last = this.#running;
    if (last && slot?.label === last.job.description) {
      last.update({ ...last.job, progress: slot.progress });
      return;
    }
    if (last) {
      this.#running = undefined;
      // A server that was restarted is idle, too.
      this.#table.end(last, wasAway && !slot ? 'LOST' : 'ENDED', silent);
    }
    if (!slot) return;
    this.#running = this.#table.add(slotJob(slot));
    this.#table.begin(this.#running, silent);
  }
}

/** The job that runs in the slot, of which no more is known. */
export function slotJob({ label: description, progress }: NonNullable<Slot>): ServerJob {
  const unknown = { addTime: '', startTime: null, endTime: null, subTasks: null, error: null };
  return { id: '', status: 'RUNNING', description, progress, ...unknown };
}

/** The part of the poller that starts need. */
interface Polls {
  poll: (signal: AbortSignal) => Promise<void>;
  pollSoon: (signal: AbortSignal) => Promise<void>;
  tryPoll: (when: 'now' | 'soon', signal: AbortSignal) => Promise<boolean>;
  readonly table: { readonly slot: LegacySlot };
}

/** Starts jobs one after another, each when the server is idle: while it is busy it drops a start without a word. */
export class LegacyStarts {
  readonly #poller: Polls;
  readonly #timeout: number;
  readonly #turn = new Semaphore(1);

  /** @param timeout how long the server is asked whether it has taken a start, in milliseconds. */
  constructor(poller: Polls, timeout: number) {
    this.#poller = poller;
    this.#timeout = timeout;
  }

  /**
   * Starts the job when the server is idle, and polls until the server shows what runs.
   * @param send sends the mutation.
   * @throws {StashError} OUTCOME_UNKNOWN where somebody else was faster, or the server does not say what runs.
   */
  async start(
    { call, slot }: JobStart,
    waiting: AbortSignal,
    send: () => Promise<PendingStart>,
  ): Promise<PendingStart> {
    call.onQueueState?.('waiting');
    const release = await this.#turn.acquire(waiting);
    try {
      await this.#poller.poll(waiting);
      while (this.#running()) await this.#poller.pollSoon(waiting);
      call.onQueueState?.('asking');
      const pending = await send();
      const until = performance.now() + this.#timeout;
      let wasAway = false;
      while (!(await this.#poller.tryPoll(wasAway ? 'soon' : 'now', waiting))) {
        wasAway = true;
        if (performance.now() > until) throw new StashError('OUTCOME_UNKNOWN.lost');
      }
      const running = this.#running();
      // Somebody else was faster: whether this start was dropped is not known.
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
