// What the runtime sends to the tab, as src/flow/activity/server-view.ts describes it. Times are in milliseconds since 1970, by
// the clock of the runtime.
import type { Refusal } from '../../contract/errors';

export interface JobView {
  id: string | null;
  added: string | null;
  title: string;
  status: string;
  percent: number | null;
  task: string | null;
  endsAt: number | null;
  stalled: boolean;
  /** Null if it is unknown who started it. */
  node: string | null;
}

export interface SiteView {
  /** Empty for the built-in one. */
  source: string;
  state: 'asking' | 'waiting' | 'refused';
  nextAt: number;
  waiting: number;
  nodes: readonly { id: string; count: number }[];
}

export interface RecentErrorView {
  at: number;
  node: string;
  /** The type of the node. */
  type: string;
  count: number;
  /** Null for a bug in this package. */
  error: Refusal | null;
}

export interface ServerView {
  id: string;
  name: string;
  url: string;
  reach:
    | { state: 'unknown' }
    | { state: 'reachable'; release: string }
    | { state: 'unreachable'; since: number; reason: Refusal }
    | { state: 'unusable'; reason: Refusal };
  /** Null while unknown. */
  jobs: readonly JobView[] | null;
  jobsError: Refusal | null;
  moreJobs: number;
  sites: readonly SiteView[];
  errors: readonly RecentErrorView[];
}

/** One line of the response. */
export type Line =
  /** The IDs of all deployed servers. */
  | { servers: readonly string[] }
  /** One of them. `now` is the time by the clock of the runtime. */
  | { now: number; server: ServerView }
  /** The reason why there are no lines. */
  | Refusal
  /** The same for a bug in this package. */
  | { failed: true }
  /** The connection is still open. */
  | { alive: true };
