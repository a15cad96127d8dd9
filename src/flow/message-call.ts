import type { NodeMessage } from 'node-red';
import type { Call, QueueState } from '../call';
import type { DownloadProgress, JobProgress, JobRecord } from '../records';

/** Progress of the job or download that a message waits for. */
export type Progress = JobProgress | DownloadProgress;

/** A message with what nodes of this package write on it beside the payload. */
export interface StashMessage extends NodeMessage {
  stash?: Record<string, unknown>;
  /** Of a message that is one of a sequence. */
  parts?: unknown;
}

const NOTHING_YET = { bytes: 0, percent: null };

/** The call of one message to the server: what can end it, and how far it is. */
export class MessageCall implements Call {
  readonly #controller = new AbortController();
  #queueController: AbortController | undefined;
  readonly #onChange: (progress: Progress | null) => void;
  #hasBegun = false;
  readonly signal = this.#controller.signal;
  readonly msg: StashMessage;
  /** Where the message is in the queue for an external site; undefined if it needs no such queue. */
  queueState: QueueState | undefined;
  /** The root field of the last request, once that is known. */
  operation: string | undefined;
  /** The job that the message has started. */
  job: JobRecord | undefined;
  progress: Progress | null = null;

  /** @param onChange Called when the place in the queue, the job or the download changes, with progress that is news. */
  constructor(msg: StashMessage, onChange: (progress: Progress | null) => void) {
    this.msg = msg;
    this.#onChange = onChange;
  }

  /** Whether the message is in a queue and has not been at its head yet. */
  get isWaiting(): boolean {
    return this.queueState !== undefined && !this.#hasBegun;
  }

  onOperation(operation: string): void {
    this.operation = operation;
  }

  onQueueState(state: QueueState): void {
    this.queueState = state;
    this.#hasBegun ||= state === 'asking';
    this.#onChange(null);
  }

  onJob(job: JobRecord, progress: JobProgress | null): void {
    this.job = job;
    this.progress = progress;
    this.#onChange(progress);
  }

  onDownload(progress: DownloadProgress): void {
    // From now on a reset ends nothing: neither the download nor what follows it.
    this.#queueController = undefined;
    const { bytes, percent } = this.progress && 'bytes' in this.progress ? this.progress : NOTHING_YET;
    const isNews = progress.bytes !== bytes || (progress.percent === 100 && percent !== 100);
    this.progress = progress;
    // Only the status shows that no bytes arrive.
    this.#onChange(isNews ? progress : null);
  }

  get waiting(): AbortSignal {
    return this.#waiting.signal;
  }

  /** Ends the call whatever it is doing. */
  end(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Ends the call only while it waits. */
  stopWaiting(reason: unknown): void {
    this.#waiting.abort(reason);
  }

  /** Made on demand, because most messages never wait and it is part of what each of them costs. */
  get #waiting(): AbortController {
    return (this.#queueController ??= new AbortController());
  }
}
