import type { Operation, Schema } from '../graphql';
import { isRecord, parsed } from '../guards';
import type { ServerJob } from './server-job';

/** A server's answer to a poll. */
export interface JobSnapshot {
  /** All jobs that wait or run. */
  queue: readonly ServerJob[];
  /** Those that were asked for by their id; null for one that the server does not know. */
  found: ReadonlyMap<string, ServerJob | null>;
}

/** The fields of a job that are asked for. */
export function fieldsOf(schema: Schema): string {
  const fields = 'id status subTasks description progress startTime endTime addTime';
  return schema.has('Job', 'error') ? `${fields} error` : fields;
}

/**
 * Asks for the queue, and for some jobs beside it by their ids (v0.8.0 and later).
 * @param read reads one job.
 */
export function snapshotOperation(
  schema: Schema,
  ids: readonly string[],
  read: (job: unknown) => ServerJob,
): Operation<JobSnapshot> {
  const parameters = ids.map((_, index) => `$id${index}: ID!`).join(', ');
  const jobs = ids.map((_, index) => `job${index}: findJob(input: { id: $id${index} }) { ...Fields }`);
  return {
    rootField: 'jobQueue',
    document: `query (${parameters}) { jobQueue { ...Fields } ${jobs.join(' ')} } fragment Fields on Job { ${fieldsOf(schema)} }`,
    variables: Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
    isWhole: true,
    read: parsed(isRecord, (data) => ({
      queue: readQueue(data['jobQueue']).map(read),
      found: new Map(
        ids.map((id, index) => {
          const job = data[`job${index}`] ?? null;
          return [id, job === null ? null : read(job)];
        }),
      ),
    })),
  };
}

/** Asks for the queue alone (v0.8.0 and later). @param read reads one job. */
export function queueOperation(schema: Schema, read: (job: unknown) => ServerJob): Operation<ServerJob[]> {
  return {
    rootField: 'jobQueue',
    document: `{ jobQueue { ${fieldsOf(schema)} } }`,
    read: (queue) => readQueue(queue).map(read),
  };
}

/** Reads `jobQueue`, which is null where there are none. */
const readQueue = parsed(
  (value): value is unknown[] | null => value === null || Array.isArray(value),
  (queue): unknown[] => queue ?? [],
);
