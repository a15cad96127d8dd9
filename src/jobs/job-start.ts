import type { Call } from '../call';
import type { BuildOperation } from '../graphql';
import type { ServerJob } from './server-job';
import { jobKey, type TrackedJob } from './tracked-job';

/** A mutation that starts a job. */
export interface JobStart {
  call: Call;
  /** Builds the mutation. Its result is the job's ID; null if the server names no job. */
  build: BuildOperation<string | null>;
  /** The server's description of such a job. */
  description: string;
  /**
   * Some releases start the job without naming it in their response. It is then the only new one with this description, which
   * is why such starts go one after the other.
   */
  isUnnamed?: boolean;
  /** Called if the job finished without progress, because there was nothing to do. */
  onIdle?: () => void;
}

/** Time limits for a job. */
export interface WaitOptions {
  /** The time without progress after which a job is stalled, in milliseconds; Infinity: never. */
  stalledAfter: number;
  /** The longest time from the call to the end of the job, in milliseconds; Infinity: no limit. */
  waitLimit: number;
}

/** A start that the server has accepted. */
export interface PendingStart {
  /** Null if the server does not tell which job it is. */
  id: string | null;
  /** The lowest sequence number that this job can have. */
  firstSequence: number;
  tracked?: TrackedJob | undefined;
  /** The response to the start was lost, and only this new job matched. */
  adopted?: true;
}

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
