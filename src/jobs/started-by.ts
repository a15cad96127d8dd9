import type { Call } from '../call';
import type { ServerJob } from './server-job';
import { jobKey } from './tracked-job';

type JobKey = Pick<ServerJob, 'id' | 'addTime'>;

/** The most jobs to remember, of all servers together. */
const MOST_JOBS = 1_000;

/**
 * The IDs of the nodes that started jobs, oldest first, by the address of the server, the ID of the job and the time when it was
 * added: IDs begin at 1 again after a restart of the server. Module-level, because a job goes on when a deploy replaces its
 * config node, and several config nodes may have the same address.
 */
const starters = new Map<string, string>();

/** Remembers that the node of a call started a job. */
export function rememberStarter(url: string, job: JobKey, { origin }: Pick<Call, 'origin'>): void {
  if (origin === undefined) return;
  starters.set(`${url} ${jobKey(job)}`, origin);
  const [oldest] = starters.keys();
  if (starters.size > MOST_JOBS && oldest !== undefined) starters.delete(oldest);
}

/** Returns the ID of the node that started a job; null if that is unknown. */
export function starterOf(url: string, job: JobKey): string | null {
  return starters.get(`${url} ${jobKey(job)}`) ?? null;
}
