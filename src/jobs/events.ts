import type { StashError } from '../errors';
import type { Change } from './job-table';
import type { TrackedJob } from './tracked-job';

/** What a watcher tells its listeners. */
export type WatcherEvent =
  | { type: Change; job: TrackedJob }
  /** The server was polled, and knows no jobs of these ids, which somebody tracks. */
  | { type: 'polled'; unknown: ReadonlySet<string> }
  /** A second has passed in which the server could be followed. */
  | { type: 'tick' }
  /** From now on it is not known how the jobs are; the next tick comes when it is. */
  | { type: 'away' }
  /** Jobs may have been missed between two times of this machine (ISO 8601). */
  | { type: 'gap'; reason: 'restarted' | 'away'; from: string; to: string }
  /** Polling is of no use until somebody does something about it. */
  | { type: 'failed'; error: StashError };

/** A start or an end that has not been told yet. */
export interface HeldChange {
  change: 'started' | 'ended';
  tracked: TrackedJob;
}
