import type { NamedKind } from './kinds';
import type { FailedLine } from './refusal';

/** The types that the dialog offers for a value of the message, the usual one first. */
export const messageTypes = ['str', 'json', 'num', 'bool'] as const;

/** What a trial does: it waits for another trial, or for its turn at an external site, which may block requests. */
export type TrialState = 'queued' | 'waiting' | 'refused' | 'asking';

/** What a number in a table counts, so that the dialog shows it in the reader's language. */
export type TrialUnit = 'bytes' | 'seconds' | 'count';

/** A table with the result of a trial. */
export interface TrialTable {
  /**
   * `fields`: the first column has the names of fields, the other one their values. `changes`: the first column has items, the others
   * what would change of each; an item that would stay as it is has no other cells.
   */
  shape: 'list' | 'fields' | 'changes';
  columns: string[];
  /** Each cell is a short text; empty for null, and for a field that a result of a list lacks. */
  rows: string[][];
  /** The units of numbers, by the names of their fields. */
  units?: Readonly<Record<string, TrialUnit>>;
  /** How many results there are, or fields; null if nobody knows. */
  count: number | null;
  /** How many of them the node would send; absent if all. */
  sent?: number;
  /** Of `changes`: how many of the items would change, and what would be created for it: of each kind the first names, and how many. */
  changing?: number;
  created?: readonly { kind: NamedKind; names: readonly string[]; count: number }[];
  /** Selected fields that this server cannot give. */
  missing: string[];
  /** What else there is to say: words `detail.<key>` of the node, with their values. */
  hints?: readonly { key: string; values: Readonly<Record<string, string | number>> }[];
  /** The texts of errors that came with the result. */
  errors: string[];
  /** How long it took. */
  milliseconds: number;
}

/** A line of the response: what the trial does, its result, or an error. */
export type TrialLine = { state: TrialState } | TrialTable | FailedLine;
