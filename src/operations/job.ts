import type { Call } from '../call';
import { StashError } from '../errors';
import { isString, parsed } from '../guards';
import { type JobRecord, type StartedJob, titleOf } from '../records';
import type { JobStart, Schema, Server, WaitOptions } from '../server';
import { checkPaths } from './library';

/** A mutation that starts a job. */
interface Task {
  operation: string;
  /** The type of its input. */
  input: string;
  /** What can be wished, as the schema names it, and the release that has it first; null where none known so far has it. */
  since: Readonly<Record<string, string | null>>;
  /** How the server describes such a job: since v0.8, and in the one slot that there was before. */
  description: string;
  slot: string;
}

interface TaskInput {
  /** Folders and files; null for the whole library. */
  paths: readonly string[] | null;
  /** What else is wished; one that this server lacks is never passed over. */
  required: Readonly<Record<string, unknown>>;
  /** What is sent all the same where the server has it. */
  optional?: Readonly<Record<string, unknown>>;
}

/** What there is to tell of a job, and when; how long it may take is without a limit unless said. */
export interface JobOptions extends Partial<WaitOptions> {
  /** `started`, unless said: as soon as the server has accepted it. */
  reply?: 'started' | 'finished';
  /** A job that failed, was cancelled or is lost is a result, not an error. */
  sendFailed?: boolean;
}

export interface TaskResult {
  operation: string;
  /** As far as it was waited for. */
  job: StartedJob | JobRecord;
  /** It has finished, and the server counted nothing that it had to do. */
  isIdle?: true;
}

/**
 * Starts a job, and waits for its end if that is wished.
 * @throws {StashError} UNSUPPORTED for something wished that this server lacks, PATH_NOT_IN_LIBRARY; JOB_FAILED,
 * JOB_CANCELLED or JOB_LOST if that is how the job ended, unless these are results; TIMEOUT once `waitLimit` has passed.
 */
export async function runTask(
  server: Server,
  { operation, input, since, description, slot }: Task,
  { paths, required, optional }: TaskInput,
  { reply = 'started', sendFailed = false, stalledAfter = Infinity, waitLimit = Infinity }: JobOptions,
  call: Call,
): Promise<TaskResult> {
  const all = { ...optional, ...required, ...(paths && { paths }) };
  const requireAll = (schema: Schema) => {
    const lacking = Object.keys(since).find((name) => name in all && !schema.has(input, name));
    if (lacking !== undefined) throw schema.lacks(lacking, since[lacking] ?? null);
  };
  if (paths) {
    const prepare = (schema: Schema) => {
      requireAll(schema);
      // That is what the message is about, also where its paths are refused.
      call.onOperation?.(operation);
    };
    await checkPaths(server, paths, prepare, call);
  }
  let isIdle = false as boolean;
  let tellsIdle = false;
  const start: JobStart = {
    call,
    description,
    slot,
    onIdle: () => {
      isIdle = tellsIdle;
    },
    build: (schema) => {
      // The schema may have been read anew since the paths were checked.
      requireAll(schema);
      // Up to v0.16 a job may have no progress though it did much: where counting took too long, or one folder was missing.
      tellsIdle = schema.has('Scene', 'files');
      return {
        rootField: operation,
        document: `mutation ($input: ${input}!) { ${operation}(input: $input) }`,
        variables: { input: schema.input(input, all) },
        read: readId,
      };
    },
  };
  if (reply === 'started') return { operation, job: await server.startJob(start) };
  // Copied, as others hear of the same job and a flow may change its message.
  const job = structuredClone(await server.runJob(start, { stalledAfter, waitLimit }));
  if (!sendFailed) throwUnlessDone(job);
  return { operation, job, ...(isIdle && { isIdle: true }) };
}

/** Reads the answer to a mutation that asked for a job: its id, or null as every such mutation answers "todo" before v0.8.0. */
export const readId = parsed(isString, (id) => (/^\d+$/.test(id) ? id : null));

/** Throws what a job that did not come to its own end is to those who have waited for that. */
function throwUnlessDone(job: JobRecord): void {
  const details = {
    job: job.id ?? '–',
    description: titleOf(job.description),
    text: (job.error ?? '').slice(0, 300),
  };
  if (job.status === 'FAILED') {
    // The server gives no text where the fault is its own.
    throw new StashError(job.error ? 'JOB_FAILED.failed' : 'JOB_FAILED.panicked', { details });
  }
  if (job.status === 'CANCELLED') throw new StashError('JOB_CANCELLED.cancelled', { details });
  if (job.status === 'LOST') throw new StashError('JOB_LOST.lost', { details });
}
