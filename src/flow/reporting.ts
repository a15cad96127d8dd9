import type { NodeAPI } from 'node-red';
import type { Code, StashError } from '../errors';
import { describeError } from './words';

/** An error in the runtime's language. */
export interface Report {
  /** For `done` and `node.error`. */
  error: Error;
  /** What happened, then what to do. */
  summary: string;
  /** At most 20 characters, for the status under the node. */
  label: string;
  /** For `msg.stash.error`. */
  facts: { code: Code; status: number | null; remedy: string; retry: boolean };
}

/** Renders an error for the message, for Catch nodes and for the log. */
export function reportOf(RED: NodeAPI, error: StashError): Report {
  const { code, status, retry } = error;
  const { message, remedy, label } = describeError(RED, error);
  return {
    error: new Sentence(message, code) as unknown as Error,
    summary: message,
    label,
    facts: { code, status, remedy, retry },
  };
}

/**
 * A text with a code in the place of an `Error`. Without a Catch node, the debug sidebar shows an `Error` as an object
 * whose texts are cut after 30 characters, and a text cut after 80, both behind a triangle. What its constructor's name
 * calls a regular expression it shows in full. A Catch node reads `toString()` and an own `code` of any of them.
 */
const Sentence = class RegExp extends String {
  readonly code: Code;

  constructor(text: string, code: Code) {
    super(text);
    this.code = code;
  }
};
