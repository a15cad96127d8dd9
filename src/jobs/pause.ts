import { after } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { JobRecord } from '../records';
import type { OwnJob } from './own-job';
import { OwnJobs } from './own-jobs';

/** Why a pause has ended without a message. */
export type PauseEnd = 'AT_MOST' | 'BUTTON';

/** What goes on after a pause. */
export interface Pending {
  /** The records of the jobs that it has stopped, or is stopping. */
  interrupted: JobRecord[];
  /** How many messages wait for its end. */
  waiting: number;
}

/** A pause as a node requests it. */
export interface PauseRequest {
  /** The ID of the node itself: instances of a subflow have pauses of their own. */
  node: string;
  /** Whether to stop running jobs that can be started again. */
  interrupt: boolean;
  /** How long at most, in milliseconds; Infinity for no limit. */
  atMost: number;
  /** Called if the pause ends by itself. `pending`: what goes on now. */
  onEnd: (reason: PauseEnd, pending: Pending) => void;
  /** Called if a job cannot be stopped that has started just before the pause. */
  onError: (error: unknown) => void;
}

interface ActiveRequest extends PauseRequest {
  /** By `performance.now()`. */
  since: number;
  cancelLimit: () => void;
}

/** By the address of the server: several config nodes may have the same one, and a deploy may replace them. */
const pauses = new Map<string, Pause>();

/** Holds back the jobs of this Node-RED on one server, in memory. */
export class Pause {
  static of(url: string): Pause {
    const pause = pauses.get(url) ?? new Pause();
    pauses.set(url, pause);
    return pause;
  }

  /** By the ID of the node that made each, in their order. */
  readonly #requests = new Map<string, ActiveRequest>();
  readonly #listeners = new Set<(isOn: boolean) => void>();
  /** The jobs that it holds back. */
  readonly jobs = new OwnJobs(() => this.isOn);
  #isOn = false;
  /** When it began: by `performance.now()`, and in milliseconds since 1970. */
  #since = 0;
  #begun = 0;
  /** How long earlier pauses have lasted in all, in milliseconds. */
  #earlier = 0;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** When the pause began, in milliseconds since 1970; undefined without one. */
  get begun(): number | undefined {
    return this.isOn ? this.#begun : undefined;
  }

  /** What goes on after the pause; nothing without one. */
  get pending(): Pending {
    const { interrupted, waiting } = this.jobs;
    return this.isOn ? { interrupted, waiting } : { interrupted: [], waiting: 0 };
  }

  /** Calls `listener` whenever it has begun or ended. @returns a function that stops this. */
  subscribe(listener: (isOn: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** How long all pauses have lasted so far, in milliseconds. */
  get time(): number {
    return this.#earlier + (this.isOn ? performance.now() - this.#since : 0);
  }

  /** Begins, or goes on. A further request of a node changes nothing but its options: the limit counts from the first one. */
  request(request: PauseRequest): void {
    const { node, atMost } = request;
    const before = this.#requests.get(node);
    before?.cancelLimit();
    const now = performance.now();
    const active: ActiveRequest = { ...request, since: before?.since ?? now, cancelLimit: () => undefined };
    this.#requests.set(node, active);
    this.#begin();
    active.cancelLimit = after(active.since + atMost - now, () => {
      const { pending } = this;
      this.release(node);
      request.onEnd('AT_MOST', pending);
    });
  }

  #begin(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#since = performance.now();
    this.#begun = Date.now();
    for (const listener of this.#listeners) listener(true);
  }

  /** Ends the request of a node; nothing without one. */
  release(node: string): void {
    this.#drop(node);
    if (this.#requests.size === 0) this.#end();
  }

  /** Ends the requests of all nodes. */
  releaseAll(reason?: PauseEnd): void {
    const { pending } = this;
    const requests = [...this.#requests.values()];
    for (const { node } of requests) this.#drop(node);
    this.#end();
    if (reason) for (const { onEnd } of requests) onEnd(reason, pending);
  }

  #drop(node: string): void {
    this.#requests.get(node)?.cancelLimit();
    this.#requests.delete(node);
  }

  #end(): void {
    if (!this.#isOn) return;
    this.#earlier = this.time;
    this.#isOn = false;
    for (const listener of this.#listeners) listener(false);
    this.jobs.wake();
  }

  /** The first request to stop running jobs. */
  get #interrupting(): ActiveRequest | undefined {
    return [...this.#requests.values()].find(({ interrupt }) => interrupt);
  }

  /** Stops a job that has just started, if running jobs are to be stopped. */
  interruptStarted(job: OwnJob, call: Call): void {
    const active = this.#interrupting;
    if (!active) return;
    job.interrupt(call).catch((error: unknown) => {
      if (!(error instanceof StashError && error.code === 'CLOSED')) active.onError(error);
    });
  }

  /** Stops all running jobs that can be started again, as long as it lasts. @throws as `OwnJobs.interrupt`. */
  async interrupt(call: Call): Promise<JobRecord[]> {
    return await this.jobs.interrupt(call, () => this.#interrupting !== undefined);
  }
}
