import type { DownloadProgress, JobProgress, JobRecord } from './records';

/**
 * Where a look-up is: `waiting` for its turn, `refused` where it waits because the site refuses to be asked, and
 * `asking` from its first call on, unless that is refused.
 */
export type QueueState = 'waiting' | 'refused' | 'asking';

/** The business of one message with a server, and what ends it. Also tells the calls of one message from another's. */
export interface Call {
  /** Ends the call whatever it is doing, with the signal's reason. */
  readonly signal: AbortSignal;
  /** Ends the call only where it waits for its turn; what was sent is not cut off. */
  readonly waiting: AbortSignal;
  /** Is told each time that this changes. */
  readonly onTurn?: ((turn: QueueState) => void) | undefined;
  /** Somebody at the editor asks: a query with a short time limit and connections of its own. */
  readonly isOfEditor?: true;
  /** Is told the root field of each question that is asked for it, as soon as that is known; the last one counts. */
  readonly onOperation?: ((operation: string) => void) | undefined;
  /** Is told of the job that it has started and waits for; of its progress at most once a second. */
  readonly onJob?: ((job: JobRecord, progress: JobProgress | null) => void) | undefined;
  /** Is told once a second, and at its end, how far a download is. */
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
}

/** Returns the same call, but ended by `signal`. */
export function endedBy(signal: AbortSignal, call: Call): Call {
  return {
    signal,
    waiting: call.waiting,
    ...(call.isOfEditor && { isOfEditor: true }),
    onTurn: call.onTurn?.bind(call),
    onOperation: call.onOperation?.bind(call),
    onJob: call.onJob?.bind(call),
    onDownload: call.onDownload?.bind(call),
  };
}

/** The same call for a question that only prepares what the message is about: nobody is told of its operation. */
export function aside({ signal, waiting }: Call): Call {
  return { signal, waiting };
}
