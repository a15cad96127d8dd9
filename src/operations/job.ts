import { isText, shaped } from '../server/shape';

/** What is known of a job of the server. */
export interface Job {
  /** Null on servers that give none. */
  id: string | null;
  status: 'STARTED';
}

/** A job that the server has just accepted: reads the answer to the mutation that asked for it. */
export function startedBy(operation: string): (answer: unknown) => { operation: string; job: Job } {
  return shaped(isText, (answer) => ({
    operation,
    // Before v0.8.0 every such mutation answers "todo".
    job: { id: /^\d+$/.test(answer) ? answer : null, status: 'STARTED' },
  }));
}
