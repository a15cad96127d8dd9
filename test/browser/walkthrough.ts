import type { FakeStash } from '../fake-stash/fake-stash';
import type { Dialog } from './dialog';

/** What a browser test does with a node of a type, and what it must see. */
export interface Walkthrough {
  /** Fills in something wrong elsewhere in the dialog, and checks the reason that the dialog shows for it. */
  mistake?: (dialog: Dialog) => Promise<void>;
  /** The reasons in the tooltip of such a node, besides the missing server. */
  reasons?: string[];
  correct?: (dialog: Dialog) => Promise<void>;
  /** What is saved in the end, beside the name and the server. */
  kept: Record<string, unknown>;
  /** What of it the dialog shows in other words. */
  shown?: Record<string, unknown>;
  answers: Answer[];
  /** What is under the node after the last answer. */
  status: RegExp;
}

export interface Answer {
  /** Which of the two inject nodes is pressed: the first sends "Robin Vale", the other "Robin". */
  inject?: 0 | 1;
  /** What happens at the server instead, for a node without an input. */
  happens?: (stash: FakeStash) => Promise<void>;
  output?: 0 | 1;
  payload: RegExp;
  summary: RegExp;
}

/**
 * What shows further rows of a dialog: by property, or by `#id` of a choice of its own, the value of an input, or the type
 * and value of a typed input.
 */
export type State = Record<string, string | boolean | [type: string, value: string]>;
