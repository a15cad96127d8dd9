import type { Call } from '../../call';
import type { JobRecord, JobReference } from '../../records';
import { OLDEST, type Requirements, type Server } from '../../server';

/** What the dialog offers that every release has, but not the interface document. */
export const stopRequirements: Requirements = { job: { anyOf: [['Query', 'jobQueue']], since: OLDEST } };

/** More jobs than wait at any server. Further ones are not stopped. */
const MOST_STOPPED = 1000;

/**
 * Stops one job for good, or with null all jobs that wait or run, and those that a pause has stopped. Sends no mutation if there is
 * nothing to stop. A job that a pause has started again is meant by the record of the first one, too.
 * @returns `stopped`: the jobs with their new status, CANCELLED for one that waited, STOPPING for one that ran. `interrupted`: the number of
 * those among them that a pause had stopped, and that are not started again. `waiting`: with null, how many messages still wait for the end
 * of a pause to start a job.
 * @throws {StashError} as `Jobs.queue` and `Jobs.stop`; UNSUPPORTED if the server has no job queue.
 */
export async function stop(
  server: Server,
  { job }: { job: JobReference | null },
  call: Call,
): Promise<{ operation: string; stopped: JobRecord[]; interrupted: number; waiting: number }> {
  const { jobs } = server;
  const queue = await jobs.queue(call);
  const matching = queue.filter(matches(job));
  const successor = job && matching.length === 0 ? jobs.successorOf(job) : undefined;
  const chosen = (successor ? queue.filter(matches(successor)) : matching).slice(0, MOST_STOPPED);
  const stopped: JobRecord[] = [];
  // One by one, because `stopAllJobs` skips every second waiting job (seen on v0.11 and v0.30). The last one first, so that
  // no job starts because the one before it was stopped.
  for (const one of chosen.reverse()) {
    const record = await jobs.stop(one, call);
    if (record) stopped.unshift(record);
  }
  // The server may use the ID for another job now.
  const interrupted = job && stopped.length > 0 ? [] : jobs.giveUp(job);
  return {
    operation: stopped.length === 0 ? 'jobQueue' : 'stopJob',
    stopped: [...stopped, ...interrupted],
    interrupted: interrupted.length,
    waiting: job ? 0 : jobs.pause.pending.waiting,
  };
}

function matches(job: JobReference | null): (one: JobRecord) => boolean {
  return ({ id, added }) => job === null || (id === job.id && added === (job.added ?? added));
}
