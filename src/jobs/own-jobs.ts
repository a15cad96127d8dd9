import { untilAborted } from '../async';
import type { Call } from '../call';
import type { JobRecord, JobReference } from '../records';
import type { JobStart } from './job-start';
import { type JobHost, OwnJob } from './own-job';

/** The jobs of this Node-RED on one server that have not ended, and the queue of those that may not start yet. */
export class OwnJobs {
  readonly #isPaused: () => boolean;
  /** In the order in which their messages came. */
  #jobs: readonly OwnJob[] = [];
  /** Continue those that wait in the queue. */
  readonly #waiters = new Map<OwnJob, () => void>();

  constructor(isPaused: () => boolean) {
    this.#isPaused = isPaused;
  }

  /** How many messages wait for their job to start. */
  get waiting(): number {
    return this.#jobs.reduce((count, { waiting }) => count + waiting, 0);
  }

  /** The last records of the jobs that a pause has stopped, or is stopping, and that are to be started again. */
  get interrupted(): JobRecord[] {
    return this.#jobs.flatMap(({ interrupted }) => interrupted ?? []);
  }

  /** Adds a job, until its `end`. @param interruptions as `OwnJob`. */
  add(start: JobStart, host: JobHost, interruptions: readonly JobRecord[] = []): OwnJob {
    const onChange = (job: OwnJob) => {
      if (job.state.is === 'ended') {
        this.#jobs = this.#jobs.filter((one) => one !== job);
        this.#waiters.delete(job);
      }
      host.onChange(job);
      this.wake();
    };
    const job = new OwnJob(start, { ...host, onChange }, interruptions);
    const isLater = ({ since }: OwnJob) => since > job.since;
    this.#jobs = [...this.#jobs.filter((one) => !isLater(one)), job, ...this.#jobs.filter(isLater)];
    return job;
  }

  /** Continues the first job of the queue, if no pause holds it back. */
  wake(): void {
    const first = this.#jobs.find(({ isQueued }) => isQueued);
    if (first && this.#isNext(first)) this.#waiters.get(first)?.();
  }

  /** Whether a job is the first of the queue, and no pause holds it back; undefined: whether the queue is empty. */
  #isNext(job: OwnJob | undefined): boolean {
    return !this.#isPaused() && this.#jobs.find(({ isQueued }) => isQueued) === job;
  }

  /**
   * Starts a job now, or after the pause; then those that have waited start one after another. `prepare` runs before the start, and
   * again if a pause has begun meanwhile.
   * @throws the reason of `waiting` once it is aborted; as `prepare` and `send`.
   */
  async start<Result>(
    job: OwnJob,
    waiting: AbortSignal,
    { prepare, send }: { prepare: () => Promise<void>; send: () => Promise<Result> },
  ): Promise<Result> {
    const { call } = job.start;
    if (this.#isNext(undefined)) await prepare();
    if (!this.#isNext(undefined)) {
      job.enqueue();
      const signal = AbortSignal.any([waiting, job.stopping]);
      signal.throwIfAborted();
      if (this.#isPaused()) call.report?.({ delay: { paused: true } });
      do {
        while (!this.#isNext(job)) {
          await untilAborted(new Promise<void>((resolve) => this.#waiters.set(job, resolve)), signal);
        }
        await prepare();
        signal.throwIfAborted();
      } while (!this.#isNext(job));
    }
    job.stopping.throwIfAborted();
    job.begin();
    return await send();
  }

  /**
   * Stops all jobs that can be interrupted, the last one first, so that none starts because the one before it was stopped.
   * @param goesOn returns whether the pause still lasts.
   * @throws the first error, after it has tried all.
   */
  async interrupt(call: Call, goesOn: () => boolean): Promise<JobRecord[]> {
    const numbered = this.#jobs.flatMap((job) => {
      const { interruptible } = job;
      return interruptible ? [{ job, number: Number(interruptible.id) }] : [];
    });
    const stopped: JobRecord[] = [];
    const errors: unknown[] = [];
    for (const { job } of numbered.sort((one, other) => other.number - one.number)) {
      if (!goesOn()) break;
      try {
        const record = await untilAborted(job.interrupt(call), call.signal);
        if (record) stopped.unshift(record);
      } catch (error) {
        call.signal.throwIfAborted();
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return stopped;
  }

  /** Returns the job that a reference is to, of whatever number it is on the server now. */
  find(reference: JobReference): OwnJob | undefined {
    return this.#jobs.find((job) => job.matches(reference));
  }

  /** Stops for good what a pause has stopped. @returns their records. */
  giveUp(isMeant: (job: OwnJob) => boolean): JobRecord[] {
    return this.#jobs.filter(isMeant).flatMap((job) => job.giveUp() ?? []);
  }
}
