import type { DownloadProgress, JobProgress, JobRecord, UnfinishedUpdate } from './records';

/** `waiting` in the queue, `refused` while the external site blocks requests, `asking` from the first request on. */
export type QueueState = 'waiting' | 'refused' | 'asking';

/** Why a call has not been sent yet: a `Burst` or a `Settling`, whose value changes as other calls join or leave. */
export type Delay =
  /** It is collected until the request for all of them is sent, by `performance.now()`. */
  | { readonly due: number }
  /** This many files are not complete yet. */
  | { readonly files: number }
  /** No job may start. */
  | { readonly paused: true };

export type CallEvent =
  /** The root field of a request, as soon as it is known; the last one counts. */
  | { readonly operation: string }
  /** A mutation or a look-up has been sent, or may have been. */
  | { readonly sent: true }
  /** Its state in a queue has changed. */
  | { readonly queue: QueueState }
  /** It is delayed; with null, it is no longer. */
  | { readonly delay: Delay | null }
  /** The job that it started, with the progress at most once a second; undefined once nothing more will be known of it. */
  | { readonly job: JobRecord | undefined; readonly progress: JobProgress | null }
  /** A further result, or an error, after its message was answered. */
  | { readonly later: Promise<unknown> }
  /** The progress of its download, once a second and at the end. */
  | { readonly download: DownloadProgress }
  /** What it had changed before its error. */
  | { readonly update: UnfinishedUpdate };

export interface JobLimits {
  /** The time without progress after which a job is stalled, in milliseconds; Infinity: never. */
  stalledAfter: number;
  /** The longest time from the call to the end of the job, in milliseconds; Infinity: no limit. */
  waitLimit: number;
}

/** When and how to report a job. */
export interface JobOptions extends JobLimits {
  /** `started`: as soon as the server has accepted the job. `finished`: when the job has ended. */
  reply: 'started' | 'finished';
  /** Whether a job that failed, was cancelled or is lost is a result instead of an error. */
  sendFailed: boolean;
}

/** One message's work with a server. Whatever takes a signal throws its reason once it is aborted. */
export interface Call {
  /** Aborts the call at any point. */
  readonly signal: AbortSignal;
  /** Aborts the call only while it waits: in a queue, for its job, for files; a request in flight continues. */
  readonly waiting: AbortSignal;
  /** Requests from the editor, but look-ups, have a short time limit and connections of their own. */
  readonly isOfEditor?: true | undefined;
  /** When the message came, by `performance.now()`; undefined for work that no message caused. */
  readonly since?: number | undefined;
  /** How many messages share it; 1 by default. */
  readonly messages?: number | undefined;
  /** The ID of the node that received the message; undefined for work that no message caused. */
  readonly origin?: string | undefined;
  /** The same, but of the instance of a subflow. */
  readonly node?: string | undefined;
  readonly report?: ((event: CallEvent) => void) | undefined;
}

/** Returns the same call with `signal` as its only abort signal. */
export function endedBy(
  signal: AbortSignal,
  { waiting, isOfEditor, since, messages, origin, node, report }: Call,
): Call {
  return { signal, waiting, isOfEditor, since, messages, origin, node, report };
}

/** Returns a call for a request that only prepares the real one: it has the same signals and limits, and reports nothing. */
export function aside({ signal, waiting, isOfEditor }: Call): Call {
  return { signal, waiting, isOfEditor };
}

/** Returns the call of a dialog. @param signal aborted when the browser no longer waits. */
export function editorCall(signal: AbortSignal): Call {
  return { signal, waiting: signal, isOfEditor: true };
}
