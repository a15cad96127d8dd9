import type { Call } from '../call';
import { StashError } from '../errors';
import { isString, parsed } from '../guards';
import { type JobRecord, jobValues, type StartedJob } from '../records';
import type { JobStart, Schema, Server, WaitOptions } from '../server';
import { libraryPaths, type LibraryPaths } from './library';

/** A mutation that starts a job. */
export interface Task {
  /** The root field. */
  operation: string;
  /** The name of its input type. */
  input: string;
  /** Input fields that not every release has, with the first release that has each; null if none has it so far. */
  since: Readonly<Record<string, string | null>>;
  /** The server's description of such a job (since v0.8). */
  description: string;
  /** The server's name for such a job in its one slot (before v0.8). */
  slot: string;
}

/** The fields of a task's input. */
export interface TaskInput {
  /** Folders and files; null for the whole library. */
  paths: readonly string[] | null;
  /** Fields that the user chose; a server that lacks one is UNSUPPORTED. */
  required: Readonly<Record<string, unknown>>;
  /** Fields that are sent only to a server that has them. */
  optional?: Readonly<Record<string, unknown>>;
}

/** When and how to report a job. `stalledAfter` and `waitLimit` are unlimited by default. */
export interface JobOptions extends Partial<WaitOptions> {
  /** `started` (default): as soon as the server has accepted the job. `finished`: when the job has ended. */
  reply?: 'started' | 'finished';
  /** Whether a job that failed, was cancelled or is lost is a result instead of an error. Default false. */
  sendFailed?: boolean;
}

/** The result of a task. */
export interface TaskResult {
  /** The root field of the request. */
  operation: string;
  /** A `StartedJob` with `reply: 'started'`, otherwise the record of the ended job. */
  job: StartedJob | JobRecord;
  /** The job finished, and the server had counted no work for it. Absent if that is not so, or not known. */
  isIdle?: true;
}

/**
 * Translates paths of this machine to those of the server, all of which are in the library. Returns null for the whole library.
 * @throws {StashError} as `libraryPaths`; UNSUPPORTED if the server lacks `paths` or a required field.
 */
export async function taskPaths(
  server: Server,
  task: Task,
  input: TaskInput,
  call: Call,
): Promise<LibraryPaths | null> {
  if (!input.paths) return null;
  const check = (schema: Schema) => {
    checkSupported(schema, task, input);
    // A message whose paths are refused still names the operation.
    call.onOperation?.(task.operation);
  };
  return libraryPaths(server, input.paths, check, call);
}

/**
 * Starts a job, and waits for its end with `reply: 'finished'`.
 * @param input its paths are the server's, as `taskPaths` returns them.
 * @throws {StashError} as `Server.startJob`; UNSUPPORTED if the server lacks `paths` or a required field;
 * TIMEOUT once `waitLimit` has passed; without `sendFailed` JOB_FAILED, JOB_CANCELLED or JOB_LOST, as the job ended.
 * @throws the reason of the call's signals; a job that was started goes on.
 */
export async function runTask(
  server: Server,
  task: Task,
  input: TaskInput,
  { reply = 'started', sendFailed = false, stalledAfter = Infinity, waitLimit = Infinity }: JobOptions,
  call: Call,
): Promise<TaskResult> {
  const { operation, description, slot } = task;
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
      // The schema may have been read again since the paths were checked.
      checkSupported(schema, task, input);
      // Up to v0.16 a job that did work may show no progress: if counting took too long, or a folder was missing.
      tellsIdle = schema.has('Scene', 'files');
      return {
        rootField: operation,
        document: `mutation ($input: ${task.input}!) { ${operation}(input: $input) }`,
        variables: { input: schema.input(task.input, fieldsOf(input)) },
        read: readId,
      };
    },
  };
  if (reply === 'started') return { operation, job: await server.startJob(start) };
  // Copied, because other listeners share the record and a flow may change its message.
  const job = structuredClone(await server.runJob(start, { stalledAfter, waitLimit }));
  if (!sendFailed) throwUnlessDone(job);
  return { operation, job, ...(isIdle && { isIdle: true }) };
}

function fieldsOf({ paths, required, optional }: TaskInput): Readonly<Record<string, unknown>> {
  return { ...optional, ...required, ...(paths && { paths }) };
}

/** @throws {StashError} UNSUPPORTED if the server lacks a field that the task needs. */
function checkSupported(schema: Schema, { input, since }: Task, given: TaskInput): void {
  const fields = fieldsOf(given);
  const lacking = Object.keys(since).find((name) => name in fields && !schema.has(input, name));
  if (lacking !== undefined) throw schema.lacks(lacking, since[lacking] ?? null);
}

/** Reads the response to a mutation that starts a job: its id, or null before v0.8.0, where it is always "todo". */
export const readId = parsed(isString, (id) => (/^\d+$/.test(id) ? id : null));

/** @throws {StashError} JOB_FAILED, JOB_CANCELLED or JOB_LOST for a job that ended that way. */
function throwUnlessDone(job: JobRecord): void {
  const details = jobValues(job);
  if (job.status === 'FAILED') {
    // A job that panicked has no error text.
    throw new StashError(job.error ? 'JOB_FAILED.failed' : 'JOB_FAILED.panicked', { details });
  }
  if (job.status === 'CANCELLED') throw new StashError('JOB_CANCELLED.cancelled', { details });
  if (job.status === 'LOST') throw new StashError('JOB_LOST.lost', { details });
}
