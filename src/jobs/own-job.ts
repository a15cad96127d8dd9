import { neverAborted, Semaphore } from '../async';
import type { Call } from '../call';
import type { Operation, Schema } from '../graphql';
import type { JobRecord, JobReference } from '../records';
import type { JobStart, PendingStart } from './job-start';
import type { TrackedJob } from './tracked-job';

/** A start that the server has accepted, and its job once the server shows it; undefined if it is lost. */
export interface AcceptedStart extends PendingStart {
  identified: Promise<TrackedJob | undefined>;
}

/**
 * The states of a job that a node of this Node-RED starts, over all jobs that the server makes of it. Only `interrupted` leads back
 * to `starting`: what a pause has stopped, and nobody else.
 */
export type JobState =
  /**
   * The server has no job. A pause, jobs before it, a check or a poll hold it back: `isQueued` once it waits for its turn.
   * To `starting` when it is the next one; to `ended` with the wait of its message (`reset`, a limit, a deploy).
   */
  | { is: 'waiting'; isQueued: boolean }
  /**
   * The mutation is on its way; with `mayRun`, the server has it, or may have it.
   * To `running` when the server has accepted it; to `ended` with its error.
   */
  | { is: 'starting'; isQueued: boolean; mayRun: boolean }
  /**
   * The server runs it, or has it in its queue. A stop that fails changes nothing.
   * To `interrupting` when the server has accepted the stop of a pause; to `stopped` when it has accepted that of a stop node or of the
   * sidebar; to `ended` when it has ended, also because somebody has stopped it in Stash.
   */
  | { is: 'running'; accepted: AcceptedStart }
  /**
   * The server has accepted the stop of a pause, and finishes the current step.
   * To `interrupted` when it is cancelled, or a restart of the server has lost it; to `ended` if it was done before; to `stopped` if
   * somebody stops it for good.
   */
  | { is: 'interrupting'; accepted: AcceptedStart; record: JobRecord }
  /**
   * It was seen to be stopped by the pause. To `starting` after the pause; to `stopped` if somebody stops it for good (a stop node, the
   * sidebar, `reset`); to `ended` with the wait of its message, or with Node-RED. After a restart of Node-RED, it is queued later.
   */
  | { is: 'interrupted'; isQueued: boolean }
  /** Somebody has stopped it for good: no pause starts it again. To `ended` when the server has ended it, at once if it has. */
  | { is: 'stopped' }
  | { is: 'ended' };

/** What a wait ends with if somebody stops an interrupted job for good. */
export const STOPPED = Symbol('stopped');

/** What an own job needs of the server that runs it. */
export interface JobHost {
  /**
   * Stops a job for a pause. @returns its record; undefined if it has ended, or is being stopped already.
   * @throws {StashError} as a mutation.
   */
  stop: (accepted: AcceptedStart, call: Call) => Promise<JobRecord | undefined>;
  /** Called when the state of a job has changed. */
  onChange: (job: OwnJob) => void;
}

/** A job that a node of this Node-RED starts, from its message to its end. */
export class OwnJob {
  readonly start: JobStart;
  /** When its message came: jobs that were delayed start in this order. By `performance.now()`. */
  readonly since: number;
  /** Whether a message waits for its end. */
  isAwaited = true;
  /** The records of the jobs that pauses have stopped, oldest first. */
  readonly interruptions: JobRecord[];
  /** The mutation as it was sent last; undefined before that. */
  operation: Operation<string | null> | undefined;
  readonly #host: JobHost;
  readonly #stopping = new AbortController();
  /** Held while a stop is on its way. */
  readonly #lock = new Semaphore(1);
  #state: JobState = { is: 'waiting', isQueued: false };

  /** @param interruptions those of a job that was interrupted before Node-RED was restarted. */
  constructor(start: JobStart, host: JobHost, interruptions: readonly JobRecord[] = []) {
    const build = (schema: Schema) => (this.operation = start.build(schema));
    this.start = { ...start, build };
    this.since = start.call.since ?? performance.now();
    this.#host = host;
    this.interruptions = [...interruptions];
    if (interruptions.length > 0) this.#state = { is: 'interrupted', isQueued: false };
  }

  get state(): JobState {
    return this.#state;
  }

  /** Aborted with `STOPPED` when somebody stops it for good. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether those whose messages came later have to wait until this one has started. */
  get isQueued(): boolean {
    const { state } = this;
    return 'isQueued' in state ? state.isQueued : state.is === 'interrupting';
  }

  /** Whether a pause has stopped it, or is about to. */
  get isInterrupted(): boolean {
    return this.#state.is === 'interrupting' || this.#state.is === 'interrupted';
  }

  /** The job that the server runs, or has in its queue; undefined while it has none, or does not show it yet. */
  get current(): JobReference | undefined {
    const job = this.#state.is === 'running' ? this.#state.accepted.tracked?.job : undefined;
    return job && { id: job.id, added: job.addTime };
  }

