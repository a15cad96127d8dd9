import type { FakeStash } from '../fake-stash/fake-stash';
import type { Dialog } from './dialog';

/** The steps of a browser test for a node, and the expected results. */
export interface Walkthrough {
  /** Makes a mistake elsewhere in the dialog, and checks the reason below it. */
  mistake?: (dialog: Dialog) => Promise<void>;
  /** The reasons in the tooltip of the invalid node, besides the missing server, if the dialog is closed with the mistakes. */
  reasons?: string[];
  correct?: (dialog: Dialog) => Promise<void>;
  /** The saved properties at the end that a new node has otherwise, besides name and server. */
  kept: Record<string, unknown>;
  /** The values that the dialog shows in another form. */
  shown?: Record<string, unknown>;
  answers: Answer[];
  /** The status after the last result. */
  status: RegExp;
}

export interface Answer {
  /** Which of the two inject nodes is pressed: the first sends "Robin Vale", the other "Robin". */
  inject?: 0 | 1;
  /** Prepares the server. */
  before?: (stash: FakeStash) => void;
  /** Triggers a node without an input by an event at the server. */
  happens?: (stash: FakeStash) => Promise<void>;
  output?: 0 | 1;
  payload: RegExp;
  summary: RegExp;
}

/**
 * A state in which a dialog shows more rows. The key is a property, or the `#id` of a choice that is not saved. The
 * value is that of an input, or the type and value of a typed input.
 */
export type State = Record<string, string | boolean | [type: string, value: string]>;
