import type { ServerView } from '../../contract/activity';
import type { Refusal } from '../../contract/errors';

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
