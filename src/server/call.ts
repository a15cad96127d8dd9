import type { DownloadProgress } from './download';
import type { JobProgress, JobRecord } from './job';

/**
 * Where a look-up is: `waiting` for its turn, `refused` where it waits because the site refuses to be asked, and
 * `asking` from its first call on, unless that is refused.
 */
export type Turn = 'waiting' | 'refused' | 'asking';

/** The business of one message with a server, and what ends it. Also tells the calls of one message from another's. */
export interface Call {
  /** Ends the call whatever it is doing, with the signal's reason. */
  readonly signal: AbortSignal;
  /** Ends the call only where it waits for its turn; what was sent is not cut off. */
  readonly waiting: AbortSignal;
  /** Is told each time that this changes. */
  readonly onTurn?: ((turn: Turn) => void) | undefined;
  /** Is told of the job that it has started and waits for; of its progress at most once a second. */
  readonly onJob?: ((job: JobRecord, progress: JobProgress | null) => void) | undefined;
  /** Is told once a second, and at its end, how far a download is. */
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as that is aborted. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
