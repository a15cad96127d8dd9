import type { DownloadProgress, JobProgress, JobRecord } from './records';

/**
 * The state of a call in a queue: `waiting` for its turn, `refused` while the external site blocks requests, and `asking`
 * from its first request on.
 */
export type QueueState = 'waiting' | 'refused' | 'asking';

/** What a call is held for before its request, together with others. It changes with each of them. */
export type Held =
  /** Until the request for all of them is sent, by `performance.now()`. */
  | { readonly due: number }
  /** Until this many files are complete. */
  | { readonly files: number };

/** One message's work with a server: its abort signals and the listeners for its progress. Each message has its own object. */
export interface Call {
  /** Aborts the call at any point, with the signal's reason. */
  readonly signal: AbortSignal;
  /** Aborts the call only while it is queued; a request in flight continues. */
  readonly waiting: AbortSignal;
  /** Called with each change of the state in the queue. */
  readonly onQueueState?: ((state: QueueState) => void) | undefined;
  /** Called when the call is held, and with null when it is no longer. */
  readonly onHeld?: ((held: Held | null) => void) | undefined;
  /** The call comes from the editor: its requests get a short time limit and connections of their own. */
  readonly isOfEditor?: true;
  /** The ID of the node that received the message, in the editor; undefined for work that no message caused. */
  readonly origin?: string | undefined;
  /** Called with the root field of each request as soon as it is known; the last one counts. */
  readonly onOperation?: ((operation: string) => void) | undefined;
  /** Called with the job that the call started and waits for, and its progress, at most once a second. */
  readonly onJob?: ((job: JobRecord, progress: JobProgress | null) => void) | undefined;
  /** Called with the progress of a download once a second, and at its end. */
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
}

/** Returns the same call with `signal` as its only abort signal. */
export function endedBy(signal: AbortSignal, call: Call): Call {
  return {
    signal,
    waiting: call.waiting,
    ...(call.isOfEditor && { isOfEditor: true }),
    origin: call.origin,
    onQueueState: call.onQueueState?.bind(call),
    onOperation: call.onOperation?.bind(call),
    onJob: call.onJob?.bind(call),
    onDownload: call.onDownload?.bind(call),
  };
}

/** Returns a call with the same signals and limits for a request that only prepares the real one: it reports nothing. */
export function aside({ signal, waiting, isOfEditor }: Call): Call {
  return { signal, waiting, ...(isOfEditor && { isOfEditor }) };
}

/** Returns the call of a dialog. @param signal aborted when the browser no longer waits. */
export function editorCall(signal: AbortSignal): Call {
  return { signal, waiting: signal, isOfEditor: true };
}
