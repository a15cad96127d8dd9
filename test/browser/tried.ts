import type { FakeStash } from '../fake-stash/fake-stash';
import type { Dialog } from './dialog';

/** What somebody does with a node of a type, and what is to be seen. */
export interface Tried {
  /** Fills in the rest of the dialog with something wrong, and sees what is told about it there. */
  mistake?: (dialog: Dialog) => Promise<void>;
  /** The reasons that a node which is left like that tells, beside that no server is chosen. */
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
  happens?: (stash: FakeStash) => void;
  output?: 0 | 1;
  payload: RegExp;
  summary: RegExp;
}

/** What shows further rows of a dialog: by property the value of an input, or the type and value of a typed input. */
export type State = Record<string, string | boolean | [type: string, value: string]>;