  /** The last job that a pause has stopped, or is stopping; undefined in another state. */
  get interrupted(): JobRecord | undefined {
    if (this.#state.is === 'interrupting') return this.#state.record;
    return this.#state.is === 'interrupted' ? this.interruptions.at(-1) : undefined;
  }

  /** Whether the server has the job, or may have it. */
  get mayRun(): boolean {
    const { state } = this;
    if (state.is === 'starting') return state.mayRun;
    return state.is !== 'waiting' && state.is !== 'interrupted';
  }

  /** How many messages wait for it to start; 0 if the server has it. */
  get waiting(): number {
    const isWaiting = this.isAwaited && (this.#state.is === 'waiting' || this.#state.is === 'interrupted');
    return isWaiting ? (this.start.call.messages ?? 1) : 0;
  }

  /** Waits for its turn from now on. */
  enqueue(): void {
    const { is } = this.#state;
    if (is === 'waiting' || is === 'interrupted') this.#become({ is, isQueued: true });
  }

  /** The mutation is about to be sent. */
  begin(): void {
    this.#become({ is: 'starting', isQueued: this.isQueued, mayRun: false });
  }

  /** The mutation has reached the server, or may have. */
  sent(): void {
    if (this.#state.is === 'starting') this.#become({ ...this.#state, mayRun: true });
  }

  accepted(accepted: AcceptedStart): void {
    this.#become({ is: 'running', accepted });
  }

  /** The job to interrupt, if a pause can stop it and start it again. */
  get interruptible(): AcceptedStart | undefined {
    const { state, start } = this;
    return start.isResumable && state.is === 'running' && state.accepted.id !== null
      ? state.accepted
      : undefined;
  }

  /** Stops it for a pause. @returns as `JobHost.stop`. @throws {StashError} as a mutation. */
  async interrupt(call: Call): Promise<JobRecord | undefined> {
    return await this.#lock.run(neverAborted(), async () => {
      const { state, interruptible: accepted } = this;
      const record = accepted && (await this.#host.stop(accepted, call));
      if (record && this.#state === state) this.#become({ is: 'interrupting', accepted, record });
      return record;
    });
  }

  /**
   * Stops it for good.
   * @param stop makes the server stop it, and returns its record; undefined if it has ended. Not called for what a pause has stopped.
   */
  async stop(
    signal: AbortSignal,
    stop: () => Promise<JobRecord | undefined>,
  ): Promise<JobRecord | undefined> {
    return await this.#lock.run(signal, async () => {
      if (this.isInterrupted) return this.giveUp();
      const { state } = this;
      const record = await stop();
      if (record && this.#state === state && state.is === 'running') this.#become({ is: 'stopped' });
      return record;
    });
  }

  /** Stops for good what a pause has stopped. @returns its record; undefined unless a pause has. */
  giveUp(): JobRecord | undefined {
    const { interrupted } = this;
    if (!interrupted) return undefined;
    const { is } = this.#state;
    this.#become({ is: 'stopped' });
    this.#stopping.abort(STOPPED);
    return { ...interrupted, status: is === 'interrupting' ? 'STOPPING' : 'CANCELLED' };
  }

  /** Whether a job that has ended like this will be started again, as far as is known now. */
  willRestart(status: JobRecord['status'] | undefined): boolean {
    return this.#state.is === 'interrupting' && (status === 'CANCELLED' || status === 'LOST');
  }

  /** Resolves when no stop is on its way: its answer may come after the end that it has caused. */
  async #settled(): Promise<void> {
    (await this.#lock.acquire(neverAborted()))();
  }

  /** Whether a pause has stopped a job that the server has ended like this, so that another one goes on in its place. */
  async goesOnAfter(record: JobRecord): Promise<boolean> {
    await this.#settled();
    if (this.#state.is === 'stopped') return false;
    const isSame = ({ id, added }: JobRecord) => id === record.id && added === record.added;
    return this.interruptions.some(isSame) || this.willRestart(record.status);
  }

  /** The server has ended the job. @returns whether it is to be started again. */
  async over(record: JobRecord): Promise<boolean> {
    await this.#settled();
    if (!this.willRestart(record.status)) return false;
    this.interruptions.push(record);
    this.#become({ is: 'interrupted', isQueued: true });
    return true;
  }

  end(): void {
    this.#become({ is: 'ended' });
  }

  /** Whether a reference is to a job that the server has made of it. */
  matches({ id, added }: JobReference): boolean {
    const { state } = this;
    const current = 'accepted' in state ? [state.accepted] : [];
    const known = [
      ...this.interruptions,
      ...current.map(({ id, tracked }) => ({ id, added: tracked?.job.addTime })),
    ];
    return known.some(
      (one) => one.id !== null && one.id === id && (added ?? one.added) === (one.added ?? added),
    );
  }

  #become(state: JobState): void {
    if (this.#state.is === 'ended') return;
    this.#state = state;
    this.#host.onChange(this);
  }
}
