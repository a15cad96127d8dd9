import type { JobEvent } from '../records';
import type { JobChange } from './job-table';

/** What a watcher tells its listeners. */
export type WatcherEvent =
  | JobChange
  /** A poll was answered. `unknown` has the tracked ids that the server no longer knows. */
  | { type: 'polled'; unknown: ReadonlySet<string> }
  /** A second has passed in which the server could be followed. */
  | { type: 'tick' }
  /** The server cannot be followed now; no `tick` comes until it can. */
  | { type: 'away' }
  /** `failed`: polling fails until somebody fixes the cause, such as wrong credentials. */
  | Extract<JobEvent, { type: 'gap' | 'failed' }>;

/** An event that nobody who follows all jobs may miss, also in a deploy. */
export type EssentialEvent = Extract<WatcherEvent, { type: 'started' | 'ended' | 'gap' }>;

/** Whether an event is essential. */
export function isEssential(event: WatcherEvent): event is EssentialEvent {
  return ['started', 'ended', 'gap'].includes(event.type);
}
