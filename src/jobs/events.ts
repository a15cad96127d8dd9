import type { JobEvent } from '../records';
import type { JobChange } from './job-table';

/** An event that a watcher sends to its listeners. */
export type WatcherEvent =
  | JobChange
  /** A poll was answered. `unknown` has the tracked ids that the server no longer knows. */
  | { type: 'polled'; unknown: ReadonlySet<string> }
  /** A poll has failed. */
  | { type: 'pollFailed' }
  /** A second has passed while the server was not away. */
  | { type: 'tick' }
  /** The server is away; no `tick` follows until it is back. */
  | { type: 'away' }
  /** `failed`: polls fail until the user fixes the cause, such as wrong credentials. */
  | Extract<JobEvent, { type: 'gap' | 'failed' }>;

/** An event that a subscription to all jobs must not miss, not even during a deploy. */
export type EssentialEvent = Extract<WatcherEvent, { type: 'started' | 'ended' | 'gap' }>;

/** Whether an event is essential. */
export function isEssential(event: WatcherEvent): event is EssentialEvent {
  return ['started', 'ended', 'gap'].includes(event.type);
}
