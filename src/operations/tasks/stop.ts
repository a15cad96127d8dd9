import type { Call } from '../../call';
import type { JobRecord, JobReference } from '../../records';
import { asStopped, OLDEST, type Requirements, type Server, stopOperation } from '../../server';

/** What the dialog offers that every release has, but not the interface document. */
export const stopRequirements: Requirements = { job: { anyOf: [['Query', 'jobQueue']], since: OLDEST } };

/** More jobs than wait at any server. Further ones are not stopped. */
const MOST_STOPPED = 1000;

/**
 * Stops one job, or with null all jobs that wait or run. Sends no mutation if there is nothing to stop.
 * @throws {StashError} as `Server.jobQueue` and `Server.request`; UNSUPPORTED if the server has no job queue.
 */
export async function stop(
  server: Server,
  { job }: { job: JobReference | null },
  call: Call,
): Promise<{
  /** `stopJob`, or `jobQueue` if there was nothing to stop. */
  operation: string;
  /** The stopped jobs, with their new status: CANCELLED for one that waited, STOPPING for one that ran. */
  stopped: JobRecord[];
}> {
  const queue = await server.jobs.queue(call);
  const matching = job === null ? queue : queue.filter((one) => matches(one, job));
  const chosen = matching.slice(0, MOST_STOPPED);
  // One by one, because `stopAllJobs` skips every second waiting job (seen on v0.11 and v0.30). The last one first, so that
  // no job starts because the one before it was stopped.
  for (const { id } of [...chosen].reverse()) {
    await server.request({ kind: 'mutation', call, build: () => stopOperation(id) });
  }
  return { operation: chosen.length === 0 ? 'jobQueue' : 'stopJob', stopped: chosen.map(asStopped) };
}

function matches({ id, added }: JobRecord, job: JobReference): boolean {
  return id === job.id && added === (job.added ?? added);
}
