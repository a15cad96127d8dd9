import { LONGEST_TIMER } from '../async';
import type { PathRow } from '../contract/server';
import { StashError } from '../errors';
import type { TimeLimits } from '../graphql';
import { checkNetwork, type CredentialOptions, type NetworkOptions } from '../http';
import type { AbandonedJob } from '../jobs';
import type { ValueStore } from '../value-store';
import { timing } from '../timing';

/** The most messages in one queue, unless settings.js sets `nodeMessageBufferMaxLength`. */
export const MAX_QUEUED = 1000;

/** The settings of a server. Times are in seconds, fractions allowed. */
export interface ServerOptions extends CredentialOptions, NetworkOptions {
  /** The name of this server in texts; by default its host. */
  name?: string | undefined;
  /** The address of its start page. */
  url: string;
  /** The folders that the server sees at other paths than this machine. Default: none. */
  pathMap?: readonly PathRow[];
  /** From the end of one request to an external site to the start of the next; undefined for a server without look-ups. */
  pause?: number;
  /** How long a look-up is retried while the external site blocks requests. Default 0: not at all. */
  retryFor?: number;
  /** The most messages in each queue. Default 1,000. */
  maxQueued?: number | undefined;
  /** Keeps the state of the rate limiters while Node-RED is not running. */
  rateLimiterStore?: ValueStore | undefined;
  /** Keeps the jobs that a pause has stopped while Node-RED is not running. */
  jobStore?: ValueStore | undefined;
  /** Called for a job that a pause has stopped, and that is not started again now. */
  abandoned?: (job: AbandonedJob) => void;
  /** The time limit of a query or a mutation, including the requests that it needs first. */
  timeout: number;
  /** The time limit of a look-up at an external site; the time in the queue does not count. */
  lookupTimeout: number;
  /** The time limit of a backup. */
  backupTimeout: number;
  /** Logs one line about each request, without values. */
  log?: (line: string) => void;
}

/** A server to test, as a dialog has it. */
export interface TestedServer extends ServerOptions {
  /** Checked against the library, not used. A row may be anything. */
  pathMap: readonly PathRow[];
  /**
   * What to show instead of the address: the variable that has it. Whoever runs the checks may type the name of any variable, and
   * must not read the environment of Node-RED. The address of a deployed server is shown to its users, in messages too.
   */
  shownAs?: string | undefined;
}

/**
 * Checks options, except address and credentials.
 * @throws {StashError} NO_SERVER for options with which no request can succeed.
 */
export function checkOptions(options: ServerOptions): void {
  const { pause = 0, retryFor = 0, timeout, lookupTimeout, backupTimeout } = options;
  const times = { pause, retryFor, timeout, lookupTimeout, backupTimeout };
  for (const [property, seconds] of Object.entries(times)) {
    const least = property === 'pause' || property === 'retryFor' ? 0 : Number.MIN_VALUE;
    if (!(seconds >= least && seconds <= LONGEST_TIMER / 1000)) {
      throw new StashError('NO_SERVER.badNumber', { details: { property } });
    }
  }
  checkNetwork(options);
}

/** Returns the time limits of requests, in seconds. */
export function timeoutsOf({ timeout, lookupTimeout, backupTimeout }: ServerOptions): TimeLimits {
  return {
    query: timeout,
    mutation: timeout,
    lookup: lookupTimeout,
    picture: lookupTimeout,
    backup: backupTimeout,
    editor: timing.editor / 1000,
  };
}
