import type { Call, JobOptions } from '../../call';
import { StashError } from '../../errors';
import { type JobRecord, jobValues, type SkippedJob, type StartedJob } from '../../records';
import { type JobStart, type Operation, readId, type Schema, type Server } from '../../server';
import type { Chosen } from '../items';
import { Library, libraryFolders, type LibraryPaths } from '../library';

/** A mutation that starts a job. */
export interface Task {
  /** The root field. */
  operation: string;
  since: string;
  /** The server's description of such a job. */
  description: string;
  /** Not every release names the job in its response. */
  isUnnamed?: boolean;
  /** Whether a pause may stop the job: when it is started again, it goes on where it was. */
  isResumable?: boolean;
  /** Called before the mutation is sent, after any wait for that. @throws {StashError} to send nothing. */
  prepare?: () => Promise<void>;
  /**
   * Returns the arguments in terms of a server's schema.
   * @throws {StashError} UNSUPPORTED if the server lacks something that the user chose; BAD_INPUT for a wrong value.
   */
  arguments: (schema: Schema) => readonly Argument[];
}

export interface Argument {
  name: string;
  /** As in `ScanMetadataInput!`. */
  type: string;
  value: unknown;
}

export interface InputFields {
  /** Fields that the user chose; a server that lacks one is UNSUPPORTED. */
  required: Readonly<Record<string, unknown>>;
  /** Fields that are sent only to a server that has them. */
  optional?: Readonly<Record<string, unknown>>;
  /** The first release that has each field that not every release has. */
  since: Readonly<Record<string, string>>;
  /** The names of such fields in the flow file, where they differ. */
  names?: Readonly<Record<string, string>>;
  /** For fields that older servers have but cannot use: the type and the field that show that a server can. */
  usableWith?: Readonly<Record<string, readonly [type: string, field: string]>>;
}

export interface TaskResult {
  /** The root field of the request. */
  operation: string;
  /** A `StartedJob` with `reply: 'started'`, otherwise the record of the ended job. */
  job: StartedJob | JobRecord;
  /** The job finished, and the server had counted no work for it. Absent if that is not so, or not known. */
  isIdle?: true;
  /** When the first job began that a pause has stopped; absent if none was stopped. */
  begun?: string;
}

/** The result of a task for chosen items of the library. */
export interface TaskForItems extends Omit<TaskResult, 'job'> {
  /** The job as started or ended; skipped if none of the chosen items is in the library. */
  job: TaskResult['job'] | SkippedJob;
  /** The chosen items; absent for the whole library or its folders. */
  items?: Chosen;
}

/**
 * Returns the argument `input` for the fields that a server has.
 * @throws {StashError} UNSUPPORTED if the server lacks a required one.
 */
export function inputArgument(
  schema: Schema,
  type: string,
  { required, optional, since, names = {}, usableWith = {} }: InputFields,
): Argument {
  const isUsable = (name: string) => {
    const sign = usableWith[name];
    return schema.has(type, name) && (!sign || schema.has(...sign));
  };
  const lacking = Object.keys(since).find((name) => name in required && !isUsable(name));
  if (lacking !== undefined) throw schema.lacks(names[lacking] ?? lacking, since[lacking]);
  return { name: 'input', type: `${type}!`, value: schema.input(type, { ...optional, ...required }) };
}

/**
 * Returns a check for the first request that prepares a task, so that a message that cannot succeed requests nothing else, and
 * names its operation.
 */
export function checkOf({ operation, arguments: read, since }: Task, call: Call): (schema: Schema) => void {
  return (schema) => {
    if (!schema.has('Mutation', operation)) throw schema.lacks(operation, since);
    read(schema);
    call.report?.({ operation });
  };
}

/**
 * Translates paths of this machine to those of the server, and checks that they are in the library before a job is started for them. The
 * server only logs a path outside it, and reports the job as FINISHED (seen on v0.8 to v0.30). Returns null for the whole library.
 * @throws {StashError} as `libraryFolders` and `Library.refuse`, and as `checkOf`.
 */
