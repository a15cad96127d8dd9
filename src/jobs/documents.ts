import type { Operation, Schema } from '../graphql';
import { isRecord, parsed } from '../guards';
import type { Subscriptions } from '../http';
import { type Slot, slotJob, slotOperation } from './legacy-slot';
import { jobReader, type ServerJob } from './server-job';
import type { TrackedJob } from './tracked-job';

/** How many ended jobs a server remembers (all releases). */
export const REMEMBERED = 10;
/** How many jobs are asked for at a time. */
const MOST_ASKED = 60;

/** A server's answer to a poll. */
export interface JobSnapshot {
  /** All jobs that wait or run. */
  queue: readonly ServerJob[];
  /** Those that were asked for by their id; null for one that the server does not know. */
  found: ReadonlyMap<string, ServerJob | null>;
  /** Whether the server has one slot instead of a queue, as before v0.8. */
  isSlot: boolean;
  /** What runs in it. */
  slot: Slot;
}

/** Makes a text of the server fit to be shown. */
type Redact = (text: string) => string;

/** Returns the ids to ask for beside the queue, which holds only jobs that have not ended. */
export function idsToAsk(
  { newest, open }: { newest: TrackedJob | undefined; open: readonly TrackedJob[] },
  tracked: readonly string[],
): string[] {
  const next = Number(newest?.job.id ?? 0) + 1;
  const ids = [
    ...tracked,
    ...(newest ? [newest.job.id] : []),
    ...open.map(({ job }) => job.id),
    // What may have come and gone unseen.
    ...Array.from({ length: REMEMBERED }, (_, index) => String(next + index)),
  ];
  return [...new Set(ids)].filter((id) => id !== '').slice(0, MOST_ASKED);
}

/** Returns the fields of a job to ask for. */
export function fieldsOf(schema: Schema): string {
  const fields = 'id status subTasks description progress startTime endTime addTime';
  return schema.has('Job', 'error') ? `${fields} error` : fields;
}

/**
 * Asks for the queue, and for some jobs beside it by their ids; before v0.8, what runs in the slot.
 * @throws {StashError} UNSUPPORTED where neither can be asked for.
 */
export function snapshotOperation(
  schema: Schema,
  ids: readonly string[],
  redact: Redact,
): Operation<JobSnapshot> {
  if (!schema.has('Query', 'jobQueue')) {
    // A server with one slot knows no ids, so jobs with ids, from before a downgrade, are gone.
    const found = new Map(ids.map((id) => [id, null]));
    return reading(slotOperation(schema, redact), (slot) => ({ queue: [], found, isSlot: true, slot }));
  }
  const read = jobReader(redact);
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
      isSlot: false,
      slot: undefined,
    })),
  };
}

/** Asks for the queue alone; before v0.8, for what runs. @throws {StashError} UNSUPPORTED where neither can be asked for. */
export function queueOperation(schema: Schema, redact: Redact): Operation<ServerJob[]> {
  if (!schema.has('Query', 'jobQueue')) {
    return reading(slotOperation(schema, redact), (slot) => (slot ? [slotJob(slot)] : []));
  }
  return {
    rootField: 'jobQueue',
    document: `{ jobQueue { ${fieldsOf(schema)} } }`,
    read: (queue) => readQueue(queue).map(jobReader(redact)),
  };
}

/** Returns the subscriptions to the log and to the events of jobs with these fields. */
export function subscriptionsTo(
  fields: string,
  { onLog, onEvent }: { onLog: (lines: unknown) => void; onEvent: (event: unknown) => void },
): Subscriptions {
  return {
    loggingSubscribe: {
      document: 'subscription { loggingSubscribe { time level message } }',
      hear: onLog,
    },
    jobsSubscribe: {
      document: `subscription { jobsSubscribe { type job { ${fields} } } }`,
      hear: onEvent,
    },
  };
}

/** Reads `jobQueue`, which is null where there are none. */
const readQueue = parsed(
  (value): value is unknown[] | null => value === null || Array.isArray(value),
  (queue): unknown[] => queue ?? [],
);

/** The operation with another result. */
function reading<From, To>(
  { read, ...operation }: Operation<From>,
  result: (from: From) => To,
): Operation<To> {
  return { ...operation, read: (value) => result(read(value)) };
}
