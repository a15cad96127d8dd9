import type { Call } from '../call';
import { parsed } from '../guards';
import type { JobRecord } from '../records';
import type { Operation, Server } from '../server';

/** A job, as the one that is meant: ids begin at 1 again when the server is restarted, so the id alone may mean another. */
export interface JobReference {
  /** Null on servers that give none. */
  id: string | null;
  /** When it was queued, as the server told; any time unless said. */
  added?: string | null;
  /** In the server's words, which is all that tells jobs without an id apart; any unless said. */
  description?: string;
}

export interface Stopped {
  operation: string;
  /** What was stopped, each as it is then: CANCELLED where it waited, STOPPING where it ran, as it ends what it is at. */
  stopped: JobRecord[];
}

/** More than wait at any server; those that come after them are left alone. */
const MOST_STOPPED = 1000;

/**
 * Stops one job, or with null all that wait or run. Where there is none to stop nothing is sent: before v0.8.0 that would
 * stop the job that comes next.
 * @throws {StashError} UNSUPPORTED where the server has no jobs to be asked for.
 */
export async function stop(
  server: Server,
  { job }: { job: JobReference | null },
  call: Call,
): Promise<Stopped> {
  const queue = await server.jobQueue(call);
  const meant = job === null ? queue : queue.filter((one) => matches(one, job));
  const chosen = meant.slice(0, MOST_STOPPED);
  // Each by its id, as `stopAllJobs` passes over every second one that waits (seen on v0.11 and v0.30). The last comes
  // first, so that none begins because the one before it has been stopped.
  for (const { id } of [...chosen].reverse()) {
    await server.request({ kind: 'mutation', call, build: () => stopOperation(id) });
  }
  return { operation: chosen.length === 0 ? 'jobQueue' : 'stopJob', stopped: chosen.map(stopped) };
}

function matches({ id, added, description }: JobRecord, meant: JobReference): boolean {
  if (id !== meant.id) return false;
  return id === null ? description === (meant.description ?? description) : added === (meant.added ?? added);
}

function stopOperation(id: string | null): Operation<true> {
  // True comes back whatever was stopped, for unknown and finished jobs, too.
  const read = parsed(isTrue, (answer) => answer);
  const operation = 'stopJob';
  if (id === null) return { rootField: operation, document: 'mutation { stopJob }', read };
  const document = 'mutation ($job_id: ID!) { stopJob(job_id: $job_id) }';
  return { rootField: operation, document, variables: { job_id: id }, read };
}

function isTrue(value: unknown): value is true {
  return value === true;
}

function stopped(job: JobRecord): JobRecord {
  return { ...job, status: job.status === 'READY' ? 'CANCELLED' : 'STOPPING' };
}