export async function taskPaths(
  server: Server,
  task: Task,
  paths: readonly string[] | null,
  call: Call,
): Promise<LibraryPaths | null> {
  if (!paths) return null;
  const library = new Library(server, await libraryFolders(server, call, checkOf(task, call)));
  return { library, paths: library.resolve(paths) ?? (await library.refuse(paths, call)) };
}

/**
 * Starts the job of a task, as `reportedJob`.
 * @throws {StashError} as `reportedJob`, and as the task's `arguments`; UNSUPPORTED if the server lacks the operation.
 * @throws the reason of the call's signals; a job that was started goes on.
 */
export async function runTask(
  server: Server,
  task: Task,
  options: Partial<JobOptions>,
  call: Call,
): Promise<TaskResult> {
  const { operation, description, isUnnamed = false, isResumable = false, prepare } = task;
  let begun = null as string | null;
  let isIdle = false as boolean;
  let reportsIdle = false;
  const start: JobStart = {
    call,
    description,
    isUnnamed,
    isResumable,
    prepare,
    onInterrupted: ({ start }) => {
      begun ??= start;
    },
    onIdle: () => {
      // What was to do may have been done before a pause.
      isIdle = reportsIdle && begun === null;
    },
    build: (schema) => {
      // Up to v0.16 a job that did work may show no progress: if counting took too long, or a folder was missing.
      const showsProgress = schema.fieldsOf('Job')?.get('progress')?.name === 'Float';
      reportsIdle = schema.has('Scene', 'files') && showsProgress;
      return mutationOf(schema, task);
    },
  };
  const job = await reportedJob(server, start, options);
  return { operation, job, ...(isIdle && { isIdle: true }), ...(begun !== null && { begun }) };
}

/**
 * Starts a job, and waits for its end with `reply: 'finished'`. By default it replies at once, and does not limit the wait.
 * @throws {StashError} as `Jobs.start`; TIMEOUT once `waitLimit` has passed; without `sendFailed` JOB_FAILED, JOB_CANCELLED or
 * JOB_LOST, as the job ended.
 */
export async function reportedJob(
  server: Server,
  start: JobStart,
  given: Partial<JobOptions>,
): Promise<StartedJob | JobRecord> {
  const options = { ...PRESETS, ...given };
  if (options.reply === 'started') return await server.jobs.start(start);
  // Copied, because other listeners share the record and a flow may change its message.
  const job = structuredClone(await server.jobs.run(start, options));
  if (!options.sendFailed) throwUnlessDone(job);
  return job;
}

const PRESETS: JobOptions = {
  reply: 'started',
  sendFailed: false,
  stalledAfter: Infinity,
  waitLimit: Infinity,
};

function mutationOf(schema: Schema, task: Task): Operation<string | null> {
  const { operation, since } = task;
  if (!schema.has('Mutation', operation)) throw schema.lacks(operation, since);
  const all = task.arguments(schema);
  const declared = all.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const given = all.map(({ name }) => `${name}: $${name}`).join(', ');
  return {
    rootField: operation,
    document:
      all.length === 0 ? `mutation { ${operation} }` : `mutation (${declared}) { ${operation}(${given}) }`,
    ...(all.length > 0 && { variables: Object.fromEntries(all.map(({ name, value }) => [name, value])) }),
    read: readId,
  };
}

/** @throws {StashError} JOB_FAILED, JOB_CANCELLED or JOB_LOST for a job that ended that way. */
export function throwUnlessDone(job: JobRecord): void {
  const details = jobValues(job);
  if (job.status === 'FAILED') {
    // A job that panicked has no error text.
    throw new StashError(job.error ? 'JOB_FAILED.failed' : 'JOB_FAILED.panicked', { details });
  }
  if (job.status === 'CANCELLED') throw new StashError('JOB_CANCELLED.cancelled', { details });
  if (job.status !== 'LOST') return;
  if (job.id === null) throw new StashError('JOB_LOST.unidentified', { details });
  throw new StashError(job.error === null ? 'JOB_LOST.lost' : 'JOB_LOST.status', { details });
}
