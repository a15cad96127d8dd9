/** What is known of a job of the server. */
export interface Job {
  /** Null on servers that give none. */
  id: string | null;
  status: 'STARTED';
}

/** A job that the server has just accepted, from the answer to the mutation that asked for it. */
export function started(answer: string): Job {
  // Before v0.8.0 every such mutation answers "todo", and some do in later releases.
  return { id: /^\d+$/.test(answer) ? answer : null, status: 'STARTED' };
}
