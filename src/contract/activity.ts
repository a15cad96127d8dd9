// What the tab in the sidebar shows. Times are in milliseconds since 1970, by the clock of the runtime.
import type { Refusal } from './refusal';

/** The response to a poll of the tab. */
export interface ActivityView {
  now: number;
  servers: readonly ServerView[];
}

export interface ServerView {
  id: string;
  /** Empty for a server without a name that cannot be used. */
  name: string;
  /** Empty for a server that cannot be used. */
  url: string;
  reach:
    | { state: 'unknown' }
    | { state: 'reachable'; release: string }
    | { state: 'unreachable'; since: number; reason: Refusal }
    | { state: 'unusable'; reason: Refusal };
  /** The scenes that are being watched; none without a deployed playback node, which finds out. */
  watched: readonly WatchedView[];
  /** Null while unknown. */
  jobs: readonly JobView[] | null;
  /** Why they are unknown; null if no request for them has failed. */
  jobsError: Refusal | null;
  /** The number of jobs that are not in `jobs`. */
  moreJobs: number;
  /** Since when the jobs of this Node-RED are paused, how many it has stopped, and how many messages wait; null if they are not. */
  pause: { since: number; interrupted: number; waiting: number } | null;
  sites: readonly SiteView[];
  /** Newest first. */
  errors: readonly RecentErrorView[];
}

/** A scene that is being watched. */
export interface WatchedView {
  id: string;
  title: string;
  /** Its page in Stash. */
  url: string;
  /** Where its viewer was last, in seconds. */
  position: number;
  /** Its duration; null if the server does not know it. */
  seconds: number | null;
  /** The page that plays it, such as "Firefox on Linux"; null without the plugin in Stash. */
  player: { id: string; name: string } | null;
  /** Whether its player is paused, as far as the plugin in Stash tells. */
  isPaused: boolean;
}

/** A job that runs or waits. */
export interface JobView {
  /** Null if the server does not tell which job it is. */
  id: string | null;
  /** When the server queued it, as the server writes it. */
  added: string | null;
  title: string;
  status: string;
  percent: number | null;
  task: string | null;
  /** When it will end, by the last estimate; null without one. */
  endsAt: number | null;
  stalled: boolean;
  /** The ID of the node that started it; null if that is unknown. */
  node: string | null;
}

export interface SiteView {
  /** Empty for the built-in one. */
  source: string;
  state: 'asking' | 'waiting' | 'refused';
  /** The earliest start of the next request; it may be in the past. */
  nextAt: number;
  waiting: number;
  /** The nodes in its queue, each with the number of its messages. */
  nodes: readonly { id: string; count: number }[];
}

/** An error that a node has reported. */
export interface RecentErrorView {
  at: number;
  node: string;
  type: string;
  count: number;
  /** Null for a bug in this package. */
  error: Refusal | null;
}
