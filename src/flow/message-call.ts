import type { Call, Delay, CallEvent, QueueState } from '../call';
import type { Delivery, StashMessage } from './delivery';
import type { Handover } from './handover';
import type { DownloadProgress, JobProgress, JobRecord, UnfinishedUpdate } from '../records';
import type { Server } from '../server';

/** Progress of the job or download that a message waits for. */
export type Progress = JobProgress | DownloadProgress;

/** Receives what happens to a call. */
export interface CallListener {
  readonly handover: Handover;
  /** A change of the call, with the progress to send; null if it is not new. */
  onChange: (call: MessageCall, progress: Progress | null) => void;
  /** A further result or error. */
  onLater: (call: MessageCall, later: Promise<unknown>) => void;
}

const NOTHING_YET = { bytes: 0, percent: null };

/** The call of one message: what ends it, and its progress. */
export class MessageCall implements Call {
  readonly #ending = new AbortController();
  /** Made when something waits: on Node.js 20, a controller takes a twentieth of the time of a message. */
  #stopping: AbortController | undefined;
  readonly #listener: CallListener;
  #hasBegun = false;
  received: StashMessage;
  msg: StashMessage;
  #delivery: Delivery | undefined;
  readonly #whenDelivered: (() => void)[] = [];
  /** When the message came, by `performance.now()`. */
  readonly since = performance.now();
  /** The ID of the node in the editor. */
  readonly origin: string;
  readonly node: string;
  /** What the operation was given: its input, and the server. */
  input: unknown;
  server: Server | undefined;
  /** The place of the message in a queue; undefined if it is in none. */
  queueState: QueueState | undefined;
  /** Why it has not been sent yet; null unless it is delayed. */
  delay: Delay | null = null;
  /** Whether a mutation or a look-up was sent, or may have been: an error CLOSED says if nothing was. */
  hasSent = false;
  /** The root field of the last request; undefined until one is known. */
  operation: string | undefined;
  job: JobRecord | undefined;
  /** What it had changed before its error. */
  update: UnfinishedUpdate | undefined;
  /** The last progress of the job or download; null before the first. */
  progress: Progress | null = null;
  /** The ID of the sequence of its results. */
  sequence = '';
  /** How many messages of its sequence have left. */
  messagesSent = 0;
  #isPaused = false;

  /**
   * @param origin the ID of the node in the editor. @param node its own ID.
   */
  constructor(
    delivery: Delivery,
    { origin, node }: { origin: string; node: string },
    listener: CallListener,
  ) {
    this.#delivery = delivery;
    this.received = delivery.received;
    this.msg = delivery.msg;
    this.origin = origin;
    this.node = node;
    this.#listener = listener;
  }

  /** The ways in which the message leaves the node; undefined during a deploy. */
  get delivery(): Delivery | undefined {
    return this.#delivery;
  }

  set delivery(delivery: Delivery | undefined) {
    this.#delivery = delivery;
    if (!delivery) return;
    delivery.msg = this.msg;
    for (const resolve of this.#whenDelivered.splice(0)) resolve();
  }

  /** Resolves with the delivery when no deploy is under way: once the next node has received the message. */
  async delivered(): Promise<Delivery> {
    const { handover } = this.#listener;
    for (;;) {
      if (!handover.isReady) await handover.ready();
      else if (this.#delivery) return this.#delivery;
      else await new Promise<void>((resolve) => this.#whenDelivered.push(resolve));
    }
  }

  /** Whether the call waits for the message that was sent last to come back. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  set isPaused(isPaused: boolean) {
    this.#isPaused = isPaused;
    this.#listener.onChange(this, null);
  }

  /** Whether the message is in a queue and has not been at its head yet. */
  get isWaiting(): boolean {
    return this.queueState !== undefined && !this.#hasBegun;
  }

  readonly report = (event: CallEvent): void => {
    if ('operation' in event) {
      this.operation = event.operation;
    } else if ('sent' in event) {
      this.hasSent = true;
    } else if ('update' in event) {
      this.update = event.update;
    } else if ('later' in event) {
      this.#listener.onLater(this, event.later);
    } else if ('download' in event) {
      this.#reportDownload(event.download);
    } else if ('job' in event) {
      this.job = event.job;
      this.progress = event.progress;
      this.#listener.onChange(this, event.progress);
    } else {
      if ('delay' in event) this.delay = event.delay;
      else {
        this.queueState = event.queue;
        this.#hasBegun ||= event.queue === 'asking';
      }
      this.#listener.onChange(this, null);
    }
  };

  #reportDownload(progress: DownloadProgress): void {
    // A reset does not stop a download. Discard it, or it would abort the verification afterwards.
    this.#stopping = undefined;
    const { bytes, percent } = this.progress && 'bytes' in this.progress ? this.progress : NOTHING_YET;
    const isNew = progress.bytes !== bytes || (progress.percent === 100 && percent !== 100);
    this.progress = progress;
    // A download without new bytes shows only in the status.
    this.#listener.onChange(this, isNew ? progress : null);
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get waiting(): AbortSignal {
    return (this.#stopping ??= new AbortController()).signal;
  }

  /** Drops the message, which may be large, once it has left: its job goes on. */
  release(): void {
    this.#delivery = undefined;
    this.received = this.msg = {};
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
