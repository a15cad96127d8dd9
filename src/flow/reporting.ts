import type { NodeAPI } from 'node-red';
import type { Code, StashError } from '../errors';
import { describeError } from './words';

/** An error as a node reports it, in the runtime's language. */
export interface Report {
  /** For `done` and `node.error`. */
  error: Error;
  /** For `msg.stash`. */
  facts: {
    /** What happened, then what to do. */
    summary: string;
    error: { code: Code; status: number | null; remedy: string; retry: boolean };
  };
}

/** Renders an error for `msg.stash`, Catch nodes and the log. */
export function reportOf(RED: NodeAPI, thrown: StashError): Report {
  const { code, status, retry } = thrown;
  const { message, remedy } = describeError(RED, thrown);
  return {
    error: new Sentence(message, code) as unknown as Error,
    facts: { summary: message, error: { code, status, remedy, retry } },
  };
}

/**
 * A text with a code, used instead of an `Error`. The debug sidebar folds an `Error` and cuts its text after 30 characters,
 * and a plain text after 80. It shows a value in full if its constructor is called `RegExp`. A Catch node reads `toString()`
 * and an own `code` of each of them.
 */
class Sentence extends String {
  static override readonly name = 'RegExp';
  readonly code: Code;

  constructor(text: string, code: Code) {
    super(text);
    this.code = code;
  }
}
