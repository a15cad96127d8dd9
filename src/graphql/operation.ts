import type { Call } from '../call';
import type { Schema } from './schema';

/**
 * Kinds of request. The kind decides the time limit, the check of the server's state and what a lost response means.
 * `backup`: a mutation whose response comes only after the backup was made. `lookup`: a query that makes the server call
 * an external site.
 */
export type RequestKind = 'query' | 'mutation' | 'lookup' | 'backup';

/** The time limit of each kind of request, and of any request of a dialog except a look-up, in seconds. */
export type TimeLimits = Readonly<Record<RequestKind | 'editor', number>>;

/** One GraphQL operation in the terms of a server's schema. */
export interface Operation<Result> {
  /** The root field, by which the log and messages name the operation. */
  rootField: string;
  document: string;
  variables?: Readonly<Record<string, unknown>>;
  /** The document has several root fields, and `read` gets all of `data`. */
  isWhole?: true;
  /** The server's state explains no error of the operation. */
  needsNoDatabase?: true;
  /** A mutation that a server may run before the migration of its database. */
  runsBeforeMigration?: boolean;
  /** Receives the texts of errors beside data; without it, they are an error of the request. */
  onErrors?: (texts: readonly string[]) => void;
  /** Turns the field's value into the result. @throws {StashError} NOT_STASH for a value of another type. */
  read: (value: unknown) => Result;
}

/**
 * Builds an operation from a server's schema, before anything is sent.
 * @throws {StashError} UNSUPPORTED if the server lacks it.
 */
export type BuildOperation<Result> = (schema: Schema) => Operation<Result>;

/** A request for one message; look-ups go through `lookUp`. */
export interface OperationRequest<Result> {
  kind: Exclude<RequestKind, 'lookup'>;
  /** The call says whether the request is for a dialog. */
  call: Call;
  build: BuildOperation<Result>;
}

/** Sends a request that reaches no external site. @throws {StashError} for everything but a result. */
export type SendRequest = <Result>(request: OperationRequest<Result>) => Promise<Result>;

/** A look-up: requests of a message that make the server call an external site. */
export interface Lookup {
  /** The ID of the scraper for the external site; empty for the built-in one. Another text for a site without a scraper. */
  source: string;
  /** How long it is retried while the site refuses, in seconds. Default: the option of the server. */
  retryFor?: number;
  call: Call;
}

/** Sends one rate-limited request of a look-up. @throws {StashError} for everything but a result. */
export type SendThrottled = <Result>(build: BuildOperation<Result>) => Promise<Result>;
