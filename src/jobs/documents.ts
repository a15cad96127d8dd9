import type { Operation, Schema } from '../graphql';
import { isRecord, isString, parsed } from '../guards';
import type { Subscriptions } from '../http';
import type { Redact } from '../redact';
import { jobReader, type ServerJob } from './server-job';
import type { TrackedJob } from './tracked-job';

/** The number of ended jobs that a server remembers (all releases). */
export const REMEMBERED = 10;
/** The most jobs to request at a time. */
const MOST_REQUESTED = 60;

/** The response to a poll. */
export interface JobSnapshot {
  /** All jobs that run or wait. */
  queue: readonly ServerJob[];
  /** The jobs requested by ID; null for one that the server does not know. */
  found: ReadonlyMap<string, ServerJob | null>;
}

/** Returns the IDs to request beside the queue, because the queue lacks ended jobs. */
export function idsToRequest(
  { newest, open }: { newest: TrackedJob | undefined; open: readonly TrackedJob[] },
  tracked: readonly string[],
): string[] {
  const next = Number(newest?.job.id ?? 0) + 1;
  const ids = [
    ...tracked,
    ...(newest ? [newest.job.id] : []),
    ...open.map(({ job }) => job.id),
    // Jobs that may have started and ended between two polls.
    ...Array.from({ length: REMEMBERED }, (_, index) => String(next + index)),
  ];
  return [...new Set(ids)].slice(0, MOST_REQUESTED);
}

/** Returns the fields to request for a job: the three that are always needed, and the others that the server has. */
export function jobFields(schema: Schema): string {
  const others = ['subTasks', 'description', 'progress', 'startTime', 'endTime', 'error'];
  return ['id', 'status', 'addTime', ...others.filter((name) => schema.has('Job', name))].join(' ');
}

/** Requests the queue, and some further jobs by their IDs. @throws {StashError} UNSUPPORTED if the server offers no queue. */
export function snapshotOperation(
  schema: Schema,
  ids: readonly string[],
  redact: Redact,
): Operation<JobSnapshot> {
  needQueue(schema);
  const read = jobReader(redact);
  const parameters = ids.map((_, index) => `$id${index}: ID!`).join(', ');
  const jobs = ids.map((_, index) => `job${index}: findJob(input: { id: $id${index} }) { ...Fields }`);
  return {
    rootField: 'jobQueue',
    document: `query (${parameters}) { jobQueue { ...Fields } ${jobs.join(' ')} } fragment Fields on Job { ${jobFields(schema)} }`,
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

/** Requests the queue. @throws {StashError} UNSUPPORTED if the server offers none. */
export function queueOperation(schema: Schema, redact: Redact): Operation<ServerJob[]> {
  needQueue(schema);
  return {
    rootField: 'jobQueue',
    document: `{ jobQueue { ${jobFields(schema)} } }`,
    read: (queue) => readQueue(queue).map(jobReader(redact)),
  };
}

/** Requests one job; null if the server does not know it. */
export function findOperation(
  schema: Schema,
  id: string | null,
  redact: Redact,
): Operation<ServerJob | null> {
  needQueue(schema);
  const read = jobReader(redact);
  return {
    rootField: 'findJob',
    document: `query ($job_id: ID!) { findJob(input: { id: $job_id }) { ${jobFields(schema)} } }`,
    variables: { job_id: id },
    read: (job) => (job === null ? null : read(job)),
  };
}

/** Reads the response to a mutation that starts a job: its id, or null for "todo", which names none. */
export const readId = parsed(isString, (id) => (/^\d+$/.test(id) ? id : null));

/**
 * Reads a little from the database, because the server logs its SQL to subscribers, even at the log level Error. Users see
 * such lines at the level Trace only (all releases since v0.11).
 */
export function flushOperation(schema: Schema): Operation<undefined> {
  // Every release has tags, and fewer tags than scenes. Any other server has scenes at most.
  const rootField = schema.has('Query', 'findTags') ? 'findTags' : 'findScenes';
  return {
    rootField,
    document: `{ ${rootField}(filter: { per_page: 1 }) { count } }`,
    read: () => undefined,
  };
}

/** Stops a job that the server has just shown. The server returns true also for an unknown job, and for one that has ended. */
export function stopOperation(id: string | null): Operation<true> {
  return {
    rootField: 'stopJob',
    document: 'mutation ($job_id: ID!) { stopJob(job_id: $job_id) }',
    variables: { job_id: id },
    isReady: true,
    read: parsed(
      (value): value is true => value === true,
      (value) => value,
    ),
  };
}

/** Returns the subscriptions to the log and to job events with these fields. */
export function subscriptionsTo(
  fields: string,
  { onLog, onEvent }: { onLog: (lines: unknown) => void; onEvent: (event: unknown) => void },
): Subscriptions {
  return {
    loggingSubscribe: {
      document: 'subscription { loggingSubscribe { time level message } }',
      onNext: onLog,
    },
    jobsSubscribe: {
      document: `subscription { jobsSubscribe { type job { ${fields} } } }`,
      onNext: onEvent,
    },
  };
}

/** Reads `jobQueue`, which is null without jobs. */
const readQueue = parsed(
  (value): value is unknown[] | null => value === null || Array.isArray(value),
  (queue): unknown[] => queue ?? [],
);

/** The interface document names no queue. */
function needQueue(schema: Schema): void {
  if (!schema.has('Query', 'jobQueue')) throw schema.lacks('jobQueue');
}
