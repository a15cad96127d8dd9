import type { Call } from '../call';
import type { Schema } from './schema';

/**
 * The kind of a request decides its time limit, the check of the server's state and what a lost response means. `backup`: a
 * mutation whose response comes only after the backup was made. `lookup`: a query that makes the server call an external site.
 * `picture`: a mutation with a picture, which the server decodes, or fetches from an external site, before it changes anything.
 */
export type RequestKind = 'query' | 'mutation' | 'lookup' | 'picture' | 'backup';

/** In seconds. `editor`: for any request of a dialog except a look-up. */
export type TimeLimits = Readonly<Record<RequestKind | 'editor', number>>;

export interface Operation<Result> {
  /** The log and messages name the operation by it. */
  rootField: string;
  document: string;
  variables?: Readonly<Record<string, unknown>>;
  /** The document has several root fields, and `read` gets all of `data`. */
  isWhole?: true;
  /** The server's state explains no error of the operation. */
  needsNoDatabase?: true;
  runsBeforeMigration?: boolean;
  /** A mutation that needs no check of the server's state: the server has just shown that it runs jobs. */
  isReady?: true;
  /** Receives the texts of errors beside data; without it, they are an error of the request. */
  onErrors?: (texts: readonly string[]) => void;
  /** @throws {StashError} NOT_STASH for a value of another type. */
  read: (value: unknown) => Result;
}

/**
 * Called before anything is sent.
 * @throws {StashError} UNSUPPORTED if the server lacks it.
 */
export type BuildOperation<Result> = (schema: Schema) => Operation<Result>;

export interface OperationRequest<Result> {
  kind: Exclude<RequestKind, 'lookup'>;
  call: Call;
  build: BuildOperation<Result>;
}

export type SendRequest = <Result>(request: OperationRequest<Result>) => Promise<Result>;

/** The requests of a message that make the server call an external site. */
export interface Lookup {
  /** The ID of the scraper; empty for the built-in one. Another text for a site without a scraper. */
  source: string;
  /** How long it is retried while the site refuses, in seconds. Default: the option of the server. */
  retryFor?: number;
  call: Call;
}

export type SendThrottled = <Result>(build: BuildOperation<Result>) => Promise<Result>;

/** Runs a task that makes the server call an external site, once that is due; again after each refusal by the site. */
export type RunThrottled = <Result>(task: () => Promise<Result>) => Promise<Result>;
