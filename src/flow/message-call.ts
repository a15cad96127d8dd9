import type { NodeMessage } from 'node-red';
import { after } from '../async';
import type { Call, Delay, News, QueueState } from '../call';
import { StashError } from '../errors';
import type { DownloadProgress, JobProgress, JobRecord } from '../records';
import { timing } from '../timing';

/** Progress of the job or download that a message waits for. */
export type Progress = JobProgress | DownloadProgress;

/** A message with the properties that nodes of this package write, besides `payload`. */
export interface StashMessage extends NodeMessage {
  /** Facts about the call. */
  stash?: Record<string, unknown>;
  /** The place in a sequence of messages, as the split node writes it. */
  parts?: unknown;
}

/** Hears of a change of a call, with the progress to send; null if it is not new. */
export type OnChange = (call: MessageCall, progress: Progress | null) => void;

const NOTHING_YET = { bytes: 0, percent: null };

/** The call of one message: what ends it, and its progress. */
export class MessageCall implements Call {
  readonly #ending = new AbortController();
  /** Made when something waits: on Node.js 20, a controller takes a twentieth of the time of a message. */
  #stopping: AbortController | undefined;
  readonly #onChange: OnChange;
  #hasBegun = false;
  readonly msg: StashMessage;
  /** The ID of the node in the editor. */
  readonly origin: string;
  /** The place of the message in a queue; undefined if it is in none. */
  queueState: QueueState | undefined;
  /** Why it has not been sent yet; null unless it is delayed. */
  delay: Delay | null = null;
  /** The root field of the last request; undefined until one is known. */
  operation: string | undefined;
  /** The job that the message started and waits for. */
  job: JobRecord | undefined;
  /** The last progress of the job or download; null before the first. */
  progress: Progress | null = null;
  /** The id of the sequence that the parts of the result belong to. */
  sequence = '';
  /** How many parts of the result have left. */
  partsSent = 0;
  /** Resumes the call after a part that has left; undefined unless it waits. */
  #resume: (() => void) | undefined;

  /**
   * @param origin the ID of the node in the editor.
   * @param onChange called with each change of the queue, job or download.
   */
  constructor(msg: StashMessage, origin: string, onChange: OnChange) {
    this.msg = msg;
    this.origin = origin;
    this.#onChange = onChange;
  }

  /** Whether the call waits for the part that was sent last to come back. */
  get isPaused(): boolean {
    return this.#resume !== undefined;
  }

  /** Whether the message is in a queue and has not been at its head yet. */
  get isWaiting(): boolean {
    return this.queueState !== undefined && !this.#hasBegun;
  }

  readonly report = (news: News): void => {
    if ('operation' in news) {
      this.operation = news.operation;
    } else if ('download' in news) {
      this.#reportDownload(news.download);
    } else if ('job' in news) {
      this.job = news.job;
      this.progress = news.progress;
      this.#onChange(this, news.progress);
    } else {
      if ('delay' in news) this.delay = news.delay;
      else {
        this.queueState = news.queue;
        this.#hasBegun ||= news.queue === 'asking';
      }
      this.#onChange(this, null);
    }
  };

  #reportDownload(progress: DownloadProgress): void {
    // A reset does not stop a download. Discard it, or it would abort the verification afterwards.
    this.#stopping = undefined;
    const { bytes, percent } = this.progress && 'bytes' in this.progress ? this.progress : NOTHING_YET;
    const isNews = progress.bytes !== bytes || (progress.percent === 100 && percent !== 100);
    this.progress = progress;
    // A download without new bytes shows only in the status.
    this.#onChange(this, isNews ? progress : null);
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get waiting(): AbortSignal {
    return (this.#stopping ??= new AbortController()).signal;
  }

  /**
   * Waits after a part of the result until the next one may be requested.
   * @param isPaced waits until `resume` is called; otherwise only until other work of Node-RED had its turn.
   * @throws {StashError} TIMEOUT if nobody resumes it. @throws the reason of `end` or `stopWaiting`.
   */
  async untilNextPart(isPaced: boolean): Promise<void> {
    const { waiting } = this;
    waiting.throwIfAborted();
    let stop = () => {};
    let cancelTimer = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        stop = () => {
          reject(waiting.reason as Error);
        };
        waiting.addEventListener('abort', stop);
        if (!isPaced) {
          setImmediate(resolve);
          return;
        }
        this.#resume = resolve;
        const { longestPause } = timing.pages;
        cancelTimer = after(longestPause, () => {
          reject(new StashError('TIMEOUT.page', { details: { minutes: longestPause / 60_000 } }));
        });
        this.#onChange(this, null);
      });
    } finally {
      this.#resume = undefined;
      cancelTimer();
      waiting.removeEventListener('abort', stop);
    }
  }

  /** @throws the reason of `end` or `stopWaiting`, if one was called. */
  throwIfStopped(): void {
    this.waiting.throwIfAborted();
  }

  /** Resumes the call if it waits for this part, counted from 0. */
  resume(part: unknown): void {
    if (part === this.partsSent - 1) this.#resume?.();
  }

  /** Ends the call at any point. @param reason what both signals are aborted with. */
  end(reason: unknown): void {
    this.#ending.abort(reason);
    this.stopWaiting(reason);
  }

  /** Ends the call only while it waits. @param reason what `waiting` is aborted with. */
  stopWaiting(reason: unknown): void {
    this.#stopping ??= new AbortController();
    this.#stopping.abort(reason);
  }
}
