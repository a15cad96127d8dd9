import type { Call } from '../call';
import type { Schema } from './schema';

/**
 * What kind of thing is asked. Time limits, the look at the server's state and the truth about lost answers hang on
 * it: a `backup` is a mutation that answers only when the server has made one, a `lookup` a query that makes the
 * server call an external site, an `editor` a query of somebody who looks at a dialog.
 */
export type RequestKind = 'query' | 'mutation' | 'lookup' | 'backup' | 'editor';

/** One thing to ask, in the words of a server's schema. */
export interface Operation<Result> {
  /** The root field that is asked, as the log and messages name it. */
  rootField: string;
  document: string;
  variables?: Readonly<Record<string, unknown>>;
  /** It asks for several root fields, and `read` is given all of them. */
  isWhole?: true;
  /** Makes the result of the field's value. @throws {StashError} NOT_STASH for a value of another type. */
  read: (value: unknown) => Result;
}

/**
 * Puts a question as the schema has it, before anything is sent.
 * @throws {StashError} UNSUPPORTED where it cannot be put.
 */
export type BuildOperation<Result> = (schema: Schema) => Operation<Result>;

/** One question of a message that reaches no external site. */
export interface OperationRequest<Result> {
  /** Look-ups go through `lookUp`; what comes of the editor is told by the call. */
  kind: Exclude<RequestKind, 'lookup' | 'editor'>;
  call: Call;
  build: BuildOperation<Result>;
}
