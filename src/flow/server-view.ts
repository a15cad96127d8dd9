import type { JobView, RecentErrorView, ServerView } from '../contract/activity';
import type { StashError } from '../errors';
import { titleOf } from '../records';
import { redact } from '../redact';
import type { QueuedJob, QueueWatch, Reachability, Server } from '../server';
import type { RecentError } from './recent-errors';
import { wholeRefusal } from './routes/add-route';
import type { ServerNode } from './server-node';

/**
 * The most jobs, sites and waiting nodes in a view. Further jobs, and the messages of further nodes, are only counted. Nobody
 * waits for so many sites.
 */
const MOST_JOBS = 50;
const MOST_SITES = 20;
const MOST_NODES = 50;

/** Returns the view of a server that no request can use, with the reason. */
export function viewOfUnusable(
  { id, name = '' }: ServerNode,
  reason: StashError,
  errors: readonly RecentError[],
): ServerView {
  const reach = { state: 'unusable', reason: wholeRefusal(reason, redact) } as const;
  const none = { url: '', watched: [], jobs: null, jobsError: null, moreJobs: 0, pause: null, sites: [] };
  return { id, name, ...none, reach, errors: errors.map((one) => recentRefusal(one, redact)) };
}

/** What is known of a usable server. */
export interface ViewSource {
  server: Server;
  queue: QueueWatch;
  /** Undefined while unknown. */
  reachability: Reachability | undefined;
  errors: readonly RecentError[];
}

export function viewOf({ id }: ServerNode, { server, queue, reachability, errors }: ViewSource): ServerView {
  const safe = (text: string) => server.redact(text);
  const { jobs, count, failure } = queue.view(MOST_JOBS);
  const { begun, pending } = server.jobs.pause;
  return {
    id,
    name: server.name,
    url: server.url,
    reach: reachView(server, reachability),
    watched: watchedOn(server),
    jobs: jobs?.map(jobView) ?? null,
    // The jobs of a server that is back have not been requested yet.
    jobsError: failure && !server.reachability.hasRecoveredFrom(failure) ? wholeRefusal(failure, safe) : null,
    moreJobs: jobs ? count - jobs.length : 0,
    pause:
      begun === undefined
        ? null
        : { since: begun, interrupted: pending.interrupted.length, waiting: pending.waiting },
    sites: server.sites.slice(0, MOST_SITES).map(({ nodes, ...site }) => ({
      ...site,
      nodes: [...nodes].slice(0, MOST_NODES).map(([id, waitingInNode]) => ({ id, count: waitingInNode })),
    })),
    errors: errors.map((one) => recentRefusal(one, safe)),
  };
}

function reachView(server: Server, reachability: Reachability | undefined): ServerView['reach'] {
  const { outage } = server.reachability;
  if (outage) {
    const reason = wholeRefusal(outage.reason, (text) => server.redact(text));
    return { state: 'unreachable', since: outage.since.getTime(), reason };
  }
  if (!reachability?.reachable) return { state: 'unknown' };
  return { state: 'reachable', release: reachability.release };
}

function watchedOn({ watched }: Server): ServerView['watched'] {
  return [...new Map([...watched.values()].flat().map((scene) => [scene.id, scene])).values()];
}

function jobView({ job, progress, estimatedAt, startedBy }: QueuedJob): JobView {
  const { id, added, description, status } = job;
  const { percent = null, task = null, secondsLeft = null, stalled = false } = progress ?? {};
  return {
    ...{ id, added, title: titleOf(description), status, percent, task, stalled },
    endsAt: secondsLeft === null ? null : estimatedAt + secondsLeft * 1000,
    node: startedBy,
  };
}

function recentRefusal({ error, ...facts }: RecentError, safe: (text: string) => string): RecentErrorView {
  return { ...facts, error: error ? wholeRefusal(error, safe) : null };
}
