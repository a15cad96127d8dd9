import type { Call } from '../server/call';
import type { Schema } from '../server/schema';
import type { Server } from '../server/server';
import { isText, shaped } from '../server/shape';
import { checkPaths } from './library';

/** What is known of a job of the server. */
export interface Job {
  /** Null on servers that give none. */
  id: string | null;
  status: 'STARTED';
}

/** A mutation that starts a job. */
interface Task {
  operation: string;
  /** The type of its input. */
  input: string;
  /** What can be wished, as the schema names it, and the release that has it first; null where none known so far has it. */
  since: Readonly<Record<string, string | null>>;
}

interface Wishes {
  /** Folders and files; null for the whole library. */
  paths: readonly string[] | null;
  /** What else is wished; one that this server lacks is never passed over. */
  wished: Readonly<Record<string, unknown>>;
  /** What is sent all the same where the server has it. */
  unwished?: Readonly<Record<string, unknown>>;
}

/**
 * Starts a job.
 * @throws {StashError} UNSUPPORTED for something wished that this server lacks, PATH_NOT_IN_LIBRARY.
 */
export async function startJob(
  server: Server,
  { operation, input, since }: Task,
  { paths, wished, unwished }: Wishes,
  call: Call,
): Promise<{ operation: string; job: Job }> {
  const all = { ...unwished, ...wished, ...(paths && { paths }) };
  const requireAll = (schema: Schema) => {
    const lacking = Object.keys(since).find((name) => name in all && !schema.has(input, name));
    if (lacking !== undefined) throw schema.lacks(lacking, since[lacking] ?? null);
  };
  if (paths) await checkPaths(server, paths, requireAll, call);
  return server.request({
    kind: 'mutation',
    call,
    ask: (schema) => {
      // The schema may have been read anew since the paths were checked.
      requireAll(schema);
      return {
        operation,
        document: `mutation ($input: ${input}!) { ${operation}(input: $input) }`,
        variables: { input: schema.input(input, all) },
        read: startedBy(operation),
      };
    },
  });
}

/** A job that the server has just accepted: reads the answer to the mutation that asked for it. */
export function startedBy(operation: string): (answer: unknown) => { operation: string; job: Job } {
  return shaped(isText, (answer) => ({
    operation,
    // Before v0.8.0 every such mutation answers "todo".
    job: { id: /^\d+$/.test(answer) ? answer : null, status: 'STARTED' },
  }));
}
