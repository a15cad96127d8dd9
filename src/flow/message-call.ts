import type { NodeMessage } from 'node-red';
import type { Call, QueueState } from '../call';
import type { DownloadProgress, JobProgress, JobRecord } from '../records';

/** How far the job or the download is that a message waits for. */
export type Progress = JobProgress | DownloadProgress;

/** A message with what nodes of this package write on it beside the payload. */
export interface StashMessage extends NodeMessage {
  stash?: Record<string, unknown>;
  /** Of a message that is one of a sequence. */
  parts?: unknown;
}

const NOTHING_YET = { bytes: 0, percent: null };

/** One message and its business with the server, from its arrival to its end. */
export class MessageCall implements Call {
  readonly #controller = new AbortController();
  #patience: AbortController | undefined;
  readonly #changed: (progress: Progress | null) => void;
  #begun = false;
  readonly signal = this.#controller.signal;
  readonly msg: StashMessage;
  /** Where it is while it waits for its turn, or has; undefined for what needs none. */
  turn: QueueState | undefined;
  /** The root field that was asked for it, once that is known. */
  operation: string | undefined;
  /** The job that it has started. */
  job: JobRecord | undefined;
  progress: Progress | null = null;

  /** @param changed is told when its turn has come, or its job or download has changed: how far that is. */
  constructor(msg: StashMessage, changed: (progress: Progress | null) => void) {
    this.msg = msg;
    this.#changed = changed;
  }

  /** Whether its turn has not come. */
  get isWaiting(): boolean {
    return this.turn !== undefined && !this.#begun;
  }

  onOperation(operation: string): void {
    this.operation = operation;
  }

  onTurn(turn: QueueState): void {
    this.turn = turn;
    this.#begun ||= turn === 'asking';
    this.#changed(null);
  }

  onJob(job: JobRecord, progress: JobProgress | null): void {
    this.job = job;
    this.progress = progress;
    this.#changed(progress);
  }

  onDownload(progress: DownloadProgress): void {
    // A reset does not end a download, nor what comes after it.
    this.#patience = undefined;
    const { bytes, percent } = this.progress && 'bytes' in this.progress ? this.progress : NOTHING_YET;
    const isNews = progress.bytes !== bytes || (progress.percent === 100 && percent !== 100);
    this.progress = progress;
    // Only the status tells that nothing comes.
    this.#changed(isNews ? progress : null);
  }

  get waiting(): AbortSignal {
    return this.#waiting.signal;
  }

  /** Ends it whatever it is doing. */
  end(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Ends it only where it waits for its turn. */
  stopWaiting(reason: unknown): void {
    this.#waiting.abort(reason);
  }

  /** Made only for those that may wait, which are look-ups: it is a part of what a message costs. */
  get #waiting(): AbortController {
    return (this.#patience ??= new AbortController());
  }
}
